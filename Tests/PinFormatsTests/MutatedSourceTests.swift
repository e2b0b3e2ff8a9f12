import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Random damage to valid sources: whatever comes of it, it comes as pins or as an error of one line.
@Suite(.timeLimit(.minutes(2))) struct MutatedSourceTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func damagedSourcesAreReadOrRefused(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let originals = try Self.originals()
        try TemporaryDirectory.scoped { directory in
            for round in 0..<500 {
                let original = originals[Int(random.next(below: originals.count))]
                let bytes = Self.damaged(original, &random)
                let path = try directory.write(bytes, to: "source")
                check(outcome(path), round)
                check(outcome(path, skippingBadPins: round.isMultiple(of: 2)), round)
                check(outcome(String(decoding: bytes.prefix(4096).filter { $0 != 0 }, as: UTF8.self)), round)
            }
        }
    }

    private func check(_ outcome: Result<PinReading, PinFormatError>, _ round: Int) {
        switch outcome {
        case .success(let reading): #expect(!reading.pins.isEmpty || !reading.configurations.isEmpty)
        case .failure(let error):
            #expect(!error.description.contains { $0.isNewline }, "round \(round)")
            #expect(error.description.count < 1_000)
        }
    }

    private static func originals() throws -> [[UInt8]] {
        let pki = try StandardPKI.shared()
        let a = first.base64
        let b = second.base64
        return [
            pki.leaf.der, Array(pki.leaf.pem.utf8), Array((pki.leaf.pem + "junk\n" + pki.rootA.pem).utf8),
            pki.leaf.key.publicKeyInfo, Array(pki.leaf.key.publicKeyPEM.utf8),
            Array("# pins\nsha256/\(a)\n\(b) # bare\n".utf8), Array("sha256//\(a);sha256//\(b)".utf8),
            Array("pin-sha256=\"\(a)\"; pin-sha256=\"\(b)\"; max-age=1; includeSubDomains".utf8),
            Array(first.hexadecimal.utf8),
        ]
    }

    /// One to four changes: a bit, a byte, a piece cut out, doubled, or replaced by text of the notations.
    static func damaged(_ original: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        let tokens = [
            "sha256/", "sha256//", "pin-sha256=\"", "\"", ";", ",", "=", "-----BEGIN ", "\u{1F512}", "\0", "\n#",
        ]
        var bytes = original
        for _ in 0...random.next(below: 4) where !bytes.isEmpty {
            let position = random.next(below: bytes.count)
            let end = min(bytes.count, position + 1 + random.next(below: 40))
            switch random.next(below: 6) {
            case 0: bytes[position] ^= 1 << UInt8(random.next(below: 8))
            case 1: bytes[position] = UInt8(random.next(below: 256))
            case 2: bytes.removeSubrange(position..<end)
            case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 4: bytes.insert(contentsOf: tokens[random.next(below: tokens.count)].utf8, at: position)
            default: bytes = Array(bytes.prefix(position))
            }
        }
        return bytes
    }
}

/// A generator whose sequence is the same on every machine.
struct SplitMix64 {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) % UInt64(limit))
    }
}
