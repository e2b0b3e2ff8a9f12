import Testing

@testable import TLSProbe

/// Which keys a ClientHello sends, read back from its bytes.
@Suite struct ClientHelloTests {
    /// A message with these extensions, as RFC 8446, 4.1.2, has it.
    private func hello(ciphers: [UInt16] = [0x1301], _ extensions: [(kind: UInt16, body: [UInt8])]) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func vector(_ bytes: [UInt8], _ count: Int) -> [UInt8] { number(bytes.count, count) + bytes }
        let body =
            number(0x0303, 2) + [UInt8](repeating: 7, count: 32) + vector([1, 2], 1)
            + vector(ciphers.flatMap { number(Int($0), 2) }, 2) + vector([0], 1)
            + vector(extensions.flatMap { number(Int($0.kind), 2) + vector($0.body, 2) }, 2)
        return [22] + number(0x0301, 2) + vector([1] + vector(body, 3), 2)
    }

    private let extensions: [(kind: UInt16, body: [UInt8])] = [
        (0, [0, 1, 2]), (43, [4, 3, 4, 3, 3]), (10, [0, 4, 0, 0x1d, 0, 0x17]), (13, [0, 2, 8, 4]),
        (51, [0, 5, 0, 0x1d, 0, 1, 9]),
    ]

    @Test func theGroupsAreReadThatKeysAreSentFor() {
        #expect(ClientHello.keyShares(in: hello(ciphers: [0x1301, 0x00ff], extensions)) == [0x1d])
        #expect(ClientHello.keyShares(in: hello([])) == [])
    }

    @Test func noBytesMakeItCrash() {
        let bytes = hello(extensions)
        for count in 0..<bytes.count { #expect(ClientHello.keyShares(in: Array(bytes[..<count])) == nil) }
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 127, 255] {
                var changed = bytes
                changed[index] = value
                _ = ClientHello.keyShares(in: changed)
            }
        }
    }
}
