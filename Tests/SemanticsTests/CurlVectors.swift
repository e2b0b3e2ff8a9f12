import LoopbackLab
@testable import PinFormats
import Pinning
import Testing

@Suite("curl decides as the decision table's vectors 137 to 141 say") struct CurlVectors {
    static let key = try! Certificate(pki.leaf).publicKey
    static let other = try! Certificate(pki.junk).publicKey.spkiSHA256.base64
    static let hash = key.spkiSHA256.base64

    /// Values of `--pinnedpubkey`, and whether curl finds the leaf's key in them.
    static let values: [(String, String, Bool)] = [
        ("137", "sha256//\(other);sha256//\(hash)", true), ("137 (one)", "sha256//\(hash)", true),
        // curl looks for ';sha256//': measured with curl 7.88.
        ("137 (between)", "sha256//\(other);\(hash);sha256//\(hash)", true),
        ("137 (empty)", "sha256//\(other);;sha256//\(hash)", true),
        ("137 (semicolon at the end)", "sha256//\(hash);", false),
        ("137 (other words behind)", "sha256//\(hash);x", false),
        ("137 (space)", "sha256//\(other); sha256//\(hash)", false), ("140 (one slash)", "sha256/\(hash)", false),
        ("140 (unpadded)", "sha256//" + hash.dropLast(), false), ("140 (no prefix)", hash, false),
        ("140 (case)", "SHA256//\(hash)", false),
    ]

    @Test(arguments: values) func `vectors 137 and 140: the text is compared, never decoded`(
        _ number: String, value: String, expected: Bool
    ) { #expect((CurlValue.hashes(in: value) ?? []).contains(Self.hash) == expected, "vector \(number)") }

    @Test(arguments: ["leaf.cer", "sha256/AAAA", "sha256:AAAA", ""])
    func `vectors 139 and 140: anything else is the name of a file`(_ value: String) {
        #expect(CurlValue.hashes(in: value) == nil)
    }

    static let vectors = [
        ClientVector("137", Curl(), .ordinary(pins: [pki.junk, pki.leaf]), "pin-matched"),
        ClientVector("138", Curl(isInsecure: true), .ordinary(pins: [pki.junk], system: []), "pin-mismatch"),
        ClientVector("138 (right)", Curl(isInsecure: true), .ordinary(pins: [pki.leaf], system: []), "pin-matched"),
        ClientVector(
            "138 (name)", Curl(isInsecure: true), .ordinary(pins: [pki.leaf], host: "www.example.org"), "pin-matched"),
        ClientVector("A8 (secure)", Curl(), .ordinary(pins: [pki.leaf], system: []), "unknown-issuer"),
        ClientVector("A8 (name)", Curl(), .ordinary(pins: [pki.leaf], host: "www.example.org"), "name-mismatch"),
        ClientVector("141", Curl(), .ordinary(pins: [pki.interA]), "pin-mismatch"),
        ClientVector("A8 (no pin)", Curl(), .ordinary(), "trusted-without-pins"),
        ClientVector("A8 (nothing)", Curl(isInsecure: true), .ordinary(system: []), "everything-accepted"),
        ClientVector(
            "A8 (incomplete)", Curl(), .ordinary(pins: [pki.leaf, pki.interA], presented: [pki.leaf], hashes: false),
            "unknown-issuer"),
    ]

    @Test(arguments: vectors) func `the verdict and its reason are those of the table`(_ vector: ClientVector) throws {
        try vector.check()
    }

    @Test func `vectors 138 and 141: the step names curl's exit status and the warning the cause`() throws {
        for index in [1, 6] {
            let verdict = try Self.vectors[index].check()
            #expect(verdict.trace.last?.detail.contains("exit status 90") == true)
        }
        #expect(try Self.vectors[6].check().warnings.map(\.id) == ["leaf-only"])
    }
}
