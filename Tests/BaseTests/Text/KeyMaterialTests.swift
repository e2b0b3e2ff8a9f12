import LoopbackLab
import Testing
import Base

@Suite struct KeyMaterialTests {
    /// Lines of base64 as a key's have, 64 characters each and 44 at last.
    private static func lines(_ seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return (0..<26).map { index in
            String((0..<(index == 25 ? 44 : 64)).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] })
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func nearlyEveryLineOfAKeyIsTold(seed: UInt64) {
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
    ]) func linesOfKeysAreNotShown(line: String) {
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
    ]) func namesAndPathsAreShown(text: String) {
        #expect(!KeyMaterial.isLikely(text))
        #expect(KeyMaterial.hidden(in: text) == text)
    }

    @Test(arguments: [
        // As `xxd -p` writes keys (SEC 1, PKCS #8 of Ed25519), a later line of it, and one of `openssl pkey -text`.
        "30770201010420aab6dc6c7555",
        "302e020100300506032b657004220420f4a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f",
        "5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9a1b2c3",
        "5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F9A1B2C3", "5c:38:5a:90:1b:2c:3d:4e:5f:60:71:82:93:a4:b5:",
    ]) func digitsOfKeysAreNotShown(line: String) {
        let line = line.hasPrefix("3077") ? line + String(repeating: "1b", count: 100) : line
        #expect(KeyMaterial.isLikely(line))
        #expect(quoted(line) == "'(\(line.utf8.count) characters)'")
        #expect(quoted("a \(line) b") == "'a (\(line.utf8.count) characters) b'")
    }

    @Test(arguments: [40, 56, 64, 96, 128]) func hashesInDigitsAreShown(count: Int) {
        let hash = String(String(repeating: "9f3c", count: 32).prefix(count))
        #expect(KeyMaterial.hidden(in: hash) == hash)
        let pairs = stride(from: 0, to: count, by: 4).map { _ in "9f:3c" }.joined(separator: ":")
        #expect(KeyMaterial.hidden(in: pairs) == pairs)
    }

    @Test func certificatesAndPublicKeysInDigitsAreShown() {
        for start in ["308201f43082019a", "3059301306072a86", "3082010a3082"] {
            let digits = start + String(repeating: "7d", count: 200)
            #expect(KeyMaterial.hidden(in: digits) == digits)
        }
        #expect(
            KeyMaterial.hidden(in: "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff") == "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff"
        )
    }

    @Test func armourIsFoundInAnyCaseAndOnOneLine() {
        #expect(KeyMaterial.isArmoured("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n"))
        #expect(KeyMaterial.isArmoured("-----begin ec private  key-----mhccaqeeikq3bgx1vz8n0myt"))
        #expect(!KeyMaterial.isArmoured("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"))
    }
}
