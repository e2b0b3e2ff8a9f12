import Base
import PinChecking
import TLSProbe

/// One document and the file it goes to.
struct FetchItem {
    let location: HTTPLocation
    /// The file, `nil` for standard output.
    let file: String?
    var namesPort = false
    /// Whether the URL is from the record of an interrupted download, which anybody may have put there who can write beside it.
    var isFromRecord = false

    /// Where the document goes, with what an earlier run left of it.
    func destination(_ output: OutputStream) -> DownloadDestination {
        if let file { return isFromRecord ? .interrupted(file) : .file(file) }
        let write: @Sendable ([UInt8]) throws(OutputError) -> Void = { (bytes) throws(OutputError) in
            try output.write(bytes)
        }
        return output.isTerminal ? .terminal(write) : .stream(write)
    }

    /// Reads the URLs of a command line, each with the file it goes to.
    static func all(_ settings: Settings) throws(CommandError) -> [FetchItem] {
        let (urls, outputs, options) = (settings.arguments, settings.outputs, settings.fetch)
        guard !urls.isEmpty else {
            throw .usage("no URL is given: name one, as in 'pincheck fetch https://dl.example.com/app.ipa -O'")
        }
        guard outputs.isEmpty || !options.namesFileAsURL else {
            throw .usage("--output and --remote-name both name the file: give one of them")
        }
        guard !options.asksForHead || outputs.isEmpty && !options.namesFileAsURL && options.sha256 == nil else {
            throw .usage("--head asks for no document: leave out --output, --remote-name and --sha256")
        }
        guard outputs.isEmpty || outputs.count == urls.count else {
            throw .usage(
                "there are \(urls.count) URLs and \(outputs.count) --output: give one for each, or --remote-name")
        }
        guard urls.count == 1 || !outputs.isEmpty || options.namesFileAsURL || options.asksForHead else {
            throw .usage("several documents would be one on standard output: give --remote-name, or --output for each")
        }
        guard options.sha256 == nil || urls.count == 1 else {
            throw .usage("--sha256 is of one document: give one URL")
        }
        var items: [FetchItem] = []
        for (index, url) in urls.enumerated() {
            let location = try location(url)
            var file = outputs.isEmpty ? nil : outputs[index]
            if let path = file, path == "-" || AtomicFile.isStandardOutput(path) { file = nil }
            if options.namesFileAsURL { file = try fileName(of: location) }
            if file?.isEmpty == true { throw .usage("--output names no file: write --output FILE") }
            if let file, items.contains(where: { $0.file == file }) {
                throw .usage("two documents would go to \(quoted(file)): name two files")
            }
            if let file { try OutputFile.refuseMissingDirectory(of: file) }
            items.append(FetchItem(location: location, file: file, namesPort: namesPort(url)))
        }
        guard items.count(where: { $0.file == nil }) <= 1 || options.asksForHead else {
            throw .usage("two documents would go to standard output: name a file for one of them")
        }
        guard options.sha256 == nil || items.allSatisfy({ isFile($0.file) }) else {
            throw .usage(
                "what goes to standard output or into a pipe is read before its hash is known: name a file with --output for "
                    + "--sha256")
        }
        return items
    }

    /// Whether a document is there for nobody until it is whole.
    private static func isFile(_ path: String?) -> Bool {
        guard let path else { return false }
        return switch FileKind(at: path) {
        case .regular, .absent, .inaccessible, .directory: true
        case .pipe, .special: false
        }
    }

    /// What was interrupted in a directory, and the records there that are not of a download.
    static func interrupted(in directory: String) throws(CommandError) -> (items: [FetchItem], unreadable: [String]) {
        let files: [String]
        do throws(ReadFailure) { files = try PartialFile.unfinished(inDirectory: directory) } catch {
            if case .absent = FileKind(at: directory) {
                throw .noInput("--resume-all: there is no directory \(quoted(directory))")
            }
            throw .noInput("--resume-all: cannot read the directory \(quoted(directory)): name another")
        }
        var items: [FetchItem] = []
        var unreadable: [String] = []
        for file in files {
            let record = PartialFile.record(of: file).flatMap { DownloadRecord(bytes: $0) }
            if let location = record.flatMap({ try? HTTPLocation($0.url) }), location.isSecure {
                items.append(FetchItem(location: location, file: file, isFromRecord: true))
            } else {
                unreadable.append(file + PartialFile.recordSuffix)
            }
        }
        guard !items.isEmpty || !unreadable.isEmpty else {
            throw .noInput("no download was interrupted in \(quoted(directory)): there is no *.part.record of one")
        }
        return (items, unreadable)
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
        } catch { throw .usage("the URL \(quoted(UserInfo.hiddenBeforeHost(text))) \(error)") }
        guard location.isSecure else {
            throw .usage("the URL \(quoted(text)) is not of https: without TLS there is nothing to accept a server by")
        }
        return location
    }

    private static func fileName(of location: HTTPLocation) throws(CommandError) -> String {
        let name = location.lastSegment
        guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 240, !name.hasPrefix("-"),
            !name.hasPrefix(".")
        else { throw .usage("\(quoted(location.description)) names no file: give --output") }
        return name
    }
}
