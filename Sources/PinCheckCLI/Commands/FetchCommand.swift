import Base
import PinChecking
import Pinning
import Synchronization
import TLSProbe

extension Command {
    static let fetch = Command(
        name: "fetch", abstract: "Download from a server that is accepted.",
        usage: "pincheck fetch <url> ... [-o <file>] [--pins <source>] [<options>]",
        discussion: {
            """
            The request goes out on the very connection that was judged, once it is
            accepted. Every redirect is judged anew, by the pins for its host.

              pincheck fetch https://dl.example.com/app.ipa -O --pins Pins
              pincheck fetch https://dl.example.com/a.json --policy pins.json5 | jq .
              pincheck fetch https://203.0.113.7/a.zip --host dl.example.com -o a.zip
              pincheck fetch https://dl.example.com/a.zip -O --sha256 9f86d0…0a08
              pincheck fetch --resume-all Downloads --pins Pins

            A run goes on with what an interrupted one left in FILE.part, if the server
            still has the same document; FILE is there once it is whole. Exit status: 0
            whole, 1 not accepted, 2 not reached or broken off, 5 another answer, 74 not
            stored.
            """
        }, arguments: [Argument(name: "url", help: "An https URL.", isRepeatable: true)],
        own: { [.document, OptionGroup(title: "Policies", options: [OptionGroup.policy])] },
        shared: { [.judging, .devices, .namesAndHeaders, .connection, .clientCertificate] },
        most: [
            "--output", "--remote-name", "--pins", "--policy", "--connect", "--host", "--header", "--sha256",
            "--retries", "--resume-all",
        ], run: { try await FetchCommand(settings: $0).run(in: $1) })
}

/// `pincheck fetch`: downloads from servers that are accepted.
struct FetchCommand {
    let settings: Settings

    func run(in context: Context) async throws -> ExitStatus {
        let (items, unreadable) = try items()
        var roles = FileRoles(in: context, writesStandardOutput: items.contains { $0.file == nil })
        for file in items.compactMap(\.file) {
            roles.writes(file, as: "the document")
            roles.writes(file + PartialFile.suffix, as: "what is there of the document")
            roles.writes(file + PartialFile.recordSuffix, as: "the record of the document")
        }
        roles.add(settings)
        roles.addFiles(namedByPolicies: settings.policies, in: context)
        try roles.refuseClashes()
        var request = try settings.connectingRequest(in: context)
        guard request.connection.applicationProtocols.allSatisfy({ $0.name == "http/1.1" }) else {
            throw CommandError.usage("a document is asked for in HTTP/1.1 and in nothing else: leave out --alpn")
        }
        if request.connection.applicationProtocols.isEmpty {
            request.connection.applicationProtocols = try CheckRequest.Connection.applicationProtocols("http/1.1")
        }
        // A byte a second is asked for as a byte in all that time: a server may pause.
        let (limit, time) = (settings.fetch.speedLimit, settings.fetch.speedTime)
        let patience = Transfer.Patience(bytes: limit.map { $0 * time } ?? 1, in: .seconds(time))
        let downloads = items.map { item in
            var download = DownloadRequest(
                item.location, method: settings.fetch.asksForHead ? .head : .get, fields: settings.fetch.fields,
                request: request)
            // The default is for a URL that names none.
            if item.location.port == 443, item.namesPort { download.request.connection.port = nil }
            download.mostRedirects = settings.fetch.mostRedirects
            download.followsUnpinned = settings.fetch.followsUnpinned
            // Whoever put a record there may have named a host of theirs.
            let hasPins = !settings.policies.isEmpty || !request.judging.pins.isEmpty
            download.mayBeginUnpinned = !item.isFromRecord || !hasPins
            download.retries = request.connection.retries ?? RequestDefaults.retries
            download.patience = patience
            download.sha256 = settings.fetch.sha256
            return download
        }
        let hosts = settings.policies.isEmpty ? nil : try PolicyHosts(settings.policies, in: context)
        let policies = Mutex(context.policies)
        let host: Downloader.HostSettings = { (target, request) throws(CheckError) in
            guard let hosts else { return CheckTarget(target: target, request: request) }
            do throws(CommandError) { return try hosts.checkTarget(for: target, request) } catch {
                throw .said(error.status == .usage ? .request : .data, error.message)
            }
        }
        let job: @Sendable (CheckTarget) throws(CheckError) -> Check = { (target) throws(CheckError) in
            try policies.withLock { (policies) throws(CheckError) in
                try Check.plan([target.withOwnAddresses], &policies)[0]
            }
        }
        // What cannot be used is said before anything is asked.
        for (item, download) in zip(items, downloads) where !item.isFromRecord {
            let target = try Target("https://\(download.location.authority)/")
            // Without an entry there would be no pins, and no word of that.
            if let hosts, !settings.fetch.followsUnpinned, download.request.judging.pins.isEmpty {
                try hosts.require(target, download.request)
            }
            _ = try job(try host(target, download.request))
        }
        for finding in policies.withLock({ $0.notes }) { context.console.report("Note: \(finding.reason.message)") }
        let downloader = Downloader(in: context.engine, settings: host, plan: job)
        let status = try await fetch(items, downloads, unreadable, by: downloader, in: context)
        await downloader.shutdown()
        return status
    }

    private func fetch(
        _ items: [FetchItem], _ downloads: [DownloadRequest], _ unreadable: [String], by downloader: Downloader,
        in context: Context
    ) async throws -> ExitStatus {
        let output = context.console.output
        let takesOutput = !settings.fetch.asksForHead && items.contains { $0.file == nil }
        var writer = try FetchWriter(settings, to: takesOutput ? context.console.errors : output, in: context)
        let note = PauseNote(isQuiet: settings.isQuiet)
        let progresses = items.map { item in DownloadProgress { note.keep(item.file, $0) } }
        let line =
            settings.isQuiet
            ? nil : DownloadLine(progresses, console: context.console, environment: context.environment)
        let showing = line.map { line in Task { await line.show() } }
        let limit = downloads.first?.request.connection.jobs ?? RequestDefaults.jobs
        var results: [Int: DownloadResult] = [:]
        await withTaskGroup(of: (Int, DownloadResult).self) { group in
            var next = 0
            func startNext() {
                guard next < items.count else { return }
                let index = next
                next += 1
                let destination = settings.fetch.asksForHead ? .nowhere : items[index].destination(output)
                group.addTask {
                    (index, await downloader.fetch(downloads[index], to: destination, progress: progresses[index]))
                }
            }
            for _ in 0..<max(1, min(limit, 64)) { startNext() }
            for await (index, result) in group {
                results[index] = result
                startNext()
            }
        }
        showing?.cancel()
        await showing?.value
        // One that went wrong may not have come that far.
        if let first = downloads.first, results.values.allSatisfy({ ExitStatus($0) == .pass }) {
            reportUnusedAddresses(first.request, of: results.values.flatMap(\.hops), in: context)
        }
        for (index, item) in items.enumerated() {
            guard let result = results[index] else { continue }
            if settings.fetch.asksForHead, let head = result.head, settings.fetch.form == .text {
                try show(head, on: output)
            }
            try writer.add(result, file: item.file, sha256: settings.fetch.sha256?.hexadecimal)
        }
        for record in unreadable {
            context.console.report(
                "Warning: \(quoted(record)) is no record of a download, so that one does not go on: remove it, and fetch its URL anew"
            )
            writer.addUnreadable()
        }
        return try writer.finish()
    }

    /// Warns of an address for a host that was no server on the way: its name may be mistyped.
    private func reportUnusedAddresses(_ request: CheckRequest, of hops: [DownloadHop], in context: Context) {
        let addresses = request.connection.addresses.given + request.connection.addresses.added
        for host in Set(addresses.compactMap(\.onlyForHost)) where !hops.contains(where: { $0.location.host == host }) {
            context.console.report(
                "Note: the address given for \(quoted(host.description)) was not used: check its name")
        }
    }

    private func show(_ head: TransferHead, on stream: OutputStream) throws(CommandError) {
        var lines = LineWriter(stream)
        try lines.write(TerminalText.shown("HTTP/1.1 \(head.status) \(head.reason)", to: 1_000))
        for field in head.fields { try lines.write(TerminalText.shown("\(field.name): \(field.value)", to: 4_000)) }
        try lines.write("")
    }

    private func items() throws(CommandError) -> (items: [FetchItem], unreadable: [String]) {
        let fetch = settings.fetch
        guard let directory = fetch.directory else { return (try FetchItem.all(settings), []) }
        guard settings.arguments.isEmpty, settings.outputs.isEmpty, !fetch.namesFileAsURL, !fetch.asksForHead,
            fetch.sha256 == nil
        else {
            throw CommandError.usage(
                "--resume-all goes on with what was begun: leave out URLs, --output, --remote-name, --sha256 and --head"
            )
        }
        return try FetchItem.interrupted(in: directory)
    }
}
