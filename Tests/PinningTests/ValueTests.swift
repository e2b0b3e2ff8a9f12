import Pinning
import Testing

@Suite("Values are written in the notations people paste") struct ValueTests {
    @Test func `a digest has exactly 32 bytes`() {
        #expect(SHA256Digest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
        #expect(SHA256Digest(bytes: [UInt8](repeating: 0, count: 33)) == nil)
        #expect(SHA256Digest(bytes: [UInt8](repeating: 0, count: 32)) != nil)
    }

    @Test func `a digest is written as OkHttp writes a pin`() throws {
        // SHA-256 of nothing, a value everybody can check.
        let bytes: [UInt8] = [
            0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9, 0x24, 0x27, 0xAE,
            0x41, 0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52, 0xB8, 0x55,
        ]
        let digest = try #require(SHA256Digest(bytes: bytes))
        #expect(digest.description == "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        #expect(digest.hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (1_590_969_600, "2020-06-01T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"),
    ]) func `a timestamp is written as RFC 3339`(seconds: Int64, expected: String) {
        #expect(Timestamp(secondsSinceEpoch: seconds).description == expected)
        #expect(Timestamp(secondsSinceEpoch: seconds).date == expected.prefix(10))
    }

    @Test func `the ends of time do not overflow`() {
        #expect(!Timestamp(secondsSinceEpoch: .max).description.isEmpty)
        #expect(!Timestamp(secondsSinceEpoch: .min).description.isEmpty)
        #expect(Timestamp(secondsSinceEpoch: .max).advanced(bySeconds: 1) == Timestamp(secondsSinceEpoch: .max))
        #expect(Timestamp(secondsSinceEpoch: .min).advanced(bySeconds: -1) == Timestamp(secondsSinceEpoch: .min))
    }

    @Test func `an empty pin set cannot exist`() {
        #expect(PinSet([]) == nil)
        #expect(PresentedChain([]) == nil)
    }
}
