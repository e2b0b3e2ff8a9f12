import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Random damage to valid sources: whatever comes of it, it comes as pins or as an error of one line.
@Suite(.timeLimit(.minutes(5))) struct MutatedSourceTests {
    @Test(arguments: Seeds.sample(3)) func damagedSourcesAreReadOrRefused(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let originals = try Self.originals()
        try TemporaryDirectory.scoped { directory in
            for round in 0..<250 {
                let original = originals[Int.random(in: originals.indices, using: &random)]
                let bytes = Self.damaged(original, &random)
                let path = try directory.write(bytes, to: "source")
                check(outcome(path), round)
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
    static func damaged(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let tokens = [
            "sha256/", "sha256//", "pin-sha256=\"", "\"", ";", ",", "=", "-----BEGIN ", "\u{1F512}", "\0", "\n#",
        ]
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let position = Int.random(in: bytes.indices, using: &random)
            let end = min(bytes.count, position + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(position..<end)
            case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 4: bytes.insert(contentsOf: tokens[Int.random(in: tokens.indices, using: &random)].utf8, at: position)
            default: bytes = Array(bytes.prefix(position))
            }
        }
        return bytes
    }
}
