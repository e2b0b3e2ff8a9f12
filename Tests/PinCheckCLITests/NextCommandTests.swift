import Foundation
import LoopbackLab
import PinCheckCLI
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
            let wrong = await next("chain.pem", pki.leaf.pin)
            #expect(wrong.status == .fail)
            #expect(
                wrong.output.hasSuffix(
                    "FAIL  \(file("chain.pem"))  afnetworking: no configured pin matches the key of CN=leaf: "
                        + "before it is deployed, ship \(pki.leaf2.pin)\n"))
            let expired = await next("expired.pem", pki.leafExp.pin)
            #expect(expired.status == .fail)
            #expect(expired.output.contains("expired"))
            let rogue = await next("rogue.pem", pki.rogue.pin)
            #expect(rogue.status == .fail)
            #expect(!rogue.output.contains("before it is deployed"))
        }
    }

    @Test func aKeyARequestAndACertificateAreHeldAgainstThePins() async throws {
        try await withFiles { flags, file in
            for name in ["leaf.pem", "key.pub", "next.csr"] {
                let right = await pincheck(["--next", file(name), "--pins", pki.leaf2.pin] + flags)
                #expect(right.status == .pass, "\(name) \(right.output)\(right.errors)")
                #expect(right.errors.contains("its certificate is assumed to be trusted and valid for the name"))
                let wrong = await pincheck(["--next", file(name), "--pins", pki.leaf.pin] + flags)
                #expect(wrong.status == .fail)
                #expect(wrong.output.contains("before it is deployed, ship \(pki.leaf2.pin)\n"))
            }
            #expect(
                await pincheck(["--next", file("next.csr"), "--pins", pki.leaf.pin] + flags).output.contains(
                    "no configured pin matches the key of the request for CN=next: "))
        }
    }

    @Test func eachClientIsToldItsOwnPin() async throws {
        try await withFiles { flags, file in
            let clients = ["okhttp", "curl", "hpkp", "trustkit"]
            let outcome = await pincheck(
                [
                    "--next", file("next.csr"), "--pins", pki.leaf.pin, "--pins", pki.junk.pin, "--client",
                    clients.joined(separator: ","),
                ] + flags)
            #expect(outcome.status == .fail)
            let base64 = String(pki.leaf2.pin.dropFirst(7))
            for pin in [
                "ship sha256/\(base64)\n", "ship sha256//\(base64)\n", "pin-sha256=\"\(base64)\"", "ship \(base64)\n",
            ] { #expect(outcome.output.contains(pin), "\(outcome.output)") }
            #expect(outcome.output.contains("; also rejected by "))
        }
    }

    @Test func certificatePinsAreBrokenByEveryNewCertificate() async throws {
        try await withFiles { flags, file in
            let pinned = ["--pins", file("old.cer")] + flags
            #expect(await decision(["--next", file("key.pub")] + pinned) == "fail pin-mismatch")
            #expect(await decision(["--next", file("chain.pem")] + pinned) == "fail pin-mismatch")
            #expect(await pincheck(["--next", file("old.cer")] + pinned).status == .pass)
            #expect(await pincheck(["--next", file("old.cer")] + pinned + ["--mode", "public-key"]).status == .pass)
        }
    }

    @Test func aClientThatOnlyReportsGoesOn() async throws {
        try await withFiles { flags, file in
            let pins = ["--next", file("next.csr"), "--pins", pki.leaf.pin, "--pins", pki.junk.pin]
            #expect(await pincheck(pins + ["--client", "trustkit:no-enforce"] + flags).status == .pass)
            #expect(await decision(pins + ["--client", "trustkit"] + flags) == "fail pin-mismatch")
        }
    }

    @Test func theAuthoritiesOfTodayAreAssumedToIssueAgain() async throws {
        try await withFiles { flags, file in
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let base = [host, "--connect", "127.0.0.1:\(server.port)"] + flags
                for name in ["next.csr", "leaf.pem"] {
                    let outcome = await pincheck(base + ["--next", file(name), "--pins", pki.interA.pin])
                    #expect(outcome.status == .pass, "\(outcome.output)")
                    #expect(outcome.output.contains("PASS  \(host):443"))
                    #expect(outcome.output.contains("PASS  \(file(name))"))
                }
                let request = await pincheck(base + ["--next", file("next.csr"), "--pins", pki.interA.pin])
                #expect(
                    request.errors.contains(
                        "this holds if the authorities of today issue it again: CN=InterA, CN=RootA"))
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
                // Today's pin holds and tomorrow's does not: the worst decides.
                let break_ = await pincheck(base + ["--next", file("next.csr"), "--pins", pki.leaf.pin])
                #expect(break_.status == .fail)
                #expect(break_.output.contains("PASS  \(host):443"))
            }
        }
    }

    @Test func severalFilesAreSeveralVerdicts() async throws {
        try await withFiles { flags, file in
            let outcome = await pincheck(
                ["--next", file("chain.pem"), "--next", file("old.cer"), "--pins", pki.leaf2.pin, "--format", "jsonl"]
                    + flags)
            #expect(outcome.status == .fail)
            #expect(outcome.output.split(separator: "\n").count == 2)
        }
    }

    @Test func mistakesSayWhatToDo() async throws {
        try await withFiles { flags, file in
            let pin = ["--pins", pki.leaf.pin]
            let none = await pincheck(["--next", file("next.csr")] + flags)
            #expect(none.status == .usage)
            #expect(none.errors.contains("add --pins"))
            let key = await pincheck(["--next", file("next.key")] + pin + flags)
            #expect(key.status == .data)
            #expect(key.errors.contains("holds a private key, which was not used: give its public half"))
            #expect(await pincheck(["--next", file("absent")] + pin + flags).status == .noInput)
            let list = try await TemporaryDirectory.scoped { files in
                await pincheck(["--next", try files.write(pki.leaf.pin, to: "pins.txt")] + pin + flags)
            }
            #expect(list.status == .data)
            #expect(list.errors.contains("holds pins and not what they are pins of"))
        }
    }
}
