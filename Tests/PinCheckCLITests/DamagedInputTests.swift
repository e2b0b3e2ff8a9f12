import Base
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// Random damage to files that only commands read, and more of them than anybody needs.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DamagedInputTests {
    private static let list = """
        # what the apps talk to
        api.example.com connect=192.0.2.1:8443 pins=sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=  # one
        https://www.example.com:443/path host='api.example.com' client=okhttp,curl
        "[2001:db8::1]:443" verify-name=example.org no-sni
        bücher.example sni=www.example.org

        """

    private static let snapshot = """
        {"schema": "pincheck-snapshot/1", "endpoints": [{"target": "api.example.com:443", "connect": "192.0.2.1:443",
        "sni": "api.example.com", "verify_name": null, "tls": {"version": "TLSv1.3", "client_certificate_requested": false},
        "chain": [{"subject": "CN=api.example.com", "issuer": "CN=CA", "issuer_key_id": "00ff", "names": ["api.example.com"],
        "not_before": "2026-01-01T00:00:00Z", "not_after": "2027-01-01T00:00:00Z", "key": "EC P-256",
        "spki_sha256": "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "cert_sha256": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}]}]}
        """

    private func readList(_ bytes: [UInt8]) -> CommandError? {
        let context = Context(
            console: Console(output: OutputBuffer().stream(), errors: OutputBuffer().stream()), environment: [:],
            now: { Timestamp(secondsSinceEpoch: 0) }, readStandardInput: { bytes })
        do throws(CommandError) {
            var list = try TargetList("-", in: context)
            while try list.next() != nil {}
            return nil
        } catch { return error }
    }

    private func readSnapshot(_ bytes: [UInt8]) -> CommandError? {
        do throws(CommandError) {
            _ = try Snapshot.snapshot(in: bytes, name: "old.json")
            return nil
        } catch { return error }
    }

    @Test func theOriginalsAreRead() {
        #expect(readList(Array(Self.list.utf8)) == nil)
        #expect(readSnapshot(Array(Self.snapshot.utf8)) == nil)
    }

    @Test(arguments: Seeds.sample(3)) func damagedFilesAreReadOrRefusedInOneShortLine(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let error =
                round.isMultiple(of: 2)
                ? readList(damaged(Self.list, &random)) : readSnapshot(damaged(Self.snapshot, &random))
            guard let error else { continue }
            #expect(error.status == .data)
            #expect(TerminalText.escaped(error.description).utf8.count < 2_000, "round \(round)")
        }
    }

    @Test func aWordAsLongAsTheListIsReadOnce() throws {
        let error = try #require(readList(Array(repeating: UInt8(ascii: "a"), count: 300_000)))
        #expect(error.description.utf8.count < 1_000)
        let marks = String(repeating: "\u{301}", count: 100_000)
        #expect(try #require(readList(Array("a\(marks)".utf8))).description.utf8.count < 1_000)
    }

    @Test func deepSnapshotsAreRefused() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(try #require(readSnapshot(Array(deep.utf8))).description.utf8.count < 1_000)
        let nested = "{\"schema\": \"pincheck-snapshot/1\", \"endpoints\": \(deep)"
        #expect(try #require(readSnapshot(Array(nested.utf8))).description.utf8.count < 1_000)
    }

    /// One to four changes: a bit, a byte, a piece cut out or doubled, the rest cut off.
    private func damaged(_ original: String, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(original.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let position = Int.random(in: bytes.indices, using: &random)
            let end = min(bytes.count, position + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(position..<end)
            case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
            default: bytes = Array(bytes.prefix(position))
            }
        }
        return bytes
    }
}

/// A file that cannot be read as it stands is refused, be it of the store or given for the run.
@Suite struct DamagedStoreTests {
    private let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    private let rejecting = TrustSettings(rejected: [.serverAuth])

    /// Runs `body` with a directory and the command that checks a chain below `rootA`.
    private func withChain(_ body: (TemporaryDirectory, [String]) async throws -> Void) async throws {
        let files = try TemporaryDirectory()
        let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
        try await body(files, ["verify", chain, "--host", StandardPKI.serverName])
    }

    private static let damaged = "data damaged-trust-store"

    /// The error of a command that ends for a damaged store.
    private func refusal(_ command: [String], _ store: [String: String]) async -> String {
        #expect(await decision(command, environment: store) == Self.damaged)
        return await pincheck(command, environment: store).expect(.data).output
    }

    @Test func aBrokenBlockOfAHashedFileConcernsTheNameAlone() async throws {
        try await withChain { files, command in
            try files.makeDirectory("certs")
            try files.write(pki.rootA.pem, to: "certs/\(pki.rootA.hashedFileName)")
            let store = ["SSL_CERT_DIR": files.path + "/certs"]
            #expect(await decision(command, environment: store) == "pass trusted-without-pins")
            let text = pki.interA.pem(rejecting)
            let file = try files.write(text + broken, to: "certs/\(pki.interA.hashedFileName)")
            let line = text.count { $0 == "\n" } + 1
            let told = await refusal(command, store)
            #expect(
                told.contains(
                    "the system's store is damaged in \(file): not a whole X.509 certificate at line \(line): reinstall ca-certificates, or give anchors"
                ), "\(told)")
            // Without the distrust it may have been one; under another name it is nobody's business here.
            try files.write(broken, to: "certs/\(pki.interA.hashedFileName)")
            #expect(await decision(command, environment: store) == Self.damaged)
            try files.write(pki.interA.pem, to: "certs/\(pki.interA.hashedFileName)")
            try files.write(broken, to: "certs/\(pki.rootB.hashedFileName)")
            #expect(await decision(command, environment: store) == "pass trusted-without-pins")
        }
    }

    @Test func distrustInALargeFileCountsAndAFileTooLargeToReadIsRefused() async throws {
        try await withChain { files, command in
            try files.makeDirectory("certs")
            let name = pki.rootA.hashedFileName
            try files.write(pki.rootA.pem, to: "certs/\(name.dropLast())1")
            let file = try files.write(
                pki.rootA.pem(rejecting) + String(repeating: "x", count: 5_000_000), to: "certs/\(name)")
            let store = ["SSL_CERT_DIR": files.path + "/certs", "SSL_CERT_FILE": "/nonexistent"]
            #expect(await decision(command, environment: store) == "fail distrusted")
            // A hole of the file system: nothing is written.
            #expect(truncate(file, 65 << 20) == 0)
            let told = await refusal(command, store)
            #expect(told.contains("\(file): larger than any file of certificates, so it was not read"), "\(told)")
            // The same where all roots stand in one file.
            try files.write(pki.rootA.pem, to: "certs/\(name)")
            let bundle = try files.write(pki.rootA.pem(rejecting), to: "bundle.pem")
            #expect(truncate(bundle, 65 << 20) == 0)
            #expect(await refusal(command, store.merging(["SSL_CERT_FILE": bundle]) { $1 }).contains(bundle))
        }
    }

    @Test func aBrokenBundleIsRefusedWhereItMayBeTheCause() async throws {
        try await withChain { files, command in
            let glued = String(pki.rootA.pem.dropLast()) + pki.rootB.pem
            let returns = pki.rootA.pem + pki.interA.pem(rejecting).replacing("\n", with: "\r") + "\n"
            let tail = pki.rootA.pem + pem(pki.rootB.der + [0, 0], label: "CERTIFICATE")
            try files.makeDirectory("certs")
            try files.write(pki.rootA.pem, to: "certs/\(pki.rootA.hashedFileName)")
            for text in [pki.rootA.pem + broken, glued, returns, tail] {
                let bundle = try files.write(text, to: "bundle.pem")
                let store = ["SSL_CERT_FILE": bundle]
                let told = await refusal(command, store)
                #expect(told.contains("\(bundle): ") && told.contains(" at line "), "\(told)")
                // With the root from elsewhere it plays no part, unless a word of distrust may be what is broken.
                let both = store.merging(["SSL_CERT_DIR": files.path + "/certs"]) { $1 }
                if text != returns {
                    #expect(await decision(command, environment: both) == "pass trusted-without-pins")
                }
                try files.write(text + pki.rootB.pem(rejecting), to: "bundle.pem")
                #expect(await decision(command, environment: both) == Self.damaged)
            }
        }
    }

    @Test(arguments: ["--anchors", "--extra-root"]) func aBrokenGivenFileIsRefused(option: String) async throws {
        try await withChain { files, command in
            let root = pki.rootA.pem
            let lines = root.split(separator: "\n").map { $0 + "\n" }
            let inter = pki.interA
            let damaged: [(text: String, line: Int)] = [
                (root + broken, lines.count + 1), (broken + root, 1), (inter.pem(rejecting) + broken, 0),
                (pem(inter.der + rejecting.der + [0], label: "TRUSTED CERTIFICATE"), 1),
                (pem(pki.rootA.der + [0], label: "CERTIFICATE"), 1),
                (lines[0] + "!!!!\n" + lines.dropFirst().joined(), 1), (lines.dropLast().joined(), 1),
                (String(root.dropLast()) + root, 1), ((root + broken).replacing("\n", with: "\r\n"), lines.count + 1),
            ]
            let directory = try files.makeDirectory("anchors")
            try files.write(root, to: "anchors/a-good.pem")
            try files.write("Some notes.\n", to: "anchors/README")
            try files.write([0x30, 0x03, 0x02, 0x01, 0x05], to: "anchors/list.crl")
            let store = ["SSL_CERT_FILE": try files.write(root, to: "system.pem")]
            #expect(await pincheck(command + [option, directory], environment: store).status == .pass)
            for (text, line) in damaged {
                let file = try files.write(text, to: "anchors/z.pem")
                for path in [file, directory] {
                    let outcome = await pincheck(command + [option, path], environment: store).expect(.data)
                    let role = option == "--anchors" ? "anchors" : "extra roots"
                    #expect(outcome.errors.contains("'\(file)' cannot be used as \(role)"), "\(outcome.errors)")
                    if line > 0 { #expect(outcome.errors.contains("at line \(line)"), "\(outcome.errors)") }
                }
            }
        }
    }
}
