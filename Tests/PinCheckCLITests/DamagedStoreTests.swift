import LoopbackLab
import Testing

@testable import PinCheckCLI

/// A file that cannot be read as it stands is refused, be it of the store or given for the run.
@Suite struct DamagedStoreTests {
    private let pki = try! StandardPKI.shared()
    private let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    private let rejecting = TrustSettings(rejected: [.serverAuth])

    /// Runs `body` with a directory and the command that checks a chain below `rootA`.
    private func withChain(_ body: (TemporaryDirectory, [String]) async throws -> Void) async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            try await body(files, ["verify", chain, "--host", StandardPKI.serverName])
        }
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

    @Test(arguments: ["--anchors", "--extra-root"]) func aGivenFileThatIsBrokenIsRefusedAloneAndInADirectory(
        option: String
    ) async throws {
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
