/// Text with pins: one or more a line, in any notation of strings; empty lines and comments (`#`) are passed over.
struct PinListFormat: PinFileFormat {
    /// The size in bytes above which text is no list of pins: room for 20,000 of them.
    static let mostBytes = 1 << 20

    func recognises(_ file: PinFile) -> Bool {
        guard file.bytes.count <= Self.mostBytes else { return false }
        var isList = false
        Self.eachLine(of: file) { line in
            isList = line.resemblesPins
            return !isList
        }
        return isList
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        guard file.fileExtension != "cer" else {
            throw PinFormatError(
                .cerNotDER, at: file.place, "is named .cer and is text, not a certificate in DER",
                remedy: "AFNetworking skips it or crashes on it; name it .txt")
        }
        var failure: PinFormatError?
        Self.eachLine(of: file) { line in
            do throws(PinFormatError) {
                do throws(PinFormatError) { try line.read(into: &collector) } catch { try collector.skip(error) }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Whether a line begins with a pin, or is a record of DNS, as none in a program does.
    static func hasPinsOfTheirOwn(_ file: PinFile) -> Bool {
        var isFound = false
        eachLine(of: file) { line in
            isFound =
                WordScanner(line.text).prefix(1).contains { first in
                    PinNotation.isClaimed(by: first.word) || PinNotation.resemblesHash(first.word)
                } || TLSARecordLine(String(line.text)) != nil
            return !isFound
        }
        return isFound
    }

    /// Calls `body` with each line that is not empty, until it returns false.
    ///
    /// One line at a time: the list of all of them would take many times the memory of the file.
    static func eachLine(of file: PinFile, _ body: (PinText) -> Bool) {
        guard let text = file.text else { return }
        var rest = text.utf8[...]
        var number = 0
        while !rest.isEmpty {
            number += 1
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            let content = PinText(Self.withoutComment(Substring(line)), at: file.place(line: number), isArgument: false)
            if !content.text.isEmpty, !body(content) { return }
        }
    }

    /// A comment begins with a `#` at the start of the line or after white space, a no-break space among it.
    private static func withoutComment(_ line: Substring) -> Substring {
        var previous: UInt16 = 0x20
        let end = line.utf8.indices.first { index in
            defer { previous = previous << 8 | UInt16(line.utf8[index]) }
            let isBehindBlank = previous & 0xFF == 0x20 || previous & 0xFF == 0x09 || previous == 0xC2A0
            return line.utf8[index] == UInt8(ascii: "#") && isBehindBlank
        }
        return line[..<(end ?? line.endIndex)]
    }
}
