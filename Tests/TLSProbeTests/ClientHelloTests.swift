import Testing

@testable import TLSProbe

/// What a ClientHello says, read back from its bytes.
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

    @Test func everythingOfferedIsRead() {
        let offered = ClientHello(bytes: hello(ciphers: [0x1301, 0x00ff], extensions)).offered
        var expected = ClientHello.Offered()
        expected.versions = [0x0304, 0x0303]
        expected.ciphers = [0x1301, 0x00ff]
        expected.groups = [0x1d, 0x17]
        expected.keyShares = [0x1d]
        expected.signatureAlgorithms = [0x0804]
        #expect(offered == expected)
    }

    @Test func withoutExtensionsTheVersionIsThatOfTheMessage() {
        #expect(ClientHello(bytes: hello([])).offered?.versions == [0x0303])
    }

    @Test func noBytesMakeItCrash() {
        let bytes = hello(extensions)
        for count in 0..<bytes.count { #expect(ClientHello(bytes: Array(bytes[..<count])).offered == nil) }
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 127, 255] {
                var changed = bytes
                changed[index] = value
                _ = ClientHello(bytes: changed).offered
            }
        }
    }

    @Test func numbersHaveOpenSSLsNamesOrTheirOwn() {
        #expect(
            CipherNames.names(of: [0x1301, 0xc02f, 0xfafa]) == [
                "TLS_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "0xfafa",
            ])
        #expect(HelloNames.group(0x11ec) == "X25519MLKEM768" && HelloNames.group(0x0a0a) == "0x0a0a")
        #expect(HelloNames.signatureAlgorithm(0x0804) == "rsa_pss_rsae_sha256")
        #expect(HelloNames.version(0x0304) == "TLSv1.3" && HelloNames.version(0x7f1c) == "0x7f1c")
    }

    @Test func wordsAreThoseOfThisOpenSSL() throws {
        #expect(try OfferWords.read("X25519:P-256", of: .groups) == ["X25519", "P-256"])
        #expect(try OfferWords.read("HIGH,!aNULL", of: .ciphers) == ["HIGH", "!aNULL"])
        #expect(throws: UnknownOfferWord.self) { try OfferWords.read("X25519 P-256", of: .groups) }
        #expect(throws: UnknownOfferWord.self) { try OfferWords.read("HIGH:!nonsense", of: .ciphers) }
        #expect(throws: UnknownOfferWord.self) { try OfferWords.read("RSA+nonsense", of: .signatureAlgorithms) }
    }
}
