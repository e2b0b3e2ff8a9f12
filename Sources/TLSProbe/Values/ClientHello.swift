/// The first message of a handshake (RFC 8446, 4.1.2), as far as it says what it costs.
enum ClientHello {
    /// The groups that a key is sent for in the record with the message; `nil` for bytes that are none.
    static func keyShares(in record: [UInt8]) -> [UInt16]? {
        // One record: no client's is longer than the 16 KiB that one holds.
        var reader = Reader(record[...])
        guard reader.skip(3), var record = reader.vector(lengthOf: 2), record.skip(1),
            var hello = record.vector(lengthOf: 3), hello.skip(34), hello.vector(lengthOf: 1) != nil,
            hello.vector(lengthOf: 2) != nil, hello.vector(lengthOf: 1) != nil
        else { return nil }
        var groups: [UInt16] = []
        guard var extensions = hello.vector(lengthOf: 2) else { return groups }
        while let kind = extensions.number(), var body = extensions.vector(lengthOf: 2) {
            guard kind == 51, var shares = body.vector(lengthOf: 2) else { continue }
            while let group = shares.number(), shares.vector(lengthOf: 2) != nil { groups.append(group) }
        }
        return groups
    }

    /// Reads TLS's presentation language (RFC 8446, 3).
    private struct Reader {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func number() -> UInt16? {
            guard rest.count >= 2, let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
            return UInt16(high) << 8 | UInt16(low)
        }

        mutating func skip(_ count: Int) -> Bool {
            guard rest.count >= count else { return false }
            rest = rest.dropFirst(count)
            return true
        }

        mutating func vector(lengthOf size: Int) -> Reader? {
            guard rest.count >= size else { return nil }
            let length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= size + length else { return nil }
            defer { rest = rest.dropFirst(size + length) }
            return Reader(rest.dropFirst(size).prefix(length))
        }
    }
}
