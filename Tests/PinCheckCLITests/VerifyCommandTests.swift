import Base
import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck verify` over files; what it says of the usual ones is in ``GoldenTests``.
@Suite(.endsSomeTime) struct VerifyCommandTests {
    /// A pinned self-signed certificate gets the advice of AFNetworking only if Apple takes it as an app's own anchor.
    @Test(arguments: [(90, "is enough"), (900, "is not enough")] as [(Int64, String)])
    func theAdviceOnASelfSignedPinIsApples(days: Int64, words: String) async throws {
        let box = try LabCertificate.selfSigned(
            CertificateTemplate.leaf(host).valid(from: LabClock.now, to: LabClock.now + days * LabClock.day))
        let desk = try Desk(["box.pem": box.pem])
        try desk.files.write(box.der, to: "box.cer")
        await desk.expect(
            "verify @box.pem --host $HOST --client afnetworking --pins @box.cer",
            "fail self-signed: its pin \(words) with allowInvalidCertificates = YES")
    }

    @Test(arguments: [
        ("VERIFY --at 1999-01-01T00:00:00Z", "fail not-yet-valid"),
        ("verify @leaf.cer --anchors @inter.cer", "pass trusted-without-pins"),
        // Anchors stand alone unless the system is added; its store has the root here.
        ("verify @chain.pem --host $HOST --anchors @other.pem", "fail unknown-issuer"),
        ("verify @chain.pem --host $HOST --anchors @other.pem --and-system", "pass trusted-without-pins"),
        ("verify @chain.pem --host $HOST --anchors @other.pem --anchors @root.pem", "pass trusted-without-pins"),
        ("verify @chain.pem --host $HOST --anchors $DIR", "pass trusted-without-pins"),
        // What AFNetworking itself answers when it was given no pins.
        ("VERIFY --mode certificate", "fail no-pins"),
        // A malformed name is a verdict and never skips the check.
        ("verify @chain.pem --anchors @root.pem --verify-name $HOST\0", "fail name-mismatch"),
        ("verify @chain.pem --anchors @root.pem --verify-name https://$HOST", "fail name-mismatch"),
    ]) func aChainIsJudgedByWhatIsGiven(line: String, decision: String) async throws {
        let desk = try Desk()
        let outcome = await desk(line + " -f json", environment: ["SSL_CERT_FILE": "$DIR/root.pem"], at: LabClock.now)
        #expect(isPlain(outcome.expect(decision).output))
    }

    @Test(arguments: [
        ("--pins @root.cer", "certificate"), ("--pins $LEAF", "public-key"),
        ("--pins @root.cer --pins $LEAF", "public-key"), ("", "none"), ("--pins @root.cer --mode none", "none"),
    ]) func certificateFilesAloneMeanCertificateModeAndOthersPublicKeyMode(pins: String, mode: String) async throws {
        try await Desk().expect("VERIFY -f json \(pins)", "pass: \"mode\" : \"\(mode)\"")
    }

    @Test func filesThatHoldNoChainEndWith65AndMissingOnesWith66() async throws {
        let bundle = signedData(of: served)
        let secret = String(repeating: "c2VjcmV0", count: 8)
        let desk = try Desk([
            "empty": "", "prose": "no certificate here\n", "cut.pem": String(pki.leaf.pem.prefix(200)),
            "pkcs7.pem": LoopbackLab.pem(bundle, label: "PKCS7"), "none/x/y": "",
            "key.pem": "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----\n",
        ])
        for (bytes, name) in [
            (Array(pki.leaf.der.dropLast(10)), "cut.cer"), (pki.leaf.der + [0], "tail.cer"), (bundle, "pkcs7.der"),
        ] { try desk.files.write(bytes, to: name) }
        for name in ["empty", "prose", "cut.pem", "cut.cer", "tail.cer", "pkcs7.pem", "pkcs7.der"] {
            let isBundle = name.hasPrefix("pkcs7")
            let outcome = await desk.expect(
                "verify @\(name) --anchors @root.pem",
                "data: Error: '$DIR/\(name)' \(isBundle ? "is a PKCS #7 bundle, whose certificates are in no order: " : "")"
            )
            #expect(outcome.output.isEmpty && outcome.errors.count(where: \.isNewline) == 1, "\(outcome)")
            await desk.expect("verify @leaf.pem --anchors @\(name)", "data")
        }
        for line in ["verify @key.pem", "verify @chain.pem --anchors @key.pem", "VERIFY --pins @key.pem"] {
            await desk.expect(line, "data").says(not: "c2VjcmV0")
        }
        for line in [
            "verify @missing.pem", "verify $DIR", "verify ''", "verify @none", "verify @leaf.pem --anchors @missing",
            "verify @leaf.pem --anchors @none", "verify @leaf.pem --pins @none",
        ] { await desk.expect(line, "noInput") }
    }

    /// The client, its pins, and whether it is warned that a CA is pinned beside the leaf, or told in a note that only CAs are.
    @Test(arguments: [
        ("afnetworking", "chain", "warnings"), ("alamofire", "chain", "warnings"), ("okhttp", "chain", "warnings"),
        ("trustkit", "chain", "warnings"), ("android", "chain", "warnings"), ("afnetworking", "authorities", "notes"),
        ("okhttp", "authorities", "notes"), ("alamofire", "two", ""), ("trustkit", "two", ""),
        // Self-signed certificates of the leaf's key that OpenSSL made are those of CAs.
        ("okhttp", "own", ""), ("trustkit", "own", ""), ("android", "own", ""),
    ]) func anAuthorityPinnedBesideTheLeafIsWarnedOf(client: String, pins: String, place: String) async throws {
        let own = try LabCertificate.selfSigned(.authority("Leaf"), key: pki.leaf.key)
        // TrustKit starts with two pins only.
        let texts = [
            "authorities.pem": pki.interA.pem + pki.rootA.pem, "own.pem": own.pem + pki.leaf2.pem,
            "two.pem": pki.leaf.pem + pki.leaf2.pem,
        ]
        let report = try await Desk(texts).expect("VERIFY --client \(client) --pins @\(pins).pem", "pass pin-matched")
            .json
        let found = ["warnings", "notes"].filter { key in
            report[key].array.contains { $0["id"].text == "authority-pin" }
        }
        #expect(found == (place.isEmpty ? [] : [place]))
    }
}
