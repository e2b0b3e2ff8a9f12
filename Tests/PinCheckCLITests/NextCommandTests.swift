import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `check --next`: will the pins accept what is about to be deployed?
@Suite(.endsSomeTime) struct NextCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Runs with the next certificate, request and key of the server as files.
    private func withFiles(_ body: (_ flags: [String], _ file: (String) -> String) async throws -> Void) async throws {
        try await TemporaryDirectory.scoped { files in
            let next = pki.leaf2
            try files.write(next.pem + pki.interA.pem, to: "chain.pem")
            try files.write(next.pem, to: "leaf.pem")
            try files.write(next.key.publicKeyPEM, to: "key.pub")
            try files.write(try next.key.certificationRequest("next"), to: "next.csr")
            try files.write(try next.key.privateKeyPEM(), to: "next.key")
            try files.write(pki.leaf.der, to: "old.cer")
            try files.write(pki.leaf.pem + pki.interA.pem, to: "old.pem")
            try files.write(pki.rogue.pem + pki.rogueI.pem, to: "rogue.pem")
            try files.write(pki.leafExp.pem + pki.interA.pem, to: "expired.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await body(["--anchors", anchors, "--host", host]) { files.path + "/" + $0 }
        }
    }

    @Test func aChainIsJudgedAsAServersWouldBe() async throws {
        try await withFiles { flags, file in
            func next(_ name: String, _ pin: String) async -> Outcome {
                await pincheck(["check", "--next", file(name), "--pins", pin] + flags)
            }
            #expect(await next("chain.pem", pki.leaf2.pin).status == .pass)
            #expect(await next("chain.pem", pki.interA.pin).status == .pass)
            await next("chain.pem", pki.leaf.pin).expect(
                .fail,
                ending: "FAIL  \(file("chain.pem"))  no configured pin matches the key of CN=leaf: "
                    + "before it is deployed, ship \(pki.leaf2.pin)\n")
            await next("expired.pem", pki.leafExp.pin).expect(.fail, "expired")
            await next("rogue.pem", pki.rogue.pin).expect(.fail, not: "before it is deployed")
        }
    }

    @Test func aKeyAndARequestAreHeldAgainstThePins() async throws {
        try await withFiles { flags, file in
            for name in ["key.pub", "next.csr"] {
                await pincheck(["--next", file(name), "--pins", pki.leaf2.pin] + flags).expect(
                    .pass, errors: "its certificate is assumed to be trusted and valid for the name")
                await pincheck(["--next", file(name), "--pins", pki.leaf.pin] + flags).expect(
                    .fail, "before it is deployed, ship \(pki.leaf2.pin)\n")
            }
            #expect(
                await pincheck(["--next", file("next.csr"), "--pins", pki.leaf.pin] + flags).output.contains(
                    "no configured pin matches the key of the request for CN=next: "))
            // So is a certificate of which neither a file nor a server tells the CAs.
            for (pins, expected) in [(pki.leaf2.pin, "pass pin-matched"), (pki.leaf.pin, "fail pin-mismatch")] {
                let leaf = await decision(["--next", file("leaf.pem"), "--pins", pins] + flags)
                #expect(leaf == expected)
            }
        }
    }

    /// What a certificate tells by itself is judged, and what only it would tell is asked of it.
    @Test func whatOnlyACertificateTellsIsAskedOfIt() async throws {
        try await withFiles { flags, file in
            let elsewhere = try pki.interA.issue(.leaf("elsewhere.example"), key: pki.leaf2.key)
            try await TemporaryDirectory.scoped { files in
                let other = try files.write(elsewhere.pem, to: "other.pem")
                let expired = try files.write(pki.leafExp.pem, to: "expired.pem")
                let pinned = try files.write(pki.leaf2.der, to: "pinned.cer")
                let lines = try files.write("other.example.com \(pki.leaf2.pin)\n", to: "lines.txt")
                let (key, aware) = (file("key.pub"), "is compared as a whole: ask with the certificate")
                let rows: [(next: String, arguments: [String], status: ExitStatus, words: String)] = [
                    (key, ["--pins", pki.leaf2.pin], .pass, "valid for the name, with dates that clients take"),
                    (file("leaf.pem"), ["--pins", pki.leaf2.pin], .pass, "its issuer is assumed to be trusted"),
                    (other, ["--pins", pki.leaf2.pin], .fail, "is not valid for \(host)"),
                    (other, ["--pins", pki.leaf2.pin, "--no-validate-domain-name"], .fail, "neither presented nor"),
                    (expired, ["--pins", pki.leafExp.pin], .fail, "expired at"),
                    (key, ["--pins", pinned], .fail, aware),
                    (key, ["--pins", pinned, "--client", "generic"], .fail, aware),
                    (key, ["--pins", pinned, "--mode", "public-key"], .pass, "PASS"),
                    (key, ["--pins", lines], .data, "the nearest is for other.example.com"),
                    (key, ["--pins", lines, "--client", "okhttp"], .data, "the nearest is for other.example.com"),
                    (key, ["--pins", pki.leaf2.pin, "--client", "okhttp,trustkit"], .data, "TrustKit needs 2"),
                ]
                for row in rows {
                    await pincheck(["--next", row.next] + row.arguments + flags).expect(row.status, told: row.words)
                }
            }
        }
    }

    @Test func aCertificateAloneIsHeldToTheAppsTransportSecurity() async throws {
        let plist = "<plist><dict><key>NSAppTransportSecurity</key><dict/></dict></plist>"
        for (digest, expected) in [(SignatureDigest.sha256, "pass pin-matched"), (.sha1, "fail pin-mismatch")] {
            let leaf = try pki.interA.issue(CertificateTemplate.leaf(host).with { $0.digest = digest })
            try await TemporaryDirectory.scoped { files in
                let next = try files.write(leaf.der, to: "next.cer")
                let info = try files.write(plist, to: "Info.plist")
                let pins = ["--pins", info, "--pins", leaf.pin, "--client", "afnetworking"]
                #expect(await decision(["--next", next, "--host", host] + pins) == expected)
            }
        }
    }

    @Test func aKeyWithoutItsChainIsNoAnswerWhereItsAuthorityIsPinnedToo() async throws {
        try await withFiles { flags, file in
            let identities = [("Leaf", pki.leaf2.pin), ("CA", pki.interA.pin)].map { place, pin in
                "<key>NSPinned\(place)Identities</key><array><dict><key>SPKI-SHA256-BASE64</key>"
                    + "<string>\(pin.dropFirst(7))</string></dict></array>"
            }
            let plist =
                "<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict><key>\(host)</key>"
                + "<dict>\(identities.joined())</dict></dict></dict></dict></plist>"
            try await TemporaryDirectory.scoped { files in
                let info = try files.write(plist, to: "Info.plist")
                await pincheck(["--next", file("next.csr"), "--pins", info] + flags).expect(
                    .fail, "ask with the chain, or name a target")
            }
        }
    }

    @Test func eachClientIsToldItsOwnPin() async throws {
        try await withFiles { flags, file in
            let clients = ["okhttp", "curl", "trustkit"]
            let outcome = await pincheck(
                [
                    "--next", file("next.csr"), "--pins", pki.leaf.pin, "--pins", pki.junk.pin, "--client",
                    clients.joined(separator: ","),
                ] + flags
            ).expect(.fail)
            let base64 = String(pki.leaf2.pin.dropFirst(7))
            for pin in ["ship sha256/\(base64)\n", "ship sha256//\(base64)\n", "ship \(base64)\n"] {
                #expect(outcome.output.contains(pin), "\(outcome.output)")
            }
        }
    }

    @Test func certificatePinsAreBrokenByEveryNewCertificate() async throws {
        try await withFiles { flags, file in
            let pinned = ["--pins", file("old.cer")] + flags
            #expect(await decision(["--next", file("key.pub")] + pinned) == "fail pin-mismatch")
            #expect(await decision(["--next", file("chain.pem")] + pinned) == "fail pin-mismatch")
            #expect(await pincheck(["--next", file("old.pem")] + pinned).status == .pass)
            #expect(await pincheck(["--next", file("old.pem")] + pinned + ["--mode", "public-key"]).status == .pass)
        }
    }

    @Test func aClientThatOnlyReportsGoesOn() async throws {
        try await withFiles { flags, file in
            let pins = ["--next", file("next.csr"), "--pins", pki.leaf.pin, "--pins", pki.junk.pin]
            #expect(await pincheck(pins + ["--client", "trustkit:no-enforce"] + flags).status == .pass)
            #expect(await decision(pins + ["--client", "trustkit"] + flags) == "fail pin-mismatch")
        }
    }

    @Test func theServerOfTodayIsAskedToo() async throws {
        try await withFiles { flags, file in
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let base = [host, "--connect", "127.0.0.1:\(server.port)"] + flags
                // The certificate is there: with the authorities the server sends it makes a path of its own.
                let leaf = await pincheck(
                    base + ["--next", file("leaf.pem"), "--pins", pki.interA.pin, "--format", "json"])
                let document = try JSONSerialization.jsonObject(with: Data(leaf.output.utf8)) as? [String: Any]
                let results = try #require(document?["results"] as? [[String: Any]])
                try #require(results.count == 2)
                #expect(results[0]["next"] is NSNull)
                let next = try #require(results[1]["next"] as? [String: Any])
                #expect(next["assumed"] as? Bool == false)
                #expect(next["kind"] as? String == "certificate")
                #expect(next["pin"] as? String == pki.leaf2.pin)
                // Of a request nobody knows who issues its certificate.
                await pincheck(base + ["--next", file("next.csr"), "--pins", pki.interA.pin]).expect(
                    .fail, "and a pinned CA need not be the one that issues its certificate: before")
                // Today's pin holds and tomorrow's does not: the worst decides.
                await pincheck(base + ["--next", file("next.csr"), "--pins", pki.leaf.pin]).expect(
                    .fail, "PASS  \(host):443")
            }
        }
    }

    /// What is asked of a bare key, and of the places beside the leaf's.
    @Test func aBareKeyIsComparedAtTheLeafAlone() async throws {
        try await withFiles { flags, file in
            func plist(_ leaf: String, _ authority: String?, isSecured: Bool = false) -> String {
                func list(_ key: String, _ pin: String) -> String {
                    "<key>\(key)</key><array><dict><key>SPKI-SHA256-BASE64</key><string>\(pin.dropFirst(7))</string></dict></array>"
                }
                return "<plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict>"
                    + "<key>NSAllowsArbitraryLoads</key><\(!isSecured)/><key>NSPinnedDomains</key><dict>"
                    + "<key>\(host)</key><dict>" + list("NSPinnedLeafIdentities", leaf)
                    + (authority.map { list("NSPinnedCAIdentities", $0) } ?? "")
                    + "</dict></dict></dict></dict></plist>"
            }
            try await TemporaryDirectory.scoped { files in
                let alone = try files.write(plist(pki.leaf2.pin, nil), to: "leaf.plist")
                let both = try files.write(plist(pki.leaf2.pin, pki.interA.pin), to: "both.plist")
                let secured = try files.write(plist(pki.leaf2.pin, nil, isSecured: true), to: "secured.plist")
                let wrong = try files.write(plist(pki.leaf2.pin, pki.rogueI.pin), to: "wrong.plist")
                let odd = try LabKey.shared(.ed25519, label: "next")
                let ed25519 = try files.write(odd.publicKeyPEM, to: "ed25519.pub")
                let oddPin = try #require(SHA256Digest(bytes: odd.publicKeySHA256)).description
                let pinned = ["--pins", pki.leaf2.pin, "--pins", pki.interA.pin]
                let old = ["--client", "afnetworking-2.5"]
                try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                    let today = [host, "--connect", "127.0.0.1:\(server.port)"]
                    let key = ["--next", file("key.pub"), "--client", "nspinneddomains", "--pins"]
                    let rows: [(arguments: [String], decision: String)] = [
                        (key + [alone], "pass pin-matched"), (key + [both], "fail pin-mismatch"),
                        (today + key + [both], "pass pin-matched"), (today + key + [wrong], "fail pin-mismatch"),
                        // App Transport Security judges the certificate's signature, which no key tells.
                        (key + [secured], "fail pin-mismatch"),
                        // Every certificate has to be pinned: the root is not.
                        (today + ["--next", file("key.pub")] + pinned + old, "fail pin-mismatch"),
                        (
                            today + ["--next", file("key.pub"), "--pins", pki.rootA.pin] + pinned + old,
                            "pass pin-matched"
                        ),
                        // Of a lone certificate it is assumed, with a warning; of a key it is not.
                        (["--next", file("leaf.pem")] + pinned + old, "pass pin-matched"),
                        (["--next", file("key.pub")] + pinned + old, "fail pin-mismatch"),
                        // A key that the client or its platform does not take.
                        (["--next", ed25519, "--pins", oddPin, "--client", "afnetworking"], "fail pin-mismatch"),
                        (["--next", ed25519, "--pins", oddPin], "pass pin-matched"),
                        (["--next", ed25519, "--pins", oddPin, "--client", "okhttp"], "fail pin-mismatch"),
                        (["--next", ed25519, "--pins", oddPin, "--client", "curl"], "pass pin-matched"),
                    ]
                    for (arguments, decision) in rows {
                        let outcome = await pincheck(arguments + flags + ["--format", "json"])
                        let document = try JSONValue(outcome.output)
                        let result = document["results"].array.last ?? document
                        let word = result["verdict"].text == "accept" ? "pass" : "fail"
                        #expect("\(word) \(result["reason"]["id"].text ?? "")" == decision, "\(arguments): \(outcome)")
                    }
                }
            }
        }
    }

    @Test func severalFilesAreSeveralVerdicts() async throws {
        try await withFiles { flags, file in
            let outcome = await pincheck(
                ["--next", file("chain.pem"), "--next", file("old.cer"), "--pins", pki.leaf2.pin, "--format", "jsonl"]
                    + flags
            ).expect(.fail)
            #expect(outcome.output.split(separator: "\n").count == 2)
        }
    }

    @Test func mistakesSayWhatToDo() async throws {
        try await withFiles { flags, file in
            let pin = ["--pins", pki.leaf.pin]
            await pincheck(["--next", file("next.csr")] + flags).expect(.usage, errors: "none are given: give --pins")
            await pincheck(["--next", file("next.key")] + pin + flags).expect(
                .data, errors: "holds a private key, which was not used: give its public half")
            #expect(await pincheck(["--next", file("absent")] + pin + flags).status == .noInput)
            let list = try await TemporaryDirectory.scoped { files in
                await pincheck(["--next", try files.write(pki.leaf.pin, to: "pins.txt")] + pin + flags)
            }
            #expect(list.status == .data)
            #expect(list.errors.contains("holds pins and not what they are pins of"))
        }
    }
}
