import Base
import LoopbackLab
import Testing

@Suite struct KeyMaterialTests {
    /// Lines of base64 as a key's have, 64 characters each and 44 at last.
    private static func lines(_ seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return (0..<26).map { index in
            String((0..<(index == 25 ? 44 : 64)).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] })
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func ofLinesOfAKeyTheBeginningIsShown(seed: UInt64) {
        for line in Self.lines(seed) { #expect(KeyMaterial.cut("x \(line) y") == "x \(line.prefix(8))… y") }
    }

    @Test(arguments: [
        // Lines of keys as OpenSSL writes them: EC in PKCS #8 and SEC 1, RSA, Ed25519, and short last ones.
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAbCdEfGhIjKlMnOp",
        "MHcCAQEEIKq3bGx1VZ8n0mYtRcDfEwQjHk7LpU5oXv2SaBz9iTg4oAoGCCqGSM49",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
        "MC4CAQAwBQYDK2VwBCIEIDx9bT0kRz8cV5nQe3wYpLmFhA2sU7gJ1oKiBtXyZvHd", "robIgS3f/nnTb6gr75Yh+JkU",
        "m5YWQRja5m1TRzj9Rg7HDSVkD2XdXcTtjQ==", "q83bGx1VZ8n0mYtRcDfEwQ==",
        // As `xxd -p` writes them, and one of `openssl pkey -text`.
        "302e020100300506032b657004220420f4a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f",
        "5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F9A1B2C3", "5c:38:5a:90:1b:2c:3d:4e:5f:60:71:82:93:a4:b5:",
    ]) func noMoreIsShownOfALineThanItsBeginning(line: String) {
        #expect(quoted(line) == "'\(line.prefix(8))…'")
        #expect(shortened("a \(line) b") == "a \(line.prefix(8))… b")
        #expect(shortened(line, isPublic: true) == line)
    }

    @Test(arguments: [
        "api.example.com", "Pins2024/Production-V2", "TSKPublicKeyHashes", "--no-validate-domain-name",
        "a-rather-long-name-of-a-host-in-some-cluster-of-somebody.example.com",
        "/Users/Somebody/Documents/Projects/Application/Certificates/Production", "xn--r8jz45g.xn--zckzah",
        "CertificatesOfTheServersThatWeTalkToEveryDay", "res/xml/network_security_config.xml",
        "/nix/store/7b3j5p8yq1sdhr0n5c6x2m9w4kfzvla1-openssl/etc", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff",
        "20:01:0d:b8:aa:bb:cc:dd", "2026-11-24T08:00:00Z", "",
    ]) func namesAndPathsAreShown(text: String) { #expect(KeyMaterial.cut(text) == text) }

    @Test func armourIsFoundInAnyCaseAndOnOneLine() {
        #expect(KeyMaterial.isArmoured("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n"))
        #expect(KeyMaterial.isArmoured("-----begin ec private  key-----mhccaqeeikq3bgx1vz8n0myt"))
        #expect(!KeyMaterial.isArmoured("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"))
    }
}
