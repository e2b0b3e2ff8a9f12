import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// As many pins as a file may hold: what is compared with each other pin takes longer than the tests may.
@Suite(.timeLimit(.minutes(1))) struct ManyPinsTests {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    private static func stranger(_ number: Int) -> SHA256Digest {
        SHA256Digest(bytes: (0..<32).map { UInt8(truncatingIfNeeded: $0 < 4 ? number >> (8 * $0) : 7) })!
    }

    /// Runs `verify` on the lab's good chain with pins of strangers, and at the end that of the leaf.
    private func verify(_ count: Int, client: String, _ line: (SHA256Digest) -> String) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let own = try #require(SHA256Digest(bytes: pki.leaf.publicKeySHA256))
            let text = ((1..<count).map(Self.stranger) + [own]).map { line($0) + "\n" }.joined()
            let pins = try files.write(Array(text.utf8), to: "pins")
            return await pincheck(
                "verify", chain, "--anchors", anchors, "--pins", pins, "--client", client, "--host",
                StandardPKI.serverName)
        }
    }

    @Test func manyPinsOfAListAreComparedOnce() async throws {
        let outcome = try await verify(19_000, client: "okhttp,android") { "sha256/\($0.base64)" }
        #expect(outcome.status == .pass, "\(outcome.errors)")
        #expect(outcome.output.contains("pins: 19000 configured, 1 matched (leaf), 18999 not in the chain (backup)"))
    }
}
