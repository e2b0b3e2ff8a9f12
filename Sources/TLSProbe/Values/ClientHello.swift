/// The first message of a handshake as it was sent (RFC 8446, 4.1.2), which says what was offered.
package struct ClientHello: Sendable, Hashable {
    /// The bytes on the wire, the header of the record among them.
    package let bytes: [UInt8]

    /// What stands among the cipher suites and is none (RFC 5746, 3.3).
    package static let renegotiationSignal: UInt16 = 0x00ff

    /// A message that was sent.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// What it offers, each in order.
    package struct Offered: Sendable, Hashable {
        /// The versions; before TLS 1.3 the highest alone.
        package var versions: [UInt16] = []
        /// The cipher suites.
        package var ciphers: [UInt16] = []
        /// The groups of the key exchange.
        package var groups: [UInt16] = []
        /// The groups that a key was sent for.
        package var keyShares: [UInt16] = []
        /// The algorithms that the server may sign with.
        package var signatureAlgorithms: [UInt16] = []
    }

    /// What it offers, `nil` for bytes that are no such message.
    package var offered: Offered? {
        // One record: no client's is longer than the 16 KiB that one holds.
        var reader = Reader(bytes[...])
        guard reader.byte() == 22, reader.number() != nil, var record = reader.vector(lengthOf: 2), record.byte() == 1,
            var hello = record.vector(lengthOf: 3), let version = hello.number(), hello.skip(32),
            hello.vector(lengthOf: 1) != nil, var ciphers = hello.vector(lengthOf: 2), hello.vector(lengthOf: 1) != nil
        else { return nil }
        var offered = Offered(versions: [version], ciphers: ciphers.numbers())
        guard var extensions = hello.vector(lengthOf: 2) else { return offered }
        while let kind = extensions.number(), var body = extensions.vector(lengthOf: 2) {
            switch kind {
            case 10: offered.groups = body.list(lengthOf: 2)
            case 13: offered.signatureAlgorithms = body.list(lengthOf: 2)
            case 43: offered.versions = body.list(lengthOf: 1)
            case 51:
                guard var shares = body.vector(lengthOf: 2) else { continue }
                while let group = shares.number(), shares.vector(lengthOf: 2) != nil { offered.keyShares.append(group) }
            default: break
            }
        }
        return offered
    }

    /// Reads TLS's presentation language (RFC 8446, 3).
    private struct Reader {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func byte() -> UInt8? { rest.popFirst() }

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

        mutating func numbers() -> [UInt16] {
            var found: [UInt16] = []
            while let number = number() { found.append(number) }
            return found
        }

        mutating func list(lengthOf size: Int) -> [UInt16] {
            var list = vector(lengthOf: size)
            return list?.numbers() ?? []
        }
    }
}
