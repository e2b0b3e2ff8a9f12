import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// Sources of pins as checks use them: requests, apps, curl's value, pipes.
@Suite(.timeLimit(.minutes(5))) struct PinSourceTests {
    private static let pki = try! StandardPKI.shared()

    @Test func aRequestIsAPublicKeyPinAndSaysSo() async throws {
        let request = pem(try Self.pki.leaf.key.certificationRequest(for: "next"), label: "CERTIFICATE REQUEST")
        try await desk("VERIFY --pins @next.csr", ["next.csr": request]).expect(
            .pass, "  pin matched at depth 0", errors: "next.csr:1: a certificate request: its public key is pinned")
    }

    @Test(
        arguments: [
            ("sha256//$LEAF64 --client curl,okhttp", .pass, ""),
            ("sha256//$LEAF64 --pins $JUNK --client okhttp", .pass, "pins: 2 configured, 1 matched"),
            ("@junk.pub", .fail, "0 matched, 1 not in the chain"),
            // A hash that begins with a slash makes two of one.
            (
                "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", .data,
                "curl takes it for the name of a file, finds none and ends with exit status 90"
            ), ("sha256//$LEAF64;", .data, ""), ("no-such-file", .noInput, ""),
            ("@blanks.pub --client curl", .data, "has blanks in the key, which curl does not pass over"),
        ] as [(String, ExitStatus, String)]) func curlsValueIsAPinBesideTheOthers(
            value: String, status: ExitStatus, words: String
        ) async throws
    {
        let text = Data(Self.pki.leaf.key.publicKeyInfo).base64EncodedString()
        let texts = [
            "junk.pub": Self.pki.junk.key.publicKeyPEM,
            "blanks.pub":
                "-----BEGIN PUBLIC KEY-----\n\(text.prefix(64)) \n\(text.dropFirst(64))\n-----END PUBLIC KEY-----\n",
        ]
        let outcome = try await desk("VERIFY --pinnedpubkey " + value, texts).expect(status)
        #expect(words.isEmpty || (outcome.output + outcome.errors).contains(words), "\(outcome)")
    }

    // MARK: Apps

    /// The certificates of an app's bundle, what follows, how it ends, and words of it.
    @Test(
        arguments: [
            // The right root under a name that only Alamofire takes, another root under one that both take.
            (["root.crt", "old.cer"], "--mode public-key --client alamofire", .pass, ""),
            (["root.crt", "old.cer"], "--mode public-key --client afnetworking", .fail, ""),
            (["root.crt", "old.cer"], "--mode public-key --client afnetworking-3", .fail, ""),
            (
                ["root.crt", "old.cer"], "--mode public-key --client afnetworking,alamofire", .fail,
                "App.app: loaded from the bundle by AFNetworking 4: 'old.cer'; AFNetworking 2 and 3: 'old.cer'; "
                    + "Alamofire: 'old.cer', 'root.crt'"
            ), (["root.crt"], "--client afnetworking", .fail, "AFNetworking 4: none"),
            (["root.cer"], "", .pass, "certificate"),
        ] as [([String], String, ExitStatus, String)]) func eachClientIsJudgedWithTheFilesItLoads(
            certificates: [String], arguments: String, status: ExitStatus, words: String
        ) async throws
    {
        try await Desk.open(["App.app/Info.plist": "<plist><dict></dict></plist>"]) { desk in
            for name in certificates {
                let certificate = name.hasPrefix("root") ? Self.pki.rootA : Self.pki.rootB
                try desk.files.write(certificate.der, to: "App.app/" + name)
            }
            let outcome = await desk("VERIFY --pins @App.app " + arguments).expect(status)
            #expect(words.isEmpty || (outcome.output + outcome.errors).contains(words), "\(outcome)")
        }
    }

    // MARK: Pipes

    @Test(arguments: [
        ("verify @pipe", ExitStatus.noInput), ("verify @chain.pem --anchors @pipe", .noInput),
        ("verify @chain.pem --pins @pipe", .data), ("verify @chain.pem --pinnedpubkey @pipe", .data),
    ]) func aPipeIntoWhichNobodyWritesDoesNotHang(line: String, status: ExitStatus) async throws {
        try await Desk.open { desk in
            try #require(mkfifo(desk.files.path + "/pipe", 0o600) == 0)
            await desk(line).expect(status, errors: "is a pipe without a writer")
        }
    }
}
