import LoopbackLab
import Testing
import Text

@Suite struct KeyMaterialTests {
    /// Lines of base64 as a key's have, 64 characters each and 44 at last.
    private static func lines(_ seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return (0..<26).map { index in
            String((0..<(index == 25 ? 44 : 64)).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] })
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func nearlyEveryLineOfAKeyIsTold(seed: UInt64) {
        let lines = Self.lines(seed)
        #expect(lines.count(where: { !KeyMaterial.isLikely($0) }) <= 1)
    }

    @Test(arguments: [
        // The first lines of keys as OpenSSL writes them: EC in PKCS #8 and SEC 1, RSA, Ed25519.
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAbCdEfGhIjKlMnOp",
        "MHcCAQEEIKq3bGx1VZ8n0mYtRcDfEwQjHk7LpU5oXv2SaBz9iTg4oAoGCCqGSM49",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
        "MC4CAQAwBQYDK2VwBCIEIDx9bT0kRz8cV5nQe3wYpLmFhA2sU7gJ1oKiBtXyZvHd",
        "q83bGx1VZ8n0mYtRcDfEwQjHk7LpU5oXv2SaBz9iTg4=",
    ])
    func linesOfKeysAreNotShown(line: String) {
        #expect(KeyMaterial.isLikely(line))
        #expect(quoted(line) == "'(\(line.utf8.count) characters)'")
        #expect(quoted("https://\(line)") == "'https:(\(line.utf8.count + 2) characters)'")
    }

    @Test(arguments: ["robIgS3f/nnTb6gr75Yh+JkU", "m5YWQRja5m1TRzj9Rg7HDSVkD2XdXcTtjQ==", "q83bGx1VZ8n0mYtRcDfEwQ=="])
    func shortLastLinesOfKeysAreNotShown(line: String) {
        #expect(quoted(line) == "'(\(line.utf8.count) characters)'")
        #expect(shortened("x \(line) y") == "x (\(line.utf8.count) characters) y")
        #expect(shortened(line, isPublic: true) == line)
    }

    @Test(arguments: [
        "api.example.com", "/tmp/Ab3dE5fGhI/certs/of-the-server_2", "Pins2024/Production-V2", "TSKPublicKeyHashes",
        "a-rather-long-name-of-a-host-in-some-cluster-of-somebody.example.com",
        "/Users/Somebody/Documents/Projects/Application/Certificates/Production", "xn--r8jz45g.xn--zckzah",
        "0123456789abcdef0123456789abcdef01234567", "CertificatesOfTheServersThatWeTalkToEveryDay",
        "/nix/store/7b3j5p8yq1sdhr0n5c6x2m9w4kfzvla1-openssl/etc", "ip6-allnodes", "",
    ])
    func namesAndPathsAreShown(text: String) {
        #expect(!KeyMaterial.isLikely(text))
        #expect(KeyMaterial.hidden(in: text) == text)
    }

    @Test func armourIsFoundInAnyCaseAndOnOneLine() {
        #expect(KeyMaterial.isArmoured("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n"))
        #expect(KeyMaterial.isArmoured("-----begin ec private  key-----mhccaqeeikq3bgx1vz8n0myt"))
        #expect(!KeyMaterial.isArmoured("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"))
    }
}
