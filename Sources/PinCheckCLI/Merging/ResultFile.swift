import Base
import PinChecking
import PinFormats

/// The results of one run, read target by target; the file may be compressed with gzip.
final class ResultFile {
    /// All results of one target, one behind the other.
    struct Unit {
        fileprivate(set) var lines: [(result: RecordedResult, bytes: [UInt8])]
        /// Whether all are there that were written of it.
        fileprivate(set) var isWhole = true

        /// What is known of the target.
        var first: RecordedResult { lines[0].result }

        /// When the newest of them was judged, in seconds since 1970.
        var evaluated: Int64 { lines.map(\.result.line.evaluated).max() ?? 0 }

        /// The documents.
        func reports(_ file: ResultFile) throws(CommandError) -> [Report] {
            var reports: [Report] = []
            for (_, bytes) in lines { reports.append(try file.report(bytes)) }
            return reports
        }
    }

    /// The most bytes that one result can have: chains of hundreds of certificates with all their names.
    private static let longestLine = 64 << 20

    /// The name of the file, for messages.
    let name: String
    private let reader: LineReader
    private let documents = DocumentReader()
    private var ahead: (result: RecordedResult, bytes: [UInt8])?
    /// Whether the last line is the beginning of one: its run was killed while it wrote.
    private(set) var isTorn = false
    /// The number of the line that was read last.
    var lineNumber: Int { reader.number }

    /// Opens the file at `path`, which is read more than once.
    ///
    /// - Throws: ``CommandError`` for what is no regular file or cannot be read.
    init(_ path: String) throws(CommandError) {
        name = quoted(path)
        switch FileKind(at: path) {
        case .regular, .absent, .inaccessible: break
        case .directory: throw .noInput("\(name) is a directory: name the files of results in it")
        case .pipe, .special:
            throw .noInput("\(name) is no regular file, and results are read twice: save what it gives to a file first")
        }
        do throws(ReadFailure) { reader = try LineReader(path: path, limit: Self.longestLine) } catch {
            throw CommandError(FileReader.failure(error, name))
        }
        let text = TerminalText.shortened(path, to: 200)
        try reader.unpack(GzipInput.mark) { (start, rest) throws(CommandError) in
            do throws(PinFormatError) { return try GzipInput.unpacked(start, rest, named: text) } catch {
                throw CommandError(CheckError(error))
            }
        }
    }

    /// The results of the next target, `nil` behind the last.
    ///
    /// - Throws: ``CommandError`` for what is no line of results.
    func next() throws(CommandError) -> Unit? {
        guard let first = try takeLine() else { return nil }
        var unit = Unit(lines: [first])
        while unit.lines[unit.lines.count - 1].result.line.isFollowed {
            guard let line = try takeLine() else {
                unit.isWhole = false
                return unit
            }
            guard line.result.follows(unit.lines[unit.lines.count - 1].result) else {
                ahead = line
                unit.isWhole = false
                return unit
            }
            unit.lines.append(line)
        }
        // Lines that were lost, mixed or moved make another set.
        if let set = unit.first.line.set, ResultLine.set(of: unit.lines.map(\.result.line)) != set {
            unit.isWhole = false
        }
        return unit
    }

    private func takeLine() throws(CommandError) -> (result: RecordedResult, bytes: [UInt8])? {
        if let line = ahead {
            ahead = nil
            return line
        }
        while let bytes = try readLine() {
            if bytes.isEmpty { continue }
            if let result = RecordedResult(bytes[...]) { return (result, bytes) }
            guard !reader.isLineEnded, ResultLine.isBeginning(bytes[...], isAlone: reader.number == 1) else {
                throw .data(
                    "\(name):\(reader.number) is no result of 'pincheck check --format jsonl'\(Self.hint(bytes))")
            }
            isTorn = true
        }
        return nil
    }

    private func readLine() throws(CommandError) -> [UInt8]? {
        do throws(LineReader.Failure) { return try reader.next() } catch {
            switch error {
            case .tooLong: throw .data("\(name):\(reader.number) is longer than any result: name another file")
            case .unreadable(let failure): throw CommandError(FileReader.failure(failure, name))
            }
        }
    }

    /// What the line seems to be, and what to do.
    private static func hint(_ bytes: [UInt8]) -> SafeText {
        var scanner = JSONScanner(bytes[...])
        let members = scanner.members()
        if bytes == [UInt8(ascii: "{")] || members?["results"] != nil {
            return ", but perhaps of '--format json': have the run write jsonl, one result a line"
        }
        if let schema = members?["schema"], !schema.elementsEqual("\"\(Report.schema)\"".utf8) {
            return ", but a document of another kind or version: name the results of checks"
        }
        return ": name files that such runs wrote, or take the line out, and its target counts as missing"
    }

    private func report(_ bytes: [UInt8]) throws(CommandError) -> Report {
        do throws(DocumentReader.Failure) { return try documents.read(object: Report.self, from: bytes) } catch {
            let place: SafeText = error.place.isEmpty ? "" : "\(TerminalText.shortened(error.place, to: 100)) "
            throw .data(
                "\(name), a result of \(quoted(RecordedResult(bytes[...])?.target ?? "")): \(place)\(error.problem): "
                    + "it was changed, or written by another version of pincheck")
        }
    }
}
