internal import Pinning

/// Text with pins: one or more a line, or a host and its pins as OkHttp writes them; empty lines and comments (`#`) are passed over.
enum PinLines {
    /// The size in bytes above which text is no list of pins: room for 20,000 of them.
    static let mostBytes = 1 << 20

    /// Whether the first line is a host with a pin: `*.example.com sha256/…,sha256/…`.
    static func haveHosts(_ file: PinFile) -> Bool {
        guard file.bytes.count <= mostBytes else { return false }
        var isFound = false
        each(of: file) { line in
            let words = WordScanner(line.text).prefix(2).map(\.word)
            isFound =
                words.count == 2 && words[0].contains(".") && !words[0].contains("(")
                && !PinNotation.isClaimed(by: words[0]) && PinNotation.isClaimed(by: words[1])
            return false
        }
        return isFound
    }

    /// Whether a line is meant to be a pin.
    static func havePins(_ file: PinFile) -> Bool {
        guard file.bytes.count <= mostBytes else { return false }
        var isFound = false
        each(of: file) { line in
            isFound = line.resemblesPins
            return !isFound
        }
        return isFound
    }

    /// Reads the pins of a list, those of each host where it has hosts.
    static func read(_ file: PinFile, haveHosts: Bool, into collector: inout PinCollector) throws(PinFormatError) {
        guard file.fileExtension != "cer" else {
            throw PinFormatError(
                .cerNotDER, at: file.place, "is named .cer and is text, not a certificate in DER",
                remedy: "AFNetworking skips it or crashes on it; name it .txt")
        }
        var entries: [HostEntry] = []
        var failure: PinFormatError?
        /// Prose is said to be none once, not line by line.
        var hasProse = false
        each(of: file) { line in
            do throws(PinFormatError) {
                if let error = TLSAText.refusal(line.text, at: line.place) {
                    try collector.gather(error)
                } else if haveHosts {
                    let entry = try collector.entry { (collector) throws(PinFormatError) in
                        try self.entry(line, into: &collector)
                    }
                    if let entry { entries.append(entry) }
                } else if line.resemblesPins {
                    do throws(PinFormatError) { try line.read(into: &collector) } catch { try collector.gather(error) }
                } else if !hasProse {
                    hasProse = true
                    var own = PinCollector(.refused)
                    do throws(PinFormatError) { try line.read(into: &own) } catch { try collector.gather(error) }
                    collector.add(own)
                }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        if haveHosts { collector.add(PinConfiguration(.okHttp, entries: entries)) }
    }

    /// The entry of one line, which is not empty.
    private static func entry(_ line: PinText, into collector: inout PinCollector) throws(PinFormatError) -> HostEntry {
        guard line.text.first != ";" else {
            throw PinFormatError(
                .notation, at: line.place, "';' begins no comment here", remedy: "begin comments with '#'")
        }
        var words = WordScanner(line.text)
        let hosts = try HostText.okHttpPattern(words.next()?.word ?? "", at: line.place)
        var pins: [Pin] = []
        var isBare = true
        for found in words where !found.word.isEmpty {
            isBare = false
            do throws(PinFormatError) { pins.append(try HashText.okHttp(found.word, at: line.place)) } catch {
                try collector.gather(error)
            }
        }
        guard !isBare else {
            throw PinFormatError(
                .missingValue, at: line.place, "the host '\(hosts)' has no pin",
                remedy: "write it after the host: sha256/…")
        }
        collector.noteIfUnmatchable(hosts, by: "OkHttp", at: line.place)
        return HostEntry(hosts: hosts, origin: line.place.description, identities: .anywhere(pins))
    }

    /// Calls `body` with each line that is not empty, until it returns false.
    ///
    /// One line at a time: the list of all of them would take many times the memory of the file.
    static func each(of file: PinFile, _ body: (PinText) -> Bool) {
        guard let text = file.text else { return }
        var rest = text.utf8[...]
        var number = 0
        while !rest.isEmpty {
            number += 1
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            let content = PinText(withoutComment(Substring(line)), at: file.place(line: number), isArgument: false)
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
