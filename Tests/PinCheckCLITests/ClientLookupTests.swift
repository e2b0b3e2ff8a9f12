import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Hosts are looked up in configurations as each client's own code does it: as text, with its own idea of which.
@Suite(.endsSomeTime) struct ClientLookupTests {
    let pki: StandardPKI
    private let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    private func bare(_ certificate: LabCertificate) -> String {
        SHA256Digest(bytes: certificate.publicKeySHA256)!.base64
    }

    private var wrongPins: String { pinSet([pki.junk, pki.rogue]) }

    private func pinSet(_ certificates: [LabCertificate], _ attributes: String = "", digest: String = "SHA-256")
        -> String
    {
        "<pin-set\(attributes)>" + certificates.map { "<pin digest=\"\(digest)\">\(bare($0))</pin>" }.joined()
            + "</pin-set>"
    }

    private func android(_ body: String) -> String {
        "<network-security-config>\n\(body)\n</network-security-config>\n"
    }

    /// The verdict's reason by `client`, or the status where there is none.
    private func reason(
        _ configuration: String, named name: String = "nsc.xml", client: String, host: String? = nil,
        _ arguments: String...
    ) async throws -> (reason: String, outcome: Outcome) {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let source = try files.write(Array(configuration.utf8), to: name)
            let outcome = await pincheck(
                [
                    "verify", chain, "--anchors", anchors, "--pins", source, "--client", client, "--format", "json",
                    "--host", host ?? self.host,
                ] + arguments)
            return (outcome.status == .data ? "data" : outcome.output.reasonID ?? "none", outcome)
        }
    }

    private func lint(_ configuration: String, named name: String = "nsc.xml") async throws -> String {
        try await TemporaryDirectory.scoped { files in
            let source = try files.write(Array(configuration.utf8), to: name)
            return await pincheck("lint", source).output
        }
    }

    // MARK: Addresses

    @Test(arguments: ["10.0.2.2", "127.0.0.1", "::1", "*.example.net", "http://example.net"])
    func aNameWithoutPinsNeverMakesAFileUnusable(_ name: String) async throws {
        let text = android(
            "<domain-config cleartextTrafficPermitted=\"true\"><domain>\(name)</domain></domain-config>\n"
                + "<domain-config><domain>\(host)</domain>\(pinSet([pki.leaf]))</domain-config>")
        #expect(try await reason(text, client: "android").reason == "pin-matched")
        #expect(
            try await reason(text.replacing(bare(pki.leaf), with: bare(pki.junk)), client: "android").reason
                == "pin-mismatch")
        #expect(try await !lint(text).contains("error"))
    }

    @Test func anAddressIsPinnedAsTextByAndroidAndOkHttp() async throws {
        let address = "203.0.113.7"
        let server = try pki.interA.issue(
            .leaf(subject: DistinguishedName(commonName: "address"), names: [.ip([203, 0, 113, 7])]))
        let text = android("<domain-config><domain>\(address)</domain>\(wrongPins)</domain-config>")
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [server, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let nsc = try files.write(Array(text.utf8), to: "nsc.xml")
            let list = try files.write(Array("\(address) \(pki.junk.pin)\n".utf8), to: "hosts")
            for (source, client) in [(nsc, "android"), (list, "okhttp")] {
                let outcome = await pincheck(
                    "verify", chain, "--anchors", anchors, "--pins", source, "--client", client, "--host", address)
                #expect(outcome.output.contains("pin-mismatch") || outcome.status == .fail, "\(outcome)")
            }
        }
    }

    // MARK: Exemptions

    @Test(arguments: [("system", "pins-not-applied"), ("user", "unknown-issuer")])
    func overridePinsOnTheSystemsStoreExemptsItsRoots(_ store: String, expected: String) async throws {
        let anchors = "<trust-anchors><certificates src=\"\(store)\" overridePins=\"true\"/></trust-anchors>"
        let text = android("<domain-config><domain>\(host)</domain>\(wrongPins)\(anchors)</domain-config>")
        #expect(try await reason(text, client: "android").reason == expected)
    }

    @Test func anOwnAnchorThatCannotBeReadIsNoRootOfAnExemptStore() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
            func decided(_ own: String, exempting store: String) async throws -> String {
                try files.write(own, to: "own.pem")
                let anchors =
                    "<trust-anchors><certificates src=\"@raw/own\"/><certificates src=\"\(store)\"/></trust-anchors>"
                let text = android("<domain-config><domain>\(host)</domain>\(wrongPins)\(anchors)</domain-config>")
                let nsc = try files.write(Array(text.utf8), to: "nsc.xml")
                let outcome = await pincheck(
                    ["verify", chain, "--anchors", root, "--pins", nsc, "--client", "android", "--host", host] + [
                        "--format", "json",
                    ])
                return outcome.status == .data ? outcome.errors : outcome.decision
            }
            let exempt = "system\" overridePins=\"true"
            // Where two sources hold the root, the one that overrides pins counts.
            #expect(try await decided(pki.rootA.pem, exempting: exempt) == "pass pins-not-applied")
            for own in [broken, pki.rootA.pem + broken] {
                #expect(try await decided(own, exempting: exempt).contains("own.pem: holds no readable certificate"))
                #expect(try await decided(own, exempting: "system").contains("own.pem: holds no readable certificate"))
            }
            #expect(try await decided(pki.rootB.pem, exempting: exempt) == "pass pins-not-applied")
        }
    }

    @Test func overridePinsOnTheUsersStoreExemptsInstalledRoots() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            // Another certificate of the same name and key.
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let other = try files.write(pki.rootB.pem, to: "other.pem")
            // Where the configuration names the system's store alone, the setting contradicts it.
            for (store, status) in [("user", ExitStatus.pass), ("system", .data)] {
                let anchors = "<trust-anchors><certificates src=\"\(store)\" overridePins=\"true\"/></trust-anchors>"
                let text = android("<domain-config><domain>\(host)</domain>\(wrongPins)\(anchors)</domain-config>")
                let nsc = try files.write(Array(text.utf8), to: "nsc.xml")
                let outcome = await pincheck(
                    "verify", chain, "--anchors", other, "--extra-root", root, "--pins", nsc, "--client",
                    "android:user-roots", "--host", host)
                #expect(outcome.status == status, "\(store) \(outcome)")
            }
        }
    }

    // MARK: Names

    @Test(arguments: ["api.example.com.", "bücher.example.com"]) func aNameThatAndroidNeverMatchesPinsNothing(
        _ name: String
    ) async throws {
        let text = android("<domain-config><domain>\(name)</domain>\(wrongPins)</domain-config>")
        let (reason, outcome) = try await reason(text, client: "android")
        #expect(outcome.status == .pass && reason != "pin-matched", "\(outcome)")
        #expect((outcome.output + outcome.errors).contains("host-never-matches"))
        #expect(try await lint(text).contains("error: '\(name)' pins no server as URLs name it"))
    }

    @Test func aNameWithAndWithoutADotAreTwo() async throws {
        let text = android(
            "<domain-config><domain>\(host)</domain><domain>\(host).</domain>\(pinSet([pki.leaf]))</domain-config>")
        #expect(try await reason(text, client: "android").reason == "pin-matched")
    }

    @Test func aDigestCountsWithoutRegardToCaseForAndroid() async throws {
        let pins = pinSet([pki.junk, pki.rogue], digest: "sha-256")
        let text = android("<domain-config><domain>\(host)</domain>\(pins)</domain-config>")
        #expect(try await reason(text, client: "android").reason == "pin-mismatch")
    }

    @Test func whatDebuggableBuildsThrowForIsFoundAndNoObstacle() async throws {
        let text = android(
            "<domain-config><domain>\(host)</domain>\(pinSet([pki.leaf]))</domain-config>"
                + "<debug-overrides><trust-anchors><certificates src=\"usr\"/></trust-anchors></debug-overrides>")
        #expect(try await reason(text, client: "android").reason == "pin-matched")
        #expect(try await lint(text).contains("[debug-build-throws]"))
    }

    // MARK: Dots in URLs

    @Test func aDotAtTheEndOfAURLsHostIsAnotherHostToOkHttp() async throws {
        let list = "\(host) \(pki.junk.pin)\n"
        #expect(try await reason(list, named: "hosts", client: "okhttp").reason == "pin-mismatch")
        let (rooted, outcome) = try await reason(list, named: "hosts", client: "okhttp", host: host + ".")
        #expect(rooted == "data")
        #expect((outcome.output + outcome.errors).contains("no configuration has an entry for \(host)."))
        let dotted = try await reason("\(host). \(pki.junk.pin)\n", named: "hosts", client: "okhttp")
        #expect(dotted.reason == "data")
        #expect((dotted.outcome.output + dotted.outcome.errors).contains("host-never-matches"))
        let loose = try await reason(pki.junk.pin + "\n", named: "pins.txt", client: "okhttp", host: host + ".")
        #expect(loose.reason == "pins-not-applied")
        #expect(loose.outcome.output.contains("host-never-matches"))
        #expect(try await reason(pki.junk.pin + "\n", named: "pins.txt", client: "okhttp").reason == "pin-mismatch")
    }

    // MARK: Apple's clients

    @Test func trustKitsExemptionHasASpellingOfItsOwn() async throws {
        func text(_ key: String, _ more: String = "") -> String {
            "{\"TSKPinnedDomains\": {\"example.com\": {\"TSKIncludeSubdomains\": true, \"TSKPublicKeyHashes\": "
                + "[\"\(bare(pki.leaf))\", \"\(bare(pki.junk))\"]},\n\"\(host)\": {\"\(key)\": true\(more)}}}"
        }
        let wrong = ", \"TSKPublicKeyHashes\": [\"\(bare(pki.junk))\", \"\(bare(pki.rogue))\"]"
        let right = "kSKExcludeSubdomainFromParentPolicy"
        let documented = "TSKExcludeSubdomainFromParentPolicy"
        #expect(try await reason(text(right), named: "t.json", client: "trustkit").reason == "pins-not-applied")
        #expect(try await reason(text(right, wrong), named: "t.json", client: "trustkit").reason == "data")
        let crash = try await reason(text(documented), named: "t.json", client: "trustkit")
        #expect(crash.reason == "data")
        #expect(crash.outcome.errors.contains(right))
        #expect(try await reason(text(documented, wrong), named: "t.json", client: "trustkit").reason == "pin-mismatch")
        let found = try await lint(text(documented, wrong), named: "t.json")
        #expect(found.contains("error: TrustKit has no key '\(documented)'"))
        #expect(found.contains(right))
    }

    @Test(arguments: ["API.example.com", "api.example.com."]) func trustKitComparesNamesAsTheyAreWritten(_ name: String)
        async throws
    {
        let text =
            "{\"TSKPinnedDomains\": {\"\(name)\": {\"TSKPublicKeyHashes\": [\"\(bare(pki.junk))\", \"\(bare(pki.rogue))\"]}}}"
        #expect(try await reason(text, named: "t.json", client: "trustkit").reason == "pins-not-applied")
        #expect(try await lint(text, named: "t.json").contains("error: '\(name)' pins no server as URLs name it"))
    }

    @Test func aReportURIThatIsNoneIsFound() async throws {
        let text = """
            {"TSKPinnedDomains": {"example.com": {"TSKReportUris": ["not a uri"], "TSKPublicKeyHashes":
            ["VjLZe/p3W/PJnd6lL8JVNBCGQBZynFLdZSTIqcO0SJ8=", "FfFKxFycfaIz00eRZOgTf+Ne4POK6FgYPwhBDqgqxLQ="]}}}
            """
        let found = try await lint(text, named: "t.json")
        #expect(found.contains("'not a uri' in TSKReportUris is not a URL"))
    }

    @Test func alamofiresEvaluatorsAreForTheirHosts() async throws {
        let pins = pki.junk.pin + "\n"
        let cases = [
            ("alamofire", "pin-mismatch"), ("alamofire:host=\(host)", "pin-mismatch"),
            ("alamofire:host=www.example.com:host=\(host)", "pin-mismatch"),
            ("alamofire:host=API.example.com", "client-error"),
            ("alamofire:host=API.example.com:no-all-hosts", "pins-not-applied"),
        ]
        for (client, expected) in cases {
            let found = try await reason(pins, named: "pins.txt", client: client)
            #expect(found.reason == expected, "\(client) \(found.outcome.errors)")
        }
        let without = try await reason(pins, named: "pins.txt", client: "alamofire:no-all-hosts")
        #expect(without.outcome.status == .usage)
        #expect(without.outcome.errors.contains("host=HOST"))
    }
}

extension String {
    /// The stable id of the verdict's reason in a JSON report.
    fileprivate var reasonID: String? {
        firstMatch(of: /"reason" ?: ?\{[^}]*"id" ?: ?"([a-z-]+)"/).map { String($0.1) }
    }
}
