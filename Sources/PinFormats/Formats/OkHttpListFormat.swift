internal import Pinning

/// Lists of hosts and OkHttp pins: `*.example.com sha256/…,sha256/…`, a host a line.
struct OkHttpListFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool {
        guard file.bytes.count <= PinListFormat.mostBytes else { return false }
        var isList = false
        PinListFormat.eachLine(of: file) { line in
            let words = WordScanner(line.text).prefix(2).map(\.word)
            isList = words.count == 2 && Self.resemblesHost(words[0]) && PinNotation.isClaimed(by: words[1])
            return false
        }
        return isList
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        var entries: [HostEntry] = []
        var failure: PinFormatError?
        PinListFormat.eachLine(of: file) { line in
            do throws(PinFormatError) {
                let entry = try collector.entry { (collector) throws(PinFormatError) in
                    try Self.entry(line, into: &collector)
                }
                if let entry { entries.append(entry) }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        collector.add(PinConfiguration(.okHttp, entries: entries))
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
                try collector.skip(error)
            }
        }
        guard !pins.isEmpty || collector.isGathering && !isBare else {
            throw PinFormatError(
                .missingValue, at: line.place, "the host '\(hosts)' has no pin",
                remedy: "write it after the host: sha256/…")
        }
        collector.noteIfUnmatchable(hosts, by: "OkHttp", at: line.place)
        return HostEntry(hosts: hosts, origin: line.place.description, identities: .anywhere(pins))
    }

    private static func resemblesHost(_ word: Substring) -> Bool {
        word.contains(".") && !word.contains("(") && !PinNotation.isClaimed(by: word)
    }
}
