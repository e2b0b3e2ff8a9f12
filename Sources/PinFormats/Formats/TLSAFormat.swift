internal import Base
internal import Pinning

/// DNS records, as a zone file or `dig` has them.
struct TLSAFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool {
        guard let text = file.text, file.bytes.count <= PinListFormat.mostBytes else { return false }
        var isFound = false
        _ = ZoneLines.forEach(in: text) { line, _ in
            isFound = TLSARecordLine(line) != nil
            return !isFound && (line.hasPrefix("$") || ZoneRecord(line) != nil)
        }
        return isFound
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        var zone = ZoneReader()
        var failure: PinFormatError?
        let problem = ZoneLines.forEach(in: file.text ?? "") { line, number in
            do throws(PinFormatError) {
                try zone.read(line, at: file.place(line: number), into: &collector)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        if let problem {
            throw PinFormatError(
                .badRecord, at: file.place(line: problem.line),
                "the zone has \(problem.reason), so that its records cannot be told apart",
                remedy: "give the zone as a server loads it")
        }
        collector.add(PinConfiguration(.tlsa, entries: try ZoneEntries.entries(of: zone, &collector)))
    }
}
