import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Sources of pins as checks use them: requests, apps, curl's value, pipes.
@Suite(.timeLimit(.minutes(5))) struct PinSourceTests {
    @Test func aKeyThatCurlDoesNotReadIsRefusedAsItsValue() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "root.pem")
            let text = Data(pki.leaf.key.publicKeyInfo).base64EncodedString()
            let key = try files.write(
                "-----BEGIN PUBLIC KEY-----\n\(text.prefix(64)) \n\(text.dropFirst(64))\n-----END PUBLIC KEY-----\n",
                to: "key.pem")
            let words = ["verify", chain, "--anchors", anchors, "--host", StandardPKI.serverName]
            await pincheck(words + ["--pinnedpubkey", key, "--client", "curl"]).expect(
                .data, errors: "has blanks in the key, which curl does not pass over")
        }
    }

    private let pki: StandardPKI

    init() throws { pki = try .shared() }

    /// Runs `verify` on the lab's chain.
    private func verify(_ files: TemporaryDirectory, _ arguments: String..., host: String = StandardPKI.serverName)
        async throws -> Outcome
    {
        let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
        let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
        return await pincheck(["verify", chain, "--anchors", anchors, "--host", host] + arguments)
    }

    @Test func aRequestIsAPublicKeyPinAndSaysSo() async throws {
        try await TemporaryDirectory.scoped { files in
            let request = try files.write(pki.leaf.key.certificationRequest(for: "next"), to: "next.csr")
            try await verify(files, "--pins", request).expect(
                .pass, "  pin matched at depth 0", errors: "next.csr: a certificate request: its public key is pinned")
        }
    }

    @Test func curlsValueIsAPinBesideTheOthers() async throws {
        try await TemporaryDirectory.scoped { files in
            let pin = SHA256Digest(bytes: pki.leaf.publicKeySHA256)!.base64
            try await verify(files, "--pinnedpubkey", "sha256//\(pin)", "--client", "curl,okhttp").expect(.pass)
            try await verify(files, "--pins", pki.junk.pin, "--pinnedpubkey", "sha256//\(pin)", "--client", "okhttp")
                .expect(.pass, "pins: 2 configured, 1 matched")
            let key = try files.write(pki.junk.key.publicKeyPEM, to: "key.pem")
            try await verify(files, "--pinnedpubkey", key, "--format", "json").expect("fail pin-mismatch")
            let slash = try await verify(files, "--pinnedpubkey", "sha256/\(pin)").expect(.data)
            // A hash that begins with a slash makes two of one.
            #expect(
                pin.hasPrefix("/")
                    || slash.errors.contains(
                        "curl takes it for the name of a file, finds none and ends with exit status 90")
            )
            try await verify(files, "--pinnedpubkey", "sha256//\(pin);").expect(.data)
            try await verify(files, "--pinnedpubkey", "no-such-file").expect(.noInput)
        }
    }

    // MARK: Apps

    private func app(_ certificates: [(name: String, certificate: LabCertificate)], _ files: TemporaryDirectory) throws
    {
        try files.makeDirectory("App.app")
        try files.write("<plist><dict></dict></plist>", to: "App.app/Info.plist")
        for (name, certificate) in certificates { try files.write(certificate.der, to: "App.app/\(name)") }
    }

    @Test func eachClientIsJudgedWithTheFilesItLoads() async throws {
        try await TemporaryDirectory.scoped { files in
            // The right root under a name that only Alamofire takes, another root under one that both take.
            try app([("root.crt", pki.rootA), ("old.cer", pki.rootB)], files)
            let path = files.path + "/App.app"
            let settings = ["--mode", "public-key", "--client"]
            func outcome(_ client: String) async throws -> Outcome {
                try await verify(files, "--pins", path, settings[0], settings[1], settings[2], client)
            }
            #expect(try await outcome("alamofire").status == .pass)
            #expect(try await outcome("afnetworking").status == .fail)
            #expect(try await outcome("afnetworking-3").status == .fail)
            try await outcome("afnetworking,alamofire").expect(
                .fail,
                told: "App.app: loaded from the bundle by AFNetworking 4: 'old.cer'; AFNetworking 2 and 3: 'old.cer'; "
                    + "Alamofire: 'old.cer', 'root.crt'")
        }
    }

    @Test func anAppWithoutAFileThatTheClientLoadsHasNoPinsForIt() async throws {
        try await TemporaryDirectory.scoped { files in
            try app([("root.crt", pki.rootA)], files)
            let path = files.path + "/App.app"
            try await verify(files, "--pins", path, "--client", "afnetworking").expect(
                .fail, told: "AFNetworking 4: none")
        }
    }

    @Test func theModeFollowsFromTheFilesOfTheBundle() async throws {
        try await TemporaryDirectory.scoped { files in
            try app([("root.cer", pki.rootA)], files)
            try await verify(files, "--pins", files.path + "/App.app").expect(.pass, "certificate")
        }
    }

    // MARK: Pipes

    @Test(arguments: ["chain", "anchors", "pins", "pinnedpubkey"]) func aPipeIntoWhichNobodyWritesDoesNotHang(
        place: String
    ) async throws {
        try await TemporaryDirectory.scoped { files in
            let pipe = files.path + "/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            await pincheck(
                ["verify", place == "chain" ? pipe : chain] + (place == "chain" ? [] : ["--\(place)", pipe])
            ).expect((place == "chain" || place == "anchors" ? .noInput : .data), errors: "is a pipe without a writer")
        }
    }
}
