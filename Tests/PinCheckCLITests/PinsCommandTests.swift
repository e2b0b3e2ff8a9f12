import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck pins` against servers on loopback and files; each form of a block is in ``GoldenTests`` (`pins-server`).
@Suite(.endsSomeTime) struct PinsCommandTests {
    private let host = StandardPKI.serverName
    private static let blocks = ["okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"]

    /// A certificate's line in a block of OkHttp's.
    private func added(_ certificate: LabCertificate) -> String { "\n    .add(\"\(host)\", \"\(certificate.pin)\")" }

    /// Whether a pin stands in a block outside of comments.
    private func active(_ certificate: LabCertificate, in block: String) -> Bool {
        code(block).contains { $0.contains(certificate.pin.dropFirst("sha256/".count)) }
    }

    /// The lines of a block that are no comment.
    private func code(_ block: String) -> [Substring] {
        block.split(separator: "\n").filter { line in
            !["//", "#", ";", "<!--"].contains { line.drop { $0 == " " }.hasPrefix($0) }
        }
    }

    @Test func anUntrustedChainIsShownWithALoudWarningAndEndsIn1() async throws {
        try await Desk.serving { desk, _ in
            let warning = "pins learned from an unverified connection prove nothing: they may be an interceptor's"
            for form in ["text", "json", "okhttp", "android"] {
                await desk("pins $HOST --connect $SERVER -f \(form)").expect(
                    .fail, warning, form == "android" ? desk.expand("$LEAF64") : pki.leaf.pin,
                    errors: "WARNING: \(host):443: not verified: ", warning)
            }
            await desk("pins CHECK --verify-name www.example.org").expect(.fail, "is not valid for www.example.org")
            await desk("pins CHECK -f curl").says(" 'https://\(host)/'\n")
        }
    }

    @Test func anUnreachableServerEndsIn2AndSpoilsNoBlock() async throws {
        _ = try await RefusingPort.scoped { refusing in
            try await Desk.serving { desk, _ in
                await desk("pins CHECK --connect 127.0.0.1:\(refusing.port) -f okhttp").expect(
                    .unreachable, added(pki.leaf), errors: "UNREACHABLE")
            }
        }
    }

    @Test func theJSONDocumentHasEveryKeyInEveryNotation() async throws {
        try await Desk.serving { desk, server in
            let document = try JSONValue(await desk("pins CHECK -f json").expect(.pass).output)
            let result = document["results"][0]
            #expect(document["exit"]["code"].number == 0 && result["verified"].flag == true)
            #expect(result["reason"]["id"].text == "trusted")
            #expect(result["endpoint"]["port"].number == Int(server.port))
            let keys = result["keys"].array
            #expect(keys.compactMap { $0["role"].text } == ["leaf", "intermediate", "root"])
            #expect(keys.compactMap { $0["source"].text } == ["presented", "presented", "anchors"])
            let base64 = desk.expand("$LEAF64")
            for (notation, pin) in [
                ("okhttp", "sha256/" + base64), ("curl", "sha256//" + base64), ("base64", base64),
                ("hpkp", "pin-sha256=\"\(base64)\""),
            ] { #expect(keys.first?["pins"][notation].text == pin) }
            #expect(keys.first?["saved_as"].isNull == true)
        }
    }

    @Test(arguments: ["okhttp", "trustkit", "nspinned", "android"]) func aBlockIsPassed(format: String) async throws {
        try await Desk.serving { desk, _ in
            // TrustKit starts with two pins only.
            try desk.write(pki.leaf2.key.publicKeyPEM, to: "backup.pub")
            try desk.write(await desk("pins CHECK @backup.pub -f \(format)").output, to: "block")
            await desk("CHECK --client okhttp --pins @block").expect(.pass, "public key pin matched at depth 0")
            try desk.write(pki.junk.pem + pki.rootB.pem, to: "junk.pem")
            try desk.write(await desk("pins @junk.pem --host $HOST -f \(format)").output, to: "wrong")
            await desk("CHECK --client okhttp --pins @wrong").expect(.fail)
        }
    }

    @Test func aPositionIsPinnedAlone() async throws {
        try await Desk.serving { desk, _ in
            let outcome = await desk("pins CHECK --position intermediate,root -f okhttp").expect(.pass)
            let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("    .add(") }
            #expect(lines.map { "\n" + $0 } == [pki.interA, pki.rootA].map(added))
            await desk("pins $HOST --connect $SERVER --position root").expect(.noInput)
        }
    }

    @Test func savedFilesArePinsThatTheServerPasses() async throws {
        try await Desk.serving { desk, _ in
            func saved() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: desk.files.path + "/Pins").sorted()
            }
            await desk("pins CHECK --save @Pins").expect(
                .pass, errors: "saved: \(desk.files.path)/Pins/leaf-leaf.cer  CN=leaf\n")
            let first = try saved()
            #expect(first == ["leaf-leaf.cer"])
            await desk("pins CHECK --save @Pins --position intermediate,root").expect(.pass, not: "leaf-leaf.cer")
            #expect(try saved() == ["intermediate-InterA.cer", "leaf-leaf.cer", "root-RootA.cer"])
            await desk("CHECK --pins @Pins").expect(.pass)
            await desk("pins CHECK --save @Pins").says(
                errors: "is there already: \(desk.files.path)/Pins/leaf-leaf.cer")
            await desk("pins @leaf.pem --save @no/where").expect(
                .inputOutput, errors: "the directory above it is not there: make it")
            await desk("pins @leaf.pem --save @leaf.pem").says(errors: "it is a file: name a directory")
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "there is no curl"))
    func curlTakesTheCommandAsItIsPrinted() async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
            $0.application = .answers(Array("HTTP/1.0 204 No Content\r\n\r\n".utf8))
        }
        try await Desk.serving(.tls(settings)) { desk, server in
            let block = await desk("pins CHECK -f curl").output
            func run(_ command: String) throws -> Int32 {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/bash")
                let anchors = desk.files.path + "/root.pem"
                let toServer = "--cacert '\(anchors)' --connect-to \(host):443:127.0.0.1:\(server.port)"
                let quiet = "-sS --max-time 10 --noproxy '*' --output /dev/null \(toServer)"
                process.arguments = ["-c", "curl() { command curl \(quiet) \"$@\" 2>/dev/null; }\n" + command]
                try process.run()
                process.waitUntilExit()
                return process.terminationStatus
            }
            let isTaken = try run(block) == 0
            let isRefused = try run(block.replacing(desk.expand("$LEAF64"), with: desk.expand("$JUNK64"))) == 90
            #expect(isTaken && isRefused)
        }
    }

    @Test func severalTargetsEndInATotal() async throws {
        try await Desk.serving { desk, _ in
            try await LoopbackServer.serving(.presenting([pki.rogue, pki.rogueI])) { bad in
                let two = "$SERVER 127.0.0.1:\(bad.port) --host $HOST --anchors @root.pem"
                for line in ["pins \(two)", "pins --recommend \(two)"] {
                    await desk(line).says(ending: "\n\n2 targets: 1 FAIL, 1 PASS\n")
                }
                for line in ["pins CHECK", "pins \(two) -f okhttp"] { await desk(line).says(not: "targets: ") }
            }
        }
    }

    @Test func filesOfEveryKindGiveThePinOfTheirKey() async throws {
        let key = try LabKey.shared(.p256, label: "pins")
        let pin = try #require(SHA256Digest(bytes: key.publicKeySHA256)).description
        let request = try key.certificationRequest(for: "next.example.com")
        let desk = try Desk()
        for bytes in [
            Array(key.publicKeyPEM.utf8), key.publicKeyInfo, request,
            Array(pem(request, label: "CERTIFICATE REQUEST").utf8),
        ] {
            try desk.files.write(bytes, to: "key")
            await desk("pins @key").expect(.pass, "      \(pin)\n")
        }
        await desk("pins @leaf.cer").says(pki.leaf.pin)
        await desk("pins -", input: pki.leaf.pem).says(pki.leaf.pin)
    }

    @Test func aPrivateKeyIsReadOnPurposeOnlyAndNeverShown() async throws {
        let key = try LabKey.shared(.p256, label: "pins secret")
        let pin = try #require(SHA256Digest(bytes: key.publicKeySHA256)).description
        let secret = try key.privateKeyPEM()
        let lines = secret.split(separator: "\n").dropFirst().dropLast()
        let desk = try Desk(["pem": secret, "broken": secret.replacing(lines[1], with: lines[1].reversed())])
        try desk.files.write(Array(Data(base64Encoded: lines.joined()) ?? Data()), to: "der")
        for form in ["text", "json"] + Self.blocks {
            for file in ["pem", "der", "broken"] {
                for option in ["--key ", ""] {
                    let outcome = await desk("pins -f \(form) \(option)@\(file)").expect(
                        option.isEmpty || file == "broken" ? .data : .pass)
                    for line in lines where line.count >= 16 { outcome.says(not: String(line)) }
                }
            }
        }
        await desk("pins --key @pem").says(pin)
        await desk("pins @pem").says(errors: "name the file with --key")
    }

    @Test func filesThatCannotBeUsedEndIn65Or66() async throws {
        let key = try LabKey.shared(.p256, label: "pins")
        let desk = try Desk()
        for bytes in [
            Array("no pin\n".utf8), [], Array(pki.leaf.der.dropLast()),
            Array(try key.certificationRequest(for: "next").dropLast()),
        ] {
            let path = try desk.files.write(bytes, to: "broken")
            await desk("pins @broken").expect(.data, errors: path)
        }
        _ = try desk.files.makeDirectory("empty")
        for line in ["pins missing.pem", "pins ./missing", "pins @missing", "pins @empty", "pins --key @missing"] {
            await desk(line).expect(.noInput)
        }
        for member in [
            "<key>CFBundleName</key><string>x</string>",
            "<key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict>",
        ] {
            try desk.write("<plist version=\"1.0\"><dict>\(member)</dict></plist>", to: "Info.plist")
            await desk("pins @Info.plist").expect(
                .data, errors: "neither NSPinnedDomains (in NSAppTransportSecurity) nor TSKConfiguration")
        }
    }

    @Test func aHostileSubjectReachesNoTerminal() async throws {
        let attack = "evil\u{1B}[2J\u{202E}\n-->*/"
        let hostile = try LabCertificate.selfSigned(
            .leaf(subject: DistinguishedName(commonNameBytes: Array(attack.utf8)), names: [.dns(host)]))
        try await Desk.serving(.presenting([hostile])) { desk, _ in
            for form in ["text", "json", "okhttp", "trustkit"] {
                let outcome = await desk("pins $HOST --connect $SERVER -f \(form) --save @out").expect(.fail)
                #expect(isPlain(outcome.output) && isPlain(outcome.errors))
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: desk.files.path + "/out")
            #expect(names == ["leaf-evil-2J.cer"])
        }
    }

    @Test(arguments: ["okhttp", "trustkit", "nspinned", "android", "curl"]) func aFileGivesTheBlockThatItsServerGives(
        format: String
    ) async throws {
        try await Desk.serving { desk, _ in
            try desk.write(pki.leaf.pem + pki.interA.pem + pki.rootA.pem, to: "full.pem")
            let server = await desk("pins CHECK -f \(format)").expect(.pass)
            let file = await desk("pins @full.pem --host $HOST -f \(format)").expect(.pass)
            for block in [server.output, file.output] {
                #expect(active(pki.leaf, in: block), "\(block)")
                #expect(!active(pki.interA, in: block) && !active(pki.rootA, in: block), "\(block)")
            }
            // What differs are the comments on where the keys come from.
            #expect(code(server.output) == code(file.output))
            guard format != "curl" else { return }
            let asked = await desk("pins @full.pem --host $HOST -f \(format) --position intermediate")
            #expect(active(pki.interA, in: asked.output), "\(asked.output)")
        }
    }

    @Test func aFileOfAuthoritiesAloneIsPinned() async throws {
        let desk = try Desk()
        #expect(active(pki.interA, in: await desk("pins @inter.pem -f okhttp").output))
        let both = await desk("pins @inter.pem @leaf.pem -f okhttp").output
        #expect(active(pki.leaf, in: both) && !active(pki.interA, in: both))
        let results = try JSONValue(await desk("pins @inter.pem @leaf.pem -f json").output)["results"].array
        #expect(results.map { $0["keys"][0]["pinned"].flag } == [false, true])
    }

    @Test func aSecondPinIsAskedForOnlyWhereThereIsOne() async throws {
        let texts = ["backup.key": try pki.leaf2.key.privateKeyPEM(), "list": "$LEAF\n$NEXT\n"]
        let desk = try Desk(texts)
        await desk("pins @chain.pem").says("An app with one pin")
        for form in ["text"] + Self.blocks {
            let runs = ["@chain.pem --key @backup.key", "--from @list"]
            // AFNetworking takes certificates, and no hashes of a list.
            for run in form == "afnetworking" ? Array(runs.prefix(1)) : runs {
                let outcome = await desk("pins \(run) --host $HOST -f \(form)").expect(.pass)
                for sentence in ["with one pin", "Backup: ", "fewer than two", "second key that you keep"] {
                    #expect(!outcome.output.contains(sentence), "\(run): \(outcome.output)")
                }
            }
        }
        await desk("pins @chain.pem --key @backup.key -f afnetworking").says("needs a certificate")
    }

    @Test func aBlockNamesNoPathOfTheMachineAndNoReserveAlone() async throws {
        let texts = ["backup.key": try pki.leaf2.key.privateKeyPEM(), "leaf.pub": pki.leaf.key.publicKeyPEM]
        try await Desk.serving(nil, texts) { desk, _ in
            for form in Self.blocks {
                for line in ["pins CHECK --key @backup.key", "pins @leaf.pub --host $HOST"] {
                    let block = await desk("\(line) -f \(form)").output
                    #expect(!block.contains(desk.files.path), "\(block)")
                }
            }
            await desk("pins CHECK --key @backup.key -f okhttp").says(added(pki.leaf), added(pki.leaf2))
        }
        _ = try await RefusingPort.scoped { port in
            let outcome = try await desk(
                "pins $HOST:\(port.port) --connect 127.0.0.1 --key @backup.key -f okhttp", texts
            ).expect(.unreachable, "")
            let warning = "Warning: no pin is written for --key alone: the pins of the server are missing\n"
            #expect(outcome.errors.hasPrefix(warning), "\(outcome)")
        }
    }
}
