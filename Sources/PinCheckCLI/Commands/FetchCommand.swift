import Base
import PinChecking
import Synchronization
import TLSProbe

extension Command {
    static let fetch = Command(
        name: "fetch", abstract: "Download from a server that is accepted.",
        usage: "pincheck fetch <url> [-o <file>] [--pins <source>] [<options>]",
        discussion: """
            The request goes out on the very connection that was judged, once it is
            accepted. Every redirect is judged anew, by the pins for its host.

              pincheck fetch https://dl.example.com/app.ipa -O --pins Pins
              pincheck fetch https://dl.example.com/a.json --policy pins.json5 | jq .
              pincheck fetch https://203.0.113.7/a.zip --host dl.example.com -o a.zip
              pincheck fetch https://dl.example.com/a.zip -O --sha256 9f86d0…0a08

            A run goes on with what an interrupted one left in FILE.part, if the server
            is accepted by the same pins and has the same document; FILE is there once it
            is whole. Exit status: 0 whole, 1 not accepted, 2 not reached or broken off,
            5 another answer, 74 not stored.
            """, arguments: [Argument(name: "url", help: "An https URL.", isRequired: true)],
        own: { [.document, OptionGroup("Policies") { OptionGroup.policy }] },
        shared: { [.judging, .devices, .namesAndHeaders, .connection, .clientCertificate] },
        run: { try await $0.fetch() })
}

extension Invocation {
    func fetch() async throws -> ExitStatus {
        let url = settings.arguments[0]
        let location = try Self.location(url)
        let file = try file(for: location)
        var download = DownloadRequest(location, request: try request())
        // `--port` is for a URL without a port.
        let target = try? Target(url.contains("://") ? url : "https://" + url)
        if target?.port == 443 { download.request.connection.port = nil }
        download.fields = settings.fields
        download.mostRedirects = settings.mostRedirects
        download.retries = download.request.connection.retries ?? RequestDefaults.retries
        // `--retries` repeats the whole download, not its connections.
        download.request.connection.retries = nil
        download.sha256 = settings.sha256
        let downloader = try downloader(of: download)
        if let file {
            for suffix in ["", PartialFile.suffix, PartialFile.recordSuffix] {
                try OutputFile.refuseReadFile(file + suffix)
            }
        } else {
            try OutputFile.refuseReadFile(behind: console.output)
        }
        let result = try await fetch(download, to: file, by: downloader)
        await downloader.shutdown()
        let stream = file == nil ? console.errors : console.output
        let text = TextRenderer.on(stream, settings, in: context)
        let status = ExitStatus(result)
        if !settings.isQuiet || status != .pass { try stream.write(text.block(result, status, file: file)) }
        return status
    }

    private func request() throws -> CheckRequest {
        var request = try settings.connectingRequest(in: context)
        guard request.connection.applicationProtocols.allSatisfy({ $0 == "http/1.1" }) else {
            throw Problem.usage("a document is asked for in HTTP/1.1 and in nothing else: leave out --alpn")
        }
        request.connection.applicationProtocols = try CheckRequest.Connection.applicationProtocols("http/1.1")
        return request
    }

    private func downloader(of download: DownloadRequest) throws -> Downloader {
        let hosts = settings.policies.isEmpty ? nil : try PolicyHosts(settings.policies, in: context)
        try BadEntries.refuse(hosts?.bad ?? [])
        let policies = Mutex(context.policies)
        let plan: Downloader.Plan = { (target, request) throws(Problem) in
            let check = try hosts?.checkTarget(for: target, request) ?? CheckTarget(target, request)
            return try policies.withLock { (policies) throws(Problem) in try Check.plan([check], &policies)[0] }
        }
        let target = try Target("https://\(download.location.authority)/")
        // A host that is in no policy would silently have no pins.
        if let hosts, download.request.judging.pins.isEmpty, try hosts.checkTarget(for: target, download.request) == nil
        {
            throw hosts.missing(target)
        }
        _ = try plan(target, download.request)
        for finding in policies.withLock({ $0.notes }) { console.report("Note: \(finding.reason.message)") }
        return Downloader(in: context.engine(), plan: plan)
    }

    private func fetch(
        _ download: DownloadRequest, to file: String?, by downloader: Downloader
    ) async throws(Problem) -> DownloadResult {
        let (output, isQuiet) = (console.output, settings.isQuiet)
        let open = try Self.openFile(file)
        let write: DownloadStream = { (bytes) throws(WriteFailure) in
            if let open { try open.write(bytes) } else { try output.writeBytes(bytes) }
        }
        // A terminal gets the document without control characters.
        let shown = Mutex(open?.isTerminal ?? output.isTerminal ? TerminalDocument() : nil)
        let progress = DownloadProgress { isKept in
            guard let file, !isQuiet else { return }
            let part = quoted(file + PartialFile.suffix, to: 300)
            Interruption.setFarewell(
                isKept ? "Paused: what came is kept in \(part), and the same command goes on with it.\n" : "")
        }
        let errors = console.errors
        let isShown = !isQuiet && errors.isTerminal && context.environment["TERM"] != "dumb"
        let showing = isShown ? Task { await progress.show(on: errors) } : nil
        let stream: DownloadStream = { (bytes) throws(WriteFailure) in
            try write(shown.withLock { $0?.show(bytes) } ?? bytes)
        }
        var result = await downloader.fetch(download, toFile: open == nil ? file : nil, or: stream, progress: progress)
        if let rest = shown.withLock({ $0?.finish() }), !rest.isEmpty {
            do { try write(rest) } catch { result.ending = .notStored(error) }
        }
        showing?.cancel()
        await showing?.value
        if case .complete = result.ending {
            let addresses = download.request.connection.addresses
            for host in Set((addresses.given + addresses.added).compactMap(\.onlyForHost))
            where !result.hops.contains(where: { $0.location.host == host }) {
                console.report("Note: the address given for \(quoted(host.description)) was not used: check its name")
            }
        }
        return result
    }

    private static func openFile(_ file: String?) throws(Problem) -> OpenFile? {
        guard let file else { return nil }
        do { return try OpenFile(at: file) } catch { throw OutputFile.error(error, at: file) }
    }

    private static func location(_ text: String) throws(Problem) -> HTTPLocation {
        let location: HTTPLocation
        do { location = try HTTPLocation(text.contains("://") ? text : "https://" + text) } catch {
            throw .usage("the URL \(quoted(UserInfo.hiddenBeforeHost(text))) \(error)")
        }
        guard location.isSecure else {
            throw .usage("the URL \(quoted(text)) is not of https: without TLS there is nothing to accept a server by")
        }
        return location
    }

    private func file(for location: HTTPLocation) throws(Problem) -> String? {
        var file = settings.outputs.first
        if settings.namesFileAsURL {
            let name = location.lastSegment
            guard !name.isEmpty, name.utf8.count <= 240, !name.hasPrefix("-"), !name.hasPrefix(".") else {
                throw .usage("\(quoted(location.description)) names no file: give --output")
            }
            file = name
        }
        if let path = file, path == "-" || AtomicFile.isStandardOutput(path) { file = nil }
        if let file { try OutputFile.refuseMissingDirectory(of: file) }
        // Only a regular file can hold back a document until its hash is known.
        guard settings.sha256 == nil || file.map({ ![.pipe, .special].contains(FileKind(at: $0)) }) ?? false else {
            throw .usage(
                "what goes to standard output or into a pipe is read before its hash is known: name a file with --output for "
                    + "--sha256")
        }
        return file
    }
}

extension ExitStatus {
    init(_ result: DownloadResult) {
        switch result.ending {
        case .complete: self = .pass
        case .notAccepted:
            let status = result.hops.last?.result.map { ExitStatus($0.outcome) } ?? .unreachable
            self = status == .pass ? .unreachable : status
        case .unpinnedRedirect, .plainRedirect: self = .fail
        case .brokenOff: self = .unreachable
        case .notStored: self = .inputOutput
        case .impossible(let error): self = ExitStatus(error)
        default: self = .answer
        }
    }
}

extension TextRenderer {
    func block(_ result: DownloadResult, _ status: ExitStatus, file: String?) -> String {
        let redirects = result.hops.filter { (300..<400).contains($0.status ?? 0) }.map { hop in
            "  \(hop.status ?? 0)  \(safe(hop.location.shown, length: 300))"
        }
        var reports = result.hops.compactMap(\.result).map(Report.init)
        var end = text(summary(result, status, file: file))
        if case .notAccepted = result.ending, let last = reports.popLast() { end = block(last) }
        return (explains ? reports.map { block($0) }.joined() : "") + (redirects.isEmpty ? "" : text(redirects)) + end
    }

    private func summary(_ result: DownloadResult, _ status: ExitStatus, file: String?) -> [String] {
        let head = "\(style.token(status))  \(safe(result.location.shown, length: 300))  "
        guard case .complete = result.ending else {
            let kept = file.flatMap {
                result.isResumable ? "  the same command goes on with \(safe($0, length: 300)).part" : nil
            }
            return [head + safe(sentence(result, file), length: 300)] + [kept].compactMap(\.self)
        }
        var parts = ["\(readableBytes(result.count)) in \(readableTime(result.time))"]
        if result.resumedAt > 0 { parts.append("\(readableBytes(result.resumedAt)) were there") }
        if let file { parts.append("saved as \(safe(file, length: 300))") }
        var lines = [head + parts.joined(separator: "  ")]
        if result.startedAgain {
            lines.append(
                "  note: what an earlier run left is of another document, or was accepted by other pins: fetched anew")
        }
        if let coding = result.contentCoding, result.count > 0 {
            lines.append(
                "  note: the server sent it as \(safe(coding, length: 300)), which it still is: nothing is decompressed"
            )
        }
        if let verdict = result.hops.last?.result?.reason {
            lines.append("  \(safe(verdict.description, length: 300))")
        }
        return lines
    }

    private func sentence(_ result: DownloadResult, _ file: String?) -> String {
        switch result.ending {
        case .complete, .notAccepted: "the server was not accepted"
        case .brokenOff(let error): "\(error)\(result.isResumable ? "; \(result.count) bytes of it are kept" : "")"
        case .notStored(let failure): "\(OutputFile.error(failure, at: file ?? "standard output"))"
        case .impossible(let error): error.told.description
        case .status(let line):
            "the server answers \(TerminalText.shortened(String(line.drop { $0 != " " }.drop { $0 == " " }), to: 120))"
        case .badRedirect(let place, let error):
            "it redirects to '\(TerminalText.shortened(UserInfo.hidden(in: place), to: 200))', which \(error.reason.prefix { $0 != ":" })"
        case .tooManyRedirects(let most): "it redirects more than \(most) times: raise --max-redirs if that is right"
        case .unpinnedRedirect(let place):
            "it redirects to \(TerminalText.shortened(place, to: 200)), whose host has no pins: give some"
        case .plainRedirect(let place): "it redirects to \(TerminalText.shortened(place, to: 200)), without TLS"
        case .wrongRange(let words):
            "the server sends another part than the one that was asked for"
                + (words.map { " (\(TerminalText.shortened($0, to: 120)))" } ?? "")
        case .wrongHash(let hash): "the SHA-256 is not the one expected, but \(hash.hexadecimal): nothing was kept"
        }
    }
}
