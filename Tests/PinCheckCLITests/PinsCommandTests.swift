import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck pins` against servers on loopback and files.
@Suite(.endsSomeTime) struct PinsCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Runs with a server that sends the leaf and the intermediate, and arguments that reach and trust it.
    private func serving<Value: Sendable>(
        _ body: (_ arguments: [String], _ files: TemporaryDirectory, _ port: UInt16) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
                $0.application = .answers(Array("HTTP/1.0 204 No Content\r\n\r\n".utf8))
            }
            return try await LoopbackServer.serving(.tls(settings)) { server in
                let place = "127.0.0.1:\(server.port)"
                return try await body(
                    ["pins", host, "--connect", place, "--anchors", anchors], files, UInt16(server.port))
            }
        }
    }

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    // MARK: Servers

    @Test func aTrustedChainIsShownUpToTheRootThatWasNotSent() async throws {
        try await serving { arguments, _, _ in
            let outcome = await pincheck(arguments).expect(.pass, errors: "")
            let lines = outcome.output.split(separator: "\n").map(String.init)
            try #require(lines.count == 9)
            #expect(lines[1].hasPrefix("  0 leaf  CN=leaf  EC P-256  expires "))
            #expect(lines[3].hasPrefix("  1 intermediate  CN=InterA  EC P-256  expires "))
            #expect(lines[5].hasPrefix("  2 root  CN=RootA (anchors)  EC P-256  expires "))
            for certificate in [pki.leaf, pki.interA, pki.rootA] { #expect(outcome.output.contains(certificate.pin)) }
            #expect(outcome.output.contains("\nPASS  \(host):443  the chain is trusted and valid for \(host)\n"))
            #expect(lines.last?.contains("pin a second key too") == true)
        }
    }

    @Test func anUntrustedChainIsShownWithALoudWarningAndEndsIn1() async throws {
        try await serving { arguments, _, _ in
            let warning = "pins learned from an unverified connection prove nothing: they may be an interceptor's"
            let withoutTrust = Array(arguments.prefix(4))
            for form in ["text", "json", "okhttp", "android"] {
                let outcome = await pincheck(withoutTrust + ["--format", form]).expect(
                    .fail, warning, errors: "WARNING: \(host):443: not verified: ", warning)
                let key = form == "okhttp" || form == "text" ? pki.leaf.pin : String(pki.leaf.pin.dropFirst(7))
                #expect(outcome.output.contains(key))
            }
            await pincheck(arguments + ["--verify-name", "www.example.org"]).expect(
                .fail, "is not valid for www.example.org")
        }
    }

    @Test func anUnreachableServerEndsIn2AndSpoilsNoBlock() async throws {
        try await RefusingPort.scoped { refusing in
            await pincheck("pins", "127.0.0.1:\(refusing.port)").expect(
                .unreachable, "UNREACHABLE  127.0.0.1:\(refusing.port)  connect: ")
            _ = try await serving { arguments, _, _ in
                await pincheck(arguments + ["--connect", "127.0.0.1:\(refusing.port)", "--format", "okhttp"]).expect(
                    .unreachable, ".add(\"\(host)\", \"\(pki.leaf.pin)\")", errors: "UNREACHABLE")
            }
        }
    }

    @Test func theJSONDocumentHasEveryKeyInEveryNotation() async throws {
        try await serving { arguments, _, port in
            let outcome = await pincheck(arguments + ["--format", "json"])
            let document = try json(outcome.output)
            #expect(document["schema"] as? String == "pincheck-pins/1")
            #expect((document["exit"] as? [String: Any])?["code"] as? Int == 0)
            let result = try #require((document["results"] as? [[String: Any]])?.first)
            #expect(result["verified"] as? Bool == true)
            #expect((result["reason"] as? [String: Any])?["id"] as? String == "trusted")
            #expect((result["endpoint"] as? [String: Any])?["port"] as? Int == Int(port))
            let keys = try #require(result["keys"] as? [[String: Any]])
            #expect(keys.compactMap { $0["role"] as? String } == ["leaf", "intermediate", "root"])
            #expect(keys.compactMap { $0["source"] as? String } == ["presented", "presented", "anchors"])
            let pins = try #require(keys.first?["pins"] as? [String: String])
            let base64 = String(pki.leaf.pin.dropFirst(7))
            #expect(pins["okhttp"] == "sha256/" + base64)
            #expect(pins["curl"] == "sha256//" + base64)
            #expect(pins["hpkp"] == "pin-sha256=\"\(base64)\"")
            #expect(pins["base64"] == base64)
            #expect(keys.first?["saved_as"] is NSNull)
        }
    }

    @Test func blocksNameTheTargetsPortAndNotThatOfTheConnection() async throws {
        _ = try await serving { arguments, _, _ in
            await pincheck(arguments + ["--format", "curl"]).says(" 'https://\(host)/'\n")
        }
    }

    @Test(arguments: ["okhttp", "trustkit", "nspinned", "android"]) func aBlockIsPinsThatTheServerPasses(format: String)
        async throws
    {
        try await serving { arguments, files, _ in
            // TrustKit starts with two pins only.
            let backup = try files.write(pki.leaf2.key.publicKeyPEM, to: "backup.pem")
            let block = await pincheck(arguments + [backup, "--format", format])
            let path = try files.write(block.output, to: "block")
            let check = ["check"] + arguments.dropFirst() + ["--client", "okhttp", "--pins", path]
            await pincheck(Array(check)).expect(.pass, "public key pin matched at depth 0")
            let other = try files.write(pem(of: [pki.junk, pki.rootB]), to: "other.pem")
            let wrong = await pincheck("pins", other, "--host", host, "--format", format)
            let wrongPath = try files.write(wrong.output, to: "wrong")
            #expect(await pincheck(Array(check.dropLast()) + [wrongPath]).status == .fail)
        }
    }

    @Test func aPositionIsPinnedAlone() async throws {
        try await serving { arguments, _, _ in
            let outcome = await pincheck(arguments + ["--position", "intermediate,root", "--format", "okhttp"]).expect(
                .pass)
            let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("    .add(") }
            #expect(
                lines == [pki.interA, pki.rootA].map { "    .add(\"\(host)\", \"\($0.pin)\")" }.map { Substring($0) })
            await pincheck(arguments + ["--position", "middle"]).expect(.usage)
            await pincheck(Array(arguments.prefix(4)) + ["--position", "root"]).expect(.noInput)
        }
    }

    @Test func savedFilesArePinsThatTheServerPasses() async throws {
        try await serving { arguments, files, _ in
            let directory = files.path + "/Pins"
            await pincheck(arguments + ["--save", directory]).expect(
                .pass, errors: "saved: \(directory)/leaf-leaf.cer  CN=leaf\n")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            #expect(names == ["leaf-leaf.cer"])
            await pincheck(arguments + ["--save", directory, "--position", "intermediate,root"]).expect(
                .pass, not: "leaf-leaf.cer")
            let all = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            #expect(all == ["intermediate-InterA.cer", "leaf-leaf.cer", "root-RootA.cer"])
            await pincheck(["check"] + arguments.dropFirst() + ["--pins", directory]).expect(.pass)
            await pincheck(arguments + ["--save", directory]).says(
                errors: "is there already: \(directory)/leaf-leaf.cer")
            await pincheck(arguments + ["--save", files.path + "/no/where"]).expect(.inputOutput)
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "there is no curl"))
    func curlTakesTheCommandAsItIsPrinted() async throws {
        try await serving { arguments, files, port in
            let block = await pincheck(arguments + ["--format", "curl"]).output
            let anchors = try #require(arguments.last)
            func run(_ command: String) throws -> Int32 {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/bash")
                let toServer = "--cacert '\(anchors)' --connect-to \(host):443:127.0.0.1:\(port)"
                let quiet = "-sS --max-time 10 --noproxy '*' --output /dev/null \(toServer)"
                process.arguments = ["-c", "curl() { command curl \(quiet) \"$@\" 2>/dev/null; }\n" + command]
                try process.run()
                process.waitUntilExit()
                return process.terminationStatus
            }
            #expect(try run(block) == 0)
            let wrong = block.replacing(pki.leaf.pin.dropFirst(7), with: pki.junk.pin.dropFirst(7))
            #expect(try run(wrong) == 90)
        }
    }

    // MARK: Files

    @Test func filesOfEveryKindGiveThePinOfTheirKey() async throws {
        let key = try LabKey.shared(.p256, label: "pins")
        let pin = try #require(SHA256Digest(bytes: key.publicKeySHA256)).description
        let request = try key.certificationRequest(for: "next.example.com")
        try await TemporaryDirectory.scoped { files in
            for path in [
                try files.write(key.publicKeyPEM, to: "key.pem"), try files.write(key.publicKeyInfo, to: "key.der"),
                try files.write(pem(request, label: "CERTIFICATE REQUEST"), to: "next.csr"),
                try files.write(request, to: "next.der"),
            ] { await pincheck("pins", path).expect(.pass, "okhttp   \(pin)\n") }
            let chain = try files.write(pem(of: [pki.leaf, pki.interA, pki.rootA]), to: "chain.pem")
            let several = await pincheck("pins", chain, "--host", host, "--format", "okhttp")
            #expect(several.output.split(separator: "\n").count { $0.hasPrefix("    .add(\"\(host)\"") } == 1)
            let der = try files.write(pki.leaf.der, to: "leaf.cer")
            #expect(await pincheck("pins", der).output.contains(pki.leaf.pin))
            await pincheck("pins", "-", input: pki.leaf.der).says(pki.leaf.pin)
        }
    }

    @Test func aPrivateKeyIsReadOnPurposeOnlyAndNeverShown() async throws {
        let key = try LabKey.shared(.p256, label: "pins secret")
        let pin = try #require(SHA256Digest(bytes: key.publicKeySHA256)).description
        let secret = try key.privateKeyPEM()
        let lines = secret.split(separator: "\n").dropFirst().dropLast()
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(secret, to: "secret.key")
            let der = try files.write(Array(Data(base64Encoded: lines.joined()) ?? Data()), to: "secret.der")
            let broken = try files.write(secret.replacing(lines[1], with: lines[1].reversed()), to: "broken.key")
            let forms = ["text", "json"] + ["okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"]
            for form in forms {
                for file in [path, der, broken] {
                    for arguments in [["--key", file], [file]] {
                        let outcome = await pincheck(["pins", "--format", form] + arguments)
                        let isUsable = arguments.count == 2 && file != broken
                        #expect(outcome.status == (isUsable ? .pass : .data))
                        for line in lines where line.count >= 16 {
                            #expect(!(outcome.output + outcome.errors).contains(line))
                        }
                    }
                }
            }
            #expect(await pincheck("pins", "--key", path).output.contains(pin))
            let hint = await pincheck("pins", path).errors
            #expect(hint.contains("name the file with --key"))
        }
    }

    @Test func aBackupKeyIsPinnedForTheServersHost() async throws {
        let key = try LabKey.shared(.p256, label: "pins backup")
        let pin = try #require(SHA256Digest(bytes: key.publicKeySHA256)).description
        try await serving { arguments, files, _ in
            let path = try files.write(key.publicKeyPEM, to: "backup.pub")
            await pincheck(arguments + [path, "--format", "okhttp"]).says(
                "\n    .add(\"\(host)\", \"\(pin)\")\n", "\n    .add(\"\(host)\", \"\(pki.leaf.pin)\")\n")
        }
    }

    @Test func filesThatCannotBeUsedEndIn65Or66() async throws {
        try await TemporaryDirectory.scoped { files in
            let key = try LabKey.shared(.p256, label: "pins")
            let cut = Array(try key.certificationRequest(for: "next").dropLast())
            for path in [
                try files.write("no pin\n", to: "prose.txt"), try files.write("", to: "empty.pem"),
                try files.write(Array(pki.leaf.der.dropLast()), to: "cut.cer"), try files.write(cut, to: "cut.csr"),
            ] { await pincheck("pins", path).expect(.data, errors: path) }
            for missing in ["missing.pem", "./missing", files.path + "/missing", try files.makeDirectory("empty")] {
                #expect(await pincheck("pins", missing).status == .noInput, "\(missing)")
            }
            #expect(await pincheck("pins", "--key", files.path + "/missing").status == .noInput)
            #expect(await pincheck("pins").status == .usage)
            #expect(await pincheck("pins", host, "--format", "pdf").status == .usage)
        }
    }

    @Test func aHostileSubjectReachesNoTerminal() async throws {
        let attack = "evil\u{1B}[2J\u{202E}\n-->*/"
        let hostile = try LabCertificate.selfSigned(
            .leaf(subject: DistinguishedName(commonNameBytes: Array(attack.utf8)), names: [.dns(host)]))
        try await TemporaryDirectory.scoped { files in
            let directory = files.path + "/out"
            try await LoopbackServer.serving(.presenting([hostile])) { server in
                for form in ["text", "json", "okhttp", "trustkit"] {
                    let outcome = await pincheck(
                        "pins", host, "--connect", "127.0.0.1:\(server.port)", "--format", form, "--save", directory
                    ).expect(.fail)
                    #expect(isPlain(outcome.output) && isPlain(outcome.errors))
                }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names == ["leaf-evil-2J.cer"])
        }
    }

    // MARK: Authorities

    /// The pins that stand in a block outside of comments.
    private func active(_ certificate: LabCertificate, in block: String) -> Bool {
        let base64 = certificate.pin.dropFirst("sha256/".count)
        return block.split(separator: "\n").contains { line in
            let text = line.drop { $0 == " " }
            return text.contains(base64) && !["//", "#", ";", "<!--"].contains { text.hasPrefix($0) }
        }
    }

    @Test(arguments: ["okhttp", "trustkit", "nspinned", "android", "curl"]) func aFileGivesTheBlockThatItsServerGives(
        format: String
    ) async throws {
        try await serving { arguments, files, _ in
            let chain = try files.write(pki.leaf.pem + pki.interA.pem + pki.rootA.pem, to: "fullchain.pem")
            let server = await pincheck(arguments + ["--format", format])
            let file = await pincheck("pins", chain, "--host", host, "--format", format)
            #expect(server.status == .pass && file.status == .pass, "\(file.errors)")
            for block in [server.output, file.output] {
                #expect(active(pki.leaf, in: block), "\(block)")
                #expect(!active(pki.interA, in: block) && !active(pki.rootA, in: block), "\(block)")
            }
            // What differs are the comments on where the keys come from.
            func code(_ block: String) -> [Substring] {
                block.split(separator: "\n").filter { line in
                    !["//", "#", ";", "<!--"].contains { line.drop { $0 == " " }.hasPrefix($0) }
                }
            }
            #expect(code(server.output) == code(file.output))
            guard format != "curl" else { return }
            let asked = await pincheck("pins", chain, "--host", host, "--format", format, "--position", "intermediate")
            #expect(active(pki.interA, in: asked.output), "\(asked.output)")
        }
    }

    @Test func aFileOfAuthoritiesAloneIsPinned() async throws {
        try await TemporaryDirectory.scoped { files in
            let file = try files.write(pki.interA.pem, to: "ca.pem")
            #expect(active(pki.interA, in: await pincheck("pins", file, "--format", "okhttp").output))
            let both = await pincheck("pins", file, try files.write(pki.leaf.pem, to: "leaf.pem"), "--format", "okhttp")
            #expect(active(pki.leaf, in: both.output) && !active(pki.interA, in: both.output))
            let document = try JSONValue(
                await pincheck("pins", file, "\(files.path)/leaf.pem", "--format", "json").output)
            #expect(document["results"][0]["keys"][0]["pinned"].flag == false)
            #expect(document["results"][1]["keys"][0]["pinned"].flag == true)
        }
    }

    @Test func aSecondPinIsAskedForOnlyWhereThereIsOne() async throws {
        try await TemporaryDirectory.scoped { files in
            let leaf = try files.write(pki.leaf.pem + pki.interA.pem, to: "leaf.pem")
            let backup = try files.write(pki.leaf2.key.privateKeyPEM(), to: "backup.key")
            let list = try files.write("\(pki.leaf.pin)\n\(pki.leaf2.pin)\n", to: "list")
            let advice = "An app with one pin"
            #expect(await pincheck("pins", leaf).output.contains(advice))
            #expect(!(await pincheck("pins", leaf, "--key", backup).output.contains(advice)))
            #expect(!(await pincheck("pins", "--from", list).output.contains(advice)))
            let block = await pincheck("pins", leaf, "--key", backup, "--format", "afnetworking").output
            #expect(!block.contains("Backup: add the pin of a second key") && block.contains("needs a certificate"))
        }
    }
}
