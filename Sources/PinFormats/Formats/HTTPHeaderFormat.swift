/// The header of an HTTP response, as `curl -I` prints it, or lines of one, with a line `Public-Key-Pins:` (RFC 7469).
struct HTTPHeaderFormat: PinFileFormat {
    private static let enforced = "public-key-pins"
    /// What is told to somebody, and rejects nothing (2.1.5).
    private static let reportOnly = "public-key-pins-report-only"

    func recognises(_ file: PinFile) -> Bool {
        guard file.bytes.count <= PinListFormat.mostBytes, let text = file.text else { return false }
        let isResponse = text.hasPrefix("HTTP/")
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
        var failure: PinFormatError?
        var isEnforced = false
        PinListFormat.eachLine(of: file) { line in
            if Self.name(of: line) == Self.enforced { isEnforced = true }
            return !isEnforced
        }
        var hasRead = false
        PinListFormat.eachLine(of: file) { line in
            let name = Self.name(of: line)
            guard name == Self.enforced || name == Self.reportOnly else { return true }
            guard name == Self.enforced || !isEnforced else {
                collector.note(
                    .notFollowed,
                    at: line.place,
                    "a header that only reports rejects nothing and was passed over"
                )
                return true
            }
            guard !hasRead else {
                collector.note(
                    .notFollowed,
                    at: line.place,
                    "the first of several pin headers counts (RFC 7469, 2.3.1): passed over"
                )
                return true
            }
            hasRead = true
            if name == Self.reportOnly {
                collector.note(.notFollowed, at: line.place, "this header only reports: browsers reject nothing by it")
            }
            do throws(PinFormatError) {
                do throws(PinFormatError) {
                    try line.read(into: &collector)
                } catch {
                    try collector.gather(error)
                }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
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
