/// The header of an HTTP response, as `curl -I` prints it, with a line `Public-Key-Pins:` (RFC 7469).
struct HTTPHeaderFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool {
        guard file.bytes.count <= PinListFormat.mostBytes, file.text?.hasPrefix("HTTP/") == true else { return false }
        var isFound = false
        PinListFormat.eachLine(of: file) { line in
            isFound = Self.isPinLine(line)
            return !isFound
        }
        return isFound
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        var failure: PinFormatError?
        PinListFormat.eachLine(of: file) { line in
            guard Self.isPinLine(line) else { return true }
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

    private static func isPinLine(_ line: PinText) -> Bool {
        line.text.prefix(15).lowercased() == "public-key-pins"
    }
}
