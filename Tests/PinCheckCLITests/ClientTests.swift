import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// `--client`: one client or several judge the same chain.
@Suite(.endsSomeTime) struct ClientTests {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    private func pin(_ certificate: LabCertificate) -> String {
        "sha256/" + Data(certificate.publicKeySHA256).base64EncodedString()
    }

    /// Runs `verify` on a chain with anchors, for the server's name.
    private func verify(_ chain: [LabCertificate], anchors: [LabCertificate], _ arguments: String...) async throws
        -> Outcome
    { try await verify(chain, anchors: anchors, arguments) }

    private func verify(_ chain: [LabCertificate], anchors: [LabCertificate], _ arguments: [String]) async throws
        -> Outcome
    {
        try await TemporaryDirectory.scoped { files in
            let chainFile = try files.write(pem(of: chain), to: "chain.pem")
            let anchorsFile = try files.write(pem(of: anchors), to: "anchors.pem")
            let fixed = ["verify", chainFile, "--anchors", anchorsFile, "--verify-name", StandardPKI.serverName]
            return await pincheck(fixed + arguments)
        }
    }

    @Test func everyClientAcceptsALeafPinWithABackup() async throws {
        let pins = ["--pins", pin(pki.leaf), "--pins", pin(pki.leaf2)]
        try await verify([pki.leaf, pki.interA], anchors: [pki.rootA], pins + ["--client", "all"]).expect(
            .pass, ending: "all 9 clients accept\n")
    }

    @Test func afNetworking25WantsTheWholeChainPinnedUnlessToldOtherwise() async throws {
        let arguments = ["--pins", pin(pki.leaf), "--client", "afnetworking-2.5"]
        try await verify([pki.leaf, pki.interA], anchors: [pki.rootA], arguments).expect(
            .fail, "validatesCertificateChain: equal keys 1, length of the built chain 3")
        try await verify(
            [pki.leaf, pki.interA], anchors: [pki.rootA], arguments.dropLast() + ["afnetworking-2.5:chain=no"]
        ).expect(.pass)
    }

    @Test func anIntermediatePinIsEnoughForSomeAndNotForOthers() async throws {
        try await verify(
            [pki.leaf2, pki.interA], anchors: [pki.rootA], "--pins", pin(pki.interA), "--pins", pin(pki.junk),
            "--client", "okhttp,curl,trustkit,nspinneddomains:key=leaf"
        ).expect(
            .fail, "  accept  okhttp                    public key pin matched at depth 1\n",
            "  reject  curl                      the leaf's public key is not pinned",
            "  nspinneddomains: the key of the authority at depth 1 is in NSPinnedLeafIdentities",
            "  pins: 2 configured, 1 on the chain (intermediate), 1 not in the chain",
            ending: "; also rejected by curl\n", errors: "curl: the pin is that of the authority at depth 1")
    }

    @Test func jsonListsEachClientWithItsSettings() async throws {
        let outcome = try await verify(
            [pki.leaf, pki.interA], anchors: [pki.rootA], "--pins", pin(pki.junk), "--pins", pin(pki.rogue), "--client",
            "afnetworking,trustkit:no-enforce", "--format", "json"
        ).expect(.fail)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let clients = try #require(object["clients"] as? [[String: Any]])
        try #require(clients.map { $0["name"] as? String } == ["afnetworking", "trustkit"])
        #expect(clients.map { $0["verdict"] as? String } == ["reject", "accept"])
        #expect((clients[0]["settings"] as? [String: Any])?["validates_domain_name"] as? Bool == true)
        #expect((clients[1]["settings"] as? [String: Any])?["no_enforce"] as? Bool == true)
        #expect((clients[1]["reason"] as? [String: Any])?["id"] as? String == "mismatch-not-enforced")
        #expect(object["verdict"] as? String == "reject")
    }

    @Test func aClientThatCannotBeSetUpIsADataError() async throws {
        try await verify([pki.leaf, pki.interA], anchors: [pki.rootA], "--pins", pin(pki.leaf), "--client", "trustkit")
            .expect(.data, errors: "TrustKit needs 2: add a backup pin")
        let all = try await verify(
            [pki.leaf, pki.interA], anchors: [pki.rootA], "--pins", pin(pki.leaf), "--client", "all"
        ).expect(.data, "  none    trustkit         1 pin is configured and TrustKit needs 2")
        let verdict =
            "trustkit cannot be set up: 1 pin is configured and TrustKit needs 2: add a backup pin; all 8 clients accept"
        let text = all.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(text.contains("DATA") && text.hasSuffix(verdict), "\(all.output)")
        try await verify(
            [pki.leaf, pki.interA], anchors: [pki.rootA], "--pins", pin(pki.leaf), "--client", "all", "--format",
            "junit"
        ).says("name=\"trustkit: not-configured\"", "warning client-not-set-up: ")
    }

    @Test func onlyClientsOnApplesPlatformsAnswerAChallenge() async throws {
        let outcome = try await verify(
            [pki.leaf, pki.interA], anchors: [pki.rootA], "--pins", pin(pki.leaf), "--client",
            "okhttp,curl,nspinneddomains", "--explain")
        #expect(outcome.output.ranges(of: "an NSURLSession client answers useCredential").count == 1)
        let document = try await verify(
            [pki.leaf, pki.interA], anchors: [pki.rootA], "--client", "okhttp,curl,afnetworking", "--format", "json")
        let clients = try JSONValue(document.output)["clients"].array
        #expect(clients.map { $0["disposition"].text } == [nil, nil, "useCredential"])
    }

    @Test func anInstalledRootFoolsAppsWithoutPinsButNotThoseOnAndroid() async throws {
        // The Charles case: the interceptor's chain, its root installed on the device by hand.
        try await TemporaryDirectory.scoped { files in
            let root = try files.write(pki.rootB.pem, to: "charles.pem")
            try await verify(
                [pki.rogue, pki.rogueI], anchors: [pki.rootA], "--extra-root", root, "--client",
                "afnetworking,alamofire,android,okhttp:user-roots"
            ).expect(
                .fail, "  accept  afnetworking       the chain is trusted",
                "  reject  android            the issuer of CN=RogueI (depth 1)",
                "  accept  okhttp:user-roots  the chain is trusted")
            try await verify(
                [pki.rogue, pki.rogueI], anchors: [pki.rootA], "--extra-root", root, "--pins", pin(pki.leaf),
                "--client", "afnetworking"
            ).expect(.fail, ending: "no configured pin is on the chain\n")
            // Nor does a pin compared by hand exempt them.
            try await verify(
                [pki.rogue, pki.rogueI], anchors: [pki.rootA], "--extra-root", root, "--pins", pin(pki.leaf),
                "--client", "generic"
            ).expect(.fail)
        }
    }

    @Test func trustKitExemptsInstalledRootsWhereItsConfigurationSaysSo() async throws {
        try await TemporaryDirectory.scoped { files in
            let root = try files.write(pki.rootB.pem, to: "charles.pem")
            let hashes = [pki.leaf, pki.leaf2].map { "\"\($0.pin.dropFirst(7))\"" }.joined(separator: ",")
            for (value, decision) in [
                ("", "fail pin-mismatch"), ("true", "pass pins-not-applied"), ("false", "fail pin-mismatch"),
            ] {
                let key = value.isEmpty ? "" : #""TSKIgnorePinningForUserDefinedTrustAnchors": \#(value),"#
                let file = try files.write(
                    #"{\#(key) "TSKPinnedDomains": {"api.example.com": {"TSKPublicKeyHashes": [\#(hashes)]}}}"#,
                    to: "tsk.json")
                let outcome = try await verify(
                    [pki.rogue, pki.rogueI], anchors: [pki.rootA], "--extra-root", root, "--pins", file, "--client",
                    "trustkit", "--format", "json")
                #expect(outcome.decision == decision, "\(value): \(outcome)")
            }
        }
    }

    @Test func aPatternOfOkHttpMayBeInternational() async throws {
        let leaf = try pki.interA.issue(.leaf("www.xn--bcher-kva.example"))
        for (pattern, decision) in [
            ("*.bücher.example", "fail pin-mismatch"), ("**.BÜCHER.example", "fail pin-mismatch"),
            ("*.bucher.example", "pass pins-not-applied"),
        ] {
            let outcome = try await verify(
                [leaf, pki.interA], anchors: [pki.rootA], "--verify-name", "www.bücher.example", "--pins",
                pin(pki.junk), "--client", "okhttp:pattern=\(pattern)", "--format", "json")
            #expect(outcome.decision == decision, "\(pattern)")
        }
    }

    @Test func aMachineWithoutRootsIsToldSo() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let arguments = ["verify", chain, "--verify-name", StandardPKI.serverName]
            let store = ["SSL_CERT_DIR": files.path]
            await pincheck(arguments, environment: store).says(
                errors: "this machine has no trusted roots (\(files.path) and /nonexistent)")
            #expect(await decision(arguments, environment: store) == "fail unknown-issuer")
            _ = try files.write(pki.rootB.pem, to: pki.rootB.hashedFileName)
            await pincheck(arguments, environment: store).says(not: "no trusted roots")
            #expect(await decision(arguments, environment: store) == "fail unknown-issuer")
        }
    }

    @Test func internationalNamesAreReadAsPeopleWriteThem() async throws {
        let leaf = try pki.interA.issue(.leaf("xn--bcher-kva.example"))
        for (name, decision) in [
            ("BÜCHER.example", "pass trusted-without-pins"), ("bücher。example", "pass trusted-without-pins"),
            ("bucher.example", "fail name-mismatch"),
        ] {
            let arguments = ["--verify-name", name, "--format", "json"]
            let outcome = try await verify([leaf, pki.interA], anchors: [pki.rootA], arguments)
            #expect(outcome.decision == decision, "\(name)")
        }
    }

    @Test func aWildcardAboveARegistrysSuffixCountsForNobody() async throws {
        for (names, host, status) in [
            (["*.co.uk"], "shop.co.uk", ExitStatus.fail), (["*.co.uk", "shop.co.uk"], "shop.co.uk", .pass),
            (["*.github.io"], "someone.github.io", .pass), (["*.example.co.uk"], "www.example.co.uk", .pass),
        ] {
            let template = CertificateTemplate.leaf(subject: "wild", names: names.map { GeneralName.dns($0) })
            let leaf = try pki.interA.issue(template)
            try await verify([leaf, pki.interA], anchors: [pki.rootA], "--verify-name", host).expect(status)
        }
    }

    @Test func theListOfClientsNamesEachWithItsSettings() async throws {
        let outcome = await pincheck("clients").expect(.pass)
        for name in ["afnetworking ", "afnetworking-2.5 ", "nspinneddomains ", "generic "] {
            #expect(outcome.output.contains("\n" + name) || outcome.output.hasPrefix(name))
        }
        #expect(outcome.output.contains("key=leaf|ca"))
    }
}
