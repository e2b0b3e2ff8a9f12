import Base
import Pinning

/// Text with pins, one or more a line, or with a host and its pins, as OkHttp writes them; `#` begins a comment.
enum PinLines {
    /// The limit of a list in bytes: room for 20,000 pins.
    static let mostBytes = 1 << 20

    /// `true` if the first line with pins has a host: `*.example.com sha256/…,sha256/…`; `nil` if no line has a pin.
    static func haveHosts(_ file: PinFile) -> Bool? {
        guard file.bytes.count <= mostBytes else { return nil }
        var (result, isFirst): (Bool?, Bool) = (nil, true)
        each(of: file) { line in
            let words = isFirst ? line.pins.prefix(2) : []
            let isOfHost =
                words.count == 2 && (words[0].text.contains(".") || words[0].text == "localhost")
                && !words[0].text.contains("(") && !words[0].isClaimed && words[1].isClaimed
            isFirst = false
            result = isOfHost || line.resemblesPins ? isOfHost : nil
            return result == nil
        }
        return result
    }

    static func read(_ file: PinFile, haveHosts: Bool, into reading: inout PinReading) throws(Problem) {
        guard file.fileExtension != "cer" else {
            throw file.problem(
                .cerNotDER, "is named .cer and is text, not a certificate in DER",
                "AFNetworking skips it or crashes on it; name it .txt")
        }
        var entries: [HostEntry] = []
        // Text without pins is refused once, not line by line.
        var hasProse = false
        each(of: file) { line in
            if let error = PastedText.tlsaRecord(line.text, at: line.place) {
                reading.report(error)
            } else if haveHosts {
                let entry = reading.entry { (reading) throws(Problem) in try self.entry(line, into: &reading) }
                if let entry { entries.append(entry) }
            } else if line.resemblesPins {
                reading.attempt(line.read)
            } else if !hasProse {
                hasProse = true
                var own = PinReading()
                own.attempt(line.read)
                if let first = own.problems.first { reading.report(first) }
            }
            return true
        }
        if haveHosts { reading.add(.okHttp, entries) }
    }

    private static func entry(_ line: PinText, into reading: inout PinReading) throws(Problem) -> HostEntry {
        guard line.text.first != ";" else {
            throw Problem(.notation, at: line.place, "';' begins no comment here", "begin comments with '#'")
        }
        let words = PinText.words(of: line.text).filter { !$0.isEmpty }
        let hosts = try HostText.okHttpPattern(words.first ?? "", at: line.place)
        guard words.count > 1 else {
            throw Problem(
                .missingValue, at: line.place, "the host '\(hosts)' has no pin", "write it after the host: sha256/…")
        }
        let pins = words.dropFirst().compactMap { word in
            reading.attempt { (_) throws(Problem) in try HashText.okHttp(word, at: line.place) }
        }
        reading.noteIfUnmatchable(hosts, by: "OkHttp", at: line.place)
        return HostEntry(hosts: hosts, origin: line.place, identities: .anywhere(pins))
    }

    /// Calls `body` with each line that is not empty, until it returns false; an array of lines takes far more memory.
    static func each(of file: PinFile, _ body: (PinText) -> Bool) {
        guard let text = file.text else { return }
        var rest = text.utf8[...]
        var number = 0
        while !rest.isEmpty {
            number += 1
            let line = rest.prefix { $0 != "\n" }
            rest = rest[line.endIndex...].dropFirst()
            let content = PinText(withoutComment(Substring(line)), at: file.place(line: number), isArgument: false)
            if !content.text.isEmpty, !body(content) { return }
        }
    }

    /// The line without its comment, which begins with `#` at the start or after white space, also a no-break space.
    private static func withoutComment(_ line: Substring) -> Substring {
        var previous: UInt16 = 0x20
        let end = line.utf8.indices.first { index in
            defer { previous = previous << 8 | UInt16(line.utf8[index]) }
            let isBehindBlank = previous & 0xFF == 0x20 || previous & 0xFF == 0x09 || previous == 0xC2A0
            return line.utf8[index] == "#" && isBehindBlank
        }
        return line[..<(end ?? line.endIndex)]
    }
}
