import ArgumentParser
import Machine
import PinChecking
import Pinning
import Synchronization
import TLSProbe
import Text

/// `pincheck fetch`: downloads from servers that are accepted.
struct FetchCommand: RequestingCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        _superCommandName: "pincheck",
        abstract: "Download from a server that is accepted.",
        usage: "pincheck fetch <url> ... [-o <file>] [--pins <source>] [<options>]",
        discussion: """
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
    )

    @Argument(help: ArgumentHelp("An https URL.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup(title: "Document")
    var document: FetchOptions

    @Option(
        help: ArgumentHelp(
            "A policy (JSON5) with the hosts, as for 'check'.",
            discussion: "'-' is standard input. Repeatable.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json5", "json"])
    )
    var policy: [String] = []

    @OptionGroup(title: "Pins and clients")
    var evaluation: EvaluationOptions

    @OptionGroup(title: "Devices")
    var devices: DeviceOptions

    @OptionGroup(title: "Names")
    var names: NameOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Client certificate")
    var clientCertificate: ClientCertificateOptions

    /// One document and the file it goes to, `nil` for standard output.
    private struct Item {
        let location: HTTPLocation
        let file: String?
        /// Whether the URL names its port.
        var namesPort = false
    }

    func request() throws(CommandError) -> CheckRequest {
        var names = names
        // Those that name no host are sent.
        names.header = names.header.filter(Self.namesHost)
        return try CheckRequest(names: names, connection: connection, evaluation: evaluation, devices: devices)
    }

    var requestFiles: RequestFiles {
        RequestFiles(clientCertificate: clientCertificate, connection: connection, readsTargets: !policy.isEmpty)
    }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let settings = try FetchSettings(document)
        let fields = try fields()
        let flags = try request()
        let items = try items()
        var roles = FileRoles(in: context, writesStandardOutput: items.contains { $0.file == nil })
        for file in items.compactMap(\.file) {
            roles.writes(file, as: "the document")
            roles.writes(file + PartialFile.suffix, as: "what is there of the document")
            roles.writes(file + PartialFile.recordSuffix, as: "the record of the document")
        }
        roles.reads(policy, as: "--policy")
        roles.add(flags.judging)
        roles.add(requestFiles)
        try roles.refuseClashes()
        var request = try flags.reading(requestFiles, in: context)
        guard request.connection.applicationProtocols.allSatisfy({ $0.name == "http/1.1" }) else {
            throw .usage("a document is asked for in HTTP/1.1 and in nothing else: leave out --alpn")
        }
        if request.connection.applicationProtocols.isEmpty {
            request.connection.applicationProtocols = try CommandError.reading { () throws(RequestError) in
                try CheckRequest.Connection.applicationProtocols("http/1.1")
            }
        }
        let downloads = items.map { item in
            var download = DownloadRequest(
                item.location,
                method: document.head ? .head : .get,
                fields: fields,
                request: request
            )
            // The default is for a URL that names none.
            if item.location.port == 443, item.namesPort { download.request.connection.port = nil }
            download.mostRedirects = settings.mostRedirects
            download.followsUnpinned = document.followUnpinned
            download.retries = request.connection.retries ?? RequestDefaults.retries
            download.patience = settings.patience
            download.sha256 = settings.sha256
            return download
        }
        let hosts = policy.isEmpty ? nil : try PolicyHosts(policy, in: context)
        let loader = Mutex(context.loader)
        let host: Downloader.HostSettings = { (target, request) throws(CheckError) in
            guard let hosts else { return CheckTarget(target: target, request: request) }
            do throws(CommandError) {
                return try hosts.checkTarget(for: target, request)
            } catch {
                throw .said(.data, "\(error)")
            }
        }
        let job: @Sendable (CheckTarget) throws(CheckError) -> CheckJob = { (target) throws(CheckError) in
            try loader.withLock { (loader) throws(CheckError) in
                try CheckPlan.jobs([target.withOwnAddresses], &loader)[0]
            }
        }
        // What cannot be used is said before anything is asked.
        for download in downloads {
            let target = try CommandError.reading { () throws(RequestError) in
                try Target("https://\(download.location.authority)/")
            }
            try CommandError.reading { () throws(CheckError) in _ = try job(try host(target, download.request)) }
        }
        for finding in loader.withLock({ $0.notes }) { context.console.report("Note: \(finding.reason.message)") }
        let downloader = Downloader(in: context.surroundings, settings: host, jobs: job)
        let status = try await fetch(items, downloads, by: downloader, settings, in: context)
        await downloader.shutdown()
        return status
    }

    private func fetch(
        _ items: [Item],
        _ downloads: [DownloadRequest],
        by downloader: Downloader,
        _ settings: FetchSettings,
        in context: Context
    ) async throws(CommandError) -> ExitStatus {
        let output = context.console.output
        let takesOutput = !document.head && items.contains { $0.file == nil }
        var writer = try FetchWriter(
            settings,
            document,
            to: takesOutput ? context.console.errors : output,
            in: context
        )
        let note = PauseNote(isQuiet: document.quiet)
        let progresses = items.map { item in DownloadProgress { note.keep(item.file, $0) } }
        let line =
            document.quiet ? nil : DownloadLine(progresses, console: context.console, environment: context.environment)
        let showing = line.map { line in Task { await line.show() } }
        let limit = downloads.first?.request.connection.jobs ?? RequestDefaults.jobs
        var results: [Int: DownloadResult] = [:]
        await withTaskGroup(of: (Int, DownloadResult).self) { group in
            var next = 0
            func startNext() {
                guard next < items.count else { return }
                let index = next
                next += 1
                let destination: DownloadDestination =
                    if document.head { .nowhere } else if let file = items[index].file { .file(file) } else {
                        .stream { (bytes) throws(OutputError) in try output.write(document: bytes) }
                    }
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
        if results.values.allSatisfy({ ExitStatus($0) == .pass }) {
            reportUnusedAddresses(downloads[0].request, of: results.values.flatMap(\.hops), in: context)
        }
        for (index, item) in items.enumerated() {
            guard let result = results[index] else { continue }
            if document.head, let head = result.head, settings.form == .text { try show(head, on: output) }
            try writer.add(result, file: item.file, sha256: settings.sha256?.hexadecimal)
        }
        return try writer.finish()
    }

    /// Warns of an address for a host that was no server on the way: its name may be mistyped.
    private func reportUnusedAddresses(_ request: CheckRequest, of hops: [DownloadHop], in context: Context) {
        let addresses = request.connection.addresses.given + request.connection.addresses.added
        for host in Set(addresses.compactMap(\.onlyForHost)) where !hops.contains(where: { $0.location.host == host }) {
            context.console.report(
                "Note: the address given for \(quoted(host.description)) was not used: check its name"
            )
        }
    }

    private func show(_ head: TransferHead, on stream: OutputStream) throws(CommandError) {
        var lines = LineWriter(stream)
        try lines.write(TerminalText.shown("HTTP/1.1 \(head.status) \(head.reason)", to: 1_000))
        for field in head.fields { try lines.write(TerminalText.shown("\(field.name): \(field.value)", to: 4_000)) }
        try lines.write("")
    }

    /// The documents, each with its file.
    private func items() throws(CommandError) -> [Item] {
        if let directory = document.resumeAll {
            guard urls.isEmpty, document.output.isEmpty, !document.remoteName, !document.head else {
                throw .usage(
                    "--resume-all goes on with what was begun: leave out URLs, --output, --remote-name and --head"
                )
            }
            return try interrupted(in: directory)
        }
        guard !urls.isEmpty else {
            throw .usage("no URL is given: name one, as in 'pincheck fetch https://dl.example.com/app.ipa -O'")
        }
        guard document.output.isEmpty || !document.remoteName else {
            throw .usage("--output and --remote-name both name the file: give one of them")
        }
        guard !document.head || document.output.isEmpty && !document.remoteName && document.sha256 == nil else {
            throw .usage("--head asks for no document: leave out --output, --remote-name and --sha256")
        }
        guard document.output.isEmpty || document.output.count == urls.count else {
            throw .usage(
                "there are \(urls.count) URLs and \(document.output.count) --output: give one for each, or --remote-name"
            )
        }
        guard urls.count == 1 || !document.output.isEmpty || document.remoteName || document.head else {
            throw .usage("several documents would be one on standard output: give --remote-name, or --output for each")
        }
        guard document.sha256 == nil || urls.count == 1 else {
            throw .usage("--sha256 is of one document: give one URL")
        }
        var items: [Item] = []
        for (index, url) in urls.enumerated() {
            let location = try Self.location(url)
            var file = document.output.isEmpty ? nil : document.output[index]
            if let path = file, path == "-" || AtomicFile.isStandardOutput(path) { file = nil }
            if document.remoteName { file = try Self.fileName(of: location) }
            if file?.isEmpty == true { throw .usage("--output names no file: write --output FILE") }
            if let file, items.contains(where: { $0.file == file }) {
                throw .usage("two documents would go to \(quoted(file)): name two files")
            }
            if let file { try OutputFile.refuseMissingDirectory(of: file) }
            items.append(Item(location: location, file: file, namesPort: Self.namesPort(url)))
        }
        guard items.count(where: { $0.file == nil }) <= 1 || document.head else {
            throw .usage("two documents would go to standard output: name a file for one of them")
        }
        return items
    }

    private func interrupted(in directory: String) throws(CommandError) -> [Item] {
        let files: [String]
        do throws(ReadFailure) {
            files = try PartialFile.unfinished(inDirectory: directory)
        } catch {
            throw .noInput("cannot read the directory \(quoted(directory)): name another")
        }
        var items: [Item] = []
        for file in files {
            guard let record = PartialFile.record(of: file).flatMap({ DownloadRecord(bytes: $0) }) else { continue }
            guard !FileState.isLink(file) else {
                throw .noInput(
                    "\(quoted(file)) is a link, which may lead anywhere: go on with its URL and --output alone"
                )
            }
            items.append(Item(location: try Self.location(record.url), file: file))
        }
        guard !items.isEmpty else {
            throw .noInput("no download was interrupted in \(quoted(directory)): there is no *.part.record of one")
        }
        return items
    }

    private static func namesPort(_ url: String) -> Bool {
        let rest = url.contains("://") ? url.split(separator: "://", maxSplits: 1).last ?? "" : url[...]
        let authority = rest.prefix { !"/?#".contains($0) }
        return authority[(authority.lastIndex(of: "]") ?? authority.startIndex)...].contains(":")
    }

    private static func location(_ text: String) throws(CommandError) -> HTTPLocation {
        let location: HTTPLocation
        do throws(HTTPLocationError) {
            location = try HTTPLocation(text.contains("://") ? text : "https://" + text)
        } catch {
            // What stands before the host may be a password.
            let shown = text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text
            throw .usage("the URL \(quoted(shown)) \(error)")
        }
        guard location.isSecure else {
            throw .usage("the URL \(quoted(text)) is not of https: without TLS there is nothing to accept a server by")
        }
        return location
    }

    private static func fileName(of location: HTTPLocation) throws(CommandError) -> String {
        let name = location.lastSegment
        guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 240, !name.hasPrefix("-"),
            !name.hasPrefix(".")
        else {
            throw .usage("\(quoted(location.description)) names no file: give --output")
        }
        return name
    }

    private static func namesHost(_ line: String) -> Bool {
        line.prefix { $0 != ":" }.lowercased() == "host"
    }

    /// The fields that are sent.
    private func fields() throws(CommandError) -> [HTTPField] {
        var fields: [HTTPField] = []
        for line in names.header where !Self.namesHost(line) {
            guard let field = HTTPField(line: line) else {
                throw .usage("the header \(quoted(line)) is none: write 'Name: value'")
            }
            let own = [
                "connection", "content-length", "transfer-encoding", "range", "if-range", "accept-encoding", "te",
                "upgrade",
            ]
            guard !own.contains(field.name.lowercased()) else {
                throw .usage("the header \(quoted(field.name)) is pincheck's own: leave it out")
            }
            fields.append(field)
        }
        return fields
    }
}
