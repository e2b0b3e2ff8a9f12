/// The header of an HTTP response, as `curl -I` prints it, or lines of one, with a line `Public-Key-Pins:` (RFC 7469).
struct HTTPHeaderFormat: PinFileFormat {
    private static let enforced = "public-key-pins"
    /// What is told to somebody, and rejects nothing (2.1.5).
    private static let reportOnly = "public-key-pins-report-only"

    func recognises(_ file: PinFile) -> Bool {
        guard file.bytes.count <= PinListFormat.mostBytes, let text = file.text else { return false }
        let isResponse = HTTPResponses.begins(text)
        var isFound = false
        PinListFormat.eachLine(of: file) { line in
            guard let name = Self.name(of: line) else { return isResponse }
            if [Self.enforced, Self.reportOnly].contains(name) { isFound = true }
            return true
        }
        // Other lines with pins would be lost.
        guard isFound, !isResponse else { return isFound }
        var isHeader = true
        PinListFormat.eachLine(of: file) { line in
            isHeader = Self.name(of: line) != nil
            return isHeader
        }
        return isHeader
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let text = file.text ?? ""
        guard HTTPResponses.begins(text) else {
            var lines: [PinText] = []
            PinListFormat.eachLine(of: file) { line in
                lines.append(line)
                return true
            }
            return try read(lines, into: &collector)
        }
        let responses = HTTPResponses(text, in: file) { line in
            Self.name(of: line).map { [Self.enforced, Self.reportOnly].contains($0) } ?? false
        }
        if let line = responses.unclear {
            throw PinFormatError(
                .wrongValue, at: line.place, "this may stand in the body of one response or in the header of the next",
                remedy: "record headers alone, as curl -I does")
        }
        for line in responses.bodies {
            collector.note(.notFollowed, at: line.place, "in the body of a response no header counts: passed over")
        }
        guard let last = responses.headers.last, !last.isEmpty else {
            guard let other = responses.headers.lazy.joined().first else { throw .noPin(at: file.place) }
            throw PinFormatError(
                .wrongValue, at: other.place, "a pin header of a response before the last one, which has none",
                remedy: "give the response of the host that is checked")
        }
        let own = Self.counting(in: last)?.text
        for header in responses.headers where !header.isEmpty && Self.counting(in: header)?.text != own {
            throw PinFormatError(
                .wrongValue, at: header[0].place, "another pin header than that of the last response",
                remedy: "give the response of the host that is checked")
        }
        try read(last, into: &collector)
    }

    /// Which of the pin headers of one response counts: the first that is enforced, or else the first.
    private static func counting(in header: [PinText]) -> PinText? {
        let lines = header.filter { name(of: $0) == enforced || name(of: $0) == reportOnly }
        return lines.first { name(of: $0) == enforced } ?? lines.first
    }

    /// Reads the header of one response.
    private func read(_ header: [PinText], into collector: inout PinCollector) throws(PinFormatError) {
        let isEnforced = header.contains { Self.name(of: $0) == Self.enforced }
        var hasRead = false
        for line in header {
            let name = Self.name(of: line)
            guard name == Self.enforced || name == Self.reportOnly else { continue }
            guard name == Self.enforced || !isEnforced else {
                collector.note(
                    .notFollowed, at: line.place, "a header that only reports rejects nothing and was passed over")
                continue
            }
            guard !hasRead else {
                collector.note(
                    .notFollowed, at: line.place,
                    "the first of several pin headers counts (RFC 7469, 2.3.1): passed over")
                continue
            }
            hasRead = true
            if name == Self.reportOnly {
                collector.note(.notFollowed, at: line.place, "this header only reports: browsers reject nothing by it")
            }
            do throws(PinFormatError) { try line.read(into: &collector) } catch { try collector.gather(error) }
        }
    }

    /// The name of the field on a line, in lower case, `nil` for a line that is none.
    private static func name(of line: PinText) -> String? {
        guard let colon = line.text.utf8.prefix(64).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line.text[..<colon]
        let isToken = name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        return isToken && !name.isEmpty ? name.lowercased() : nil
    }
}

/// The responses that somebody recorded, as `curl -I`, `curl -IL` and `curl -i` print them.
private struct HTTPResponses {
    /// The pin headers of each response.
    private(set) var headers: [[PinText]] = []
    /// What stands in the body of the last one and would be a pin header elsewhere.
    private(set) var bodies: [PinText] = []
    /// What may stand in a body, or in the header of a response behind it.
    private(set) var unclear: PinText?

    static func begins(_ line: some StringProtocol) -> Bool { line.hasPrefix("HTTP/") }

    init(_ text: String, in file: PinFile, isPinHeader: (PinText) -> Bool) {
        var isHeader = false
        var isBody = false
        var mayHaveNext = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = PinText(line, at: file.place(line: index + 1), isArgument: false)
            if isHeader {
                if content.text.isEmpty { isHeader = false }
                if isPinHeader(content) { headers[headers.count - 1].append(content) }
            } else if !isBody, Self.begins(line) {
                isHeader = true
                headers.append([])
            } else if !content.text.isEmpty {
                isBody = true
                // A body that ends without a line end is followed by the next response on its last line.
                if line.contains("HTTP/") { mayHaveNext = true }
                guard isPinHeader(content) else { continue }
                if mayHaveNext { unclear = unclear ?? content } else { bodies.append(content) }
            }
        }
    }
}
