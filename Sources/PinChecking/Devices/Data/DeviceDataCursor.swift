/// Reads numbers and texts one after the other, and never beyond the end.
struct DeviceDataCursor {
    let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    let end: Int

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int, to end: Int) {
        self.bytes = bytes
        self.offset = offset
        self.end = end
    }

    mutating func bytes(_ count: Int) throws(DeviceDataError) -> UnsafeRawBufferPointer.SubSequence {
        guard count <= end - offset else { throw DeviceDataError(.truncated(expected: offset + count), at: end) }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// A number of so many bytes, at most 4.
    mutating func number(_ size: Int) throws(DeviceDataError) -> Int { try bytes(size).reduce(0) { $0 << 8 | Int($1) } }

    /// A text after its length in so many bytes.
    mutating func text(_ sizeOfLength: Int, _ what: String, hasLines: Bool = false) throws(DeviceDataError) -> String {
        let start = offset
        let bytes = try bytes(number(sizeOfLength))
        // Nearly all of them; what Unicode says of each letter would be a tenth of a whole check.
        if bytes.allSatisfy({ (0x20...0x7e).contains($0) || hasLines && $0 == 0x0a }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ scalar in
                hasLines && scalar == "\n"
                    || scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
            })
        else { throw DeviceDataError(.notText(what), at: start) }
        return text
    }
}
