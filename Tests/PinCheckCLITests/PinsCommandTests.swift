import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck pins` against servers on loopback and files; each form of a block is in ``GoldenTests`` (`pins-server`).
@Suite(.endsSomeTime) struct PinsCommandTests {
    static let blocks = ["okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"]

    private func added(_ certificate: LabCertificate) -> String { "\n    .add(\"\(host)\", \"\(certificate.pin)\")" }

    /// Whether a pin stands in a block outside of comments.
    private func active(_ certificate: LabCertificate, in block: String) -> Bool {
        block.split(separator: "\n").contains { line in
            let isComment = ["//", "#", ";", "<!--"].contains { line.drop { $0 == " " }.hasPrefix($0) }
            return !isComment && line.contains(certificate.pin.dropFirst("sha256/".count))
        }
    }

    @Test func anUntrustedChainIsShownWithALoudWarningAndEndsIn1() async throws {
        try await Desk.serving { desk, _ in
            let warning = "pins learned from an unverified connection prove nothing: they may be an interceptor's"
            for form in ["json", "okhttp"] {
                await desk.expect(
                    "pins $HOST --connect $SERVER -f \(form)",
                    "fail: $LEAF64 … WARNING: $HOST:443: not verified:  … \(warning)")
            }
            await desk.expect("pins CHECK --verify-name www.example.org", "fail: is not valid for www.example.org")
            await desk.expect("pins CHECK -f curl", "pass:  'https://$HOST/'\n")
            await desk.expect("pins $HOST --connect $SERVER --position root", "noInput")
            let lines = await desk("pins CHECK --position intermediate,root -f okhttp").output.split(separator: "\n")
            #expect(lines.filter { $0.hasPrefix("    .add(") }.map { "\n" + $0 } == [pki.interA, pki.rootA].map(added))
        }
    }

    @Test func anUnreachableServerSpoilsNoBlockAndAReserveAloneMakesNone() async throws {
        let texts = ["backup.key": try pki.leaf2.key.privateKeyPEM(), "leaf.pub": pki.leaf.key.publicKeyPEM]
        _ = try await DeadPort.refusing { refusing in
            try await Desk.serving(nil, texts) { desk, _ in
                await desk("pins CHECK --connect 127.0.0.1:\(refusing) -f okhttp").expect(
                    .unreachable, added(pki.leaf), errors: desk.expand("Error: $HOST:443: connect: "))
                let outcome = await desk("pins $HOST --connect 127.0.0.1:\(refusing) --key @backup.key -f okhttp")
                    .expect(.unreachable, "")
                let warning = "Warning: no pin is written for --key alone: the pins of the server are missing\n"
                #expect(outcome.errors.hasPrefix(warning), "\(outcome)")
                await desk("pins CHECK --key @backup.key -f okhttp").says(added(pki.leaf), added(pki.leaf2))
                for form in Self.blocks {
                    for line in ["pins CHECK --key @backup.key", "pins @leaf.pub --host $HOST"] {
                        await desk("\(line) -f \(form)").says(not: desk.files.path)
                    }
                }
            }
        }
    }

    @Test func savedFilesArePinsThatTheServerPasses() async throws {
        try await Desk.serving { desk, _ in
            func saved() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: desk.files.path + "/Pins").sorted()
            }
            await desk.expect(
                "pins CHECK --save @Pins", "pass: saved: \(desk.files.path)/Pins/leaf-leaf.cer  CN=leaf\n")
            let first = try saved()
            #expect(first == ["leaf-leaf.cer"])
            await desk("pins CHECK --save @Pins --position intermediate,root").expect(.pass, not: "leaf-leaf.cer")
            #expect(try saved() == ["intermediate-InterA.cer", "leaf-leaf.cer", "root-RootA.cer"])
            await desk("CHECK --pins @Pins").expect(.pass)
            await desk("pins CHECK --save @Pins").says(
                errors: "is there already: \(desk.files.path)/Pins/leaf-leaf.cer")
            await desk.expect(
                "pins @leaf.pem --save @no/where", "inputOutput: the directory above it is not there: make it")
            await desk("pins @leaf.pem --save @leaf.pem").says(errors: "it is a file: name a directory")
        }
    }

    @Test(.has("curl")) func curlTakesTheCommandAsItIsPrinted() async throws {
        let settings = TLSServerSettings(presenting: served).with {
            $0.application = .answers("HTTP/1.0 204 No Content\r\n\r\n".bytes)
        }
        try await Desk.serving(.tls(settings)) { desk, server in
            let block = await desk("pins CHECK -f curl").output
            let toServer = "--cacert '\(desk.files.path)/root.pem' --connect-to \(host):443:\(server.place)"
            let options = "-sS --max-time 10 --noproxy '*' --output /dev/null \(toServer)"
            for (pin, status) in [("$LEAF64", Int32(0)), ("$JUNK64", 90)] {
                let command = block.replacing(desk.expand("$LEAF64"), with: desk.expand(pin))
                let outcome = try await BuiltBinary.run("curl() { command curl \(options) \"$@\"; }\n" + command)
                #expect(outcome.status == status, "\(outcome)")
            }
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

    @Test func aPrivateKeyIsReadOnPurposeOnlyAndNeverShown() async throws {
        let key = try LabKey.shared(.p256, label: "pins secret")
        let pin = key.pin
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

    @Test func whatHoldsNoKeyIsRefused() async throws {
        let desk = try Desk(["prose": "no pin\n", "none/x/y": ""])
        try desk.files.write(Array(pki.leaf.der.dropLast()), to: "cut.cer")
        for (line, end) in [("@prose", "data: $DIR/prose"), ("@cut.cer", "data: $DIR/cut.cer"), ("@none", "noInput")] {
            await desk.expect("pins " + line, end)
        }
        #expect(active(pki.interA, in: await desk("pins @inter.pem -f okhttp").output))
        let both = await desk("pins @inter.pem @leaf.pem -f okhttp").output
        #expect(active(pki.leaf, in: both) && !active(pki.interA, in: both))
    }

    @Test func aSecondPinIsAskedForOnlyWhereThereIsOne() async throws {
        let texts = ["backup.key": try pki.leaf2.key.privateKeyPEM(), "list": "$LEAF\n$NEXT\n"]
        let desk = try Desk(texts)
        await desk("pins @chain.pem").says("Backup: add the pin of a second key")
        for form in ["text"] + Self.blocks {
            let runs = ["@chain.pem --key @backup.key", "--from @list"]
            // AFNetworking takes certificates, and no hashes of a list.
            for run in form == "afnetworking" ? Array(runs.prefix(1)) : runs {
                let outcome = await desk("pins \(run) --host $HOST -f \(form)").expect(.pass)
                for sentence in ["Backup: ", "fewer than two", "second key that you keep"] {
                    #expect(!outcome.output.contains(sentence), "\(run): \(outcome.output)")
                }
            }
        }
        await desk("pins @chain.pem --key @backup.key -f afnetworking").says("needs a certificate")
    }
}
