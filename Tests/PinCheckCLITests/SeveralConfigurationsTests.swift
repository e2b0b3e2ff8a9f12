import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// What several sources of pins come to for a client that has a configuration of its own.
@Suite(.endsSomeTime) struct SeveralConfigurationsTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Judges the standard chain for `name` by sources that are written as files.
    private func verify(
        _ sources: [String], _ arguments: String..., name: String? = nil, chain: [LabCertificate]? = nil,
        at time: Int64? = nil
    ) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let pem = (chain ?? [pki.leaf, pki.interA]).map(\.pem).joined()
            var command = [
                "verify", try files.write(pem, to: "chain.pem"), "--anchors",
                try files.write(pki.rootA.pem, to: "root.pem"), "--host", name ?? host,
            ]
            for (index, source) in sources.enumerated() {
                command += [
                    "--pins", source.hasPrefix("sha256/") ? source : try files.write(source, to: "\(index).xml"),
                ]
            }
            return await pincheck(command + arguments, at: time)
        }
    }

    private func android(_ pin: String, expiration: String? = nil, host: String? = nil) -> String {
        """
        <network-security-config><domain-config>
        <domain>\(host ?? self.host)</domain>
        <pin-set\(expiration.map { " expiration=\"\($0)\"" } ?? "")>
        <pin digest="SHA-256">\(pin.dropFirst(7))</pin>
        </pin-set>
        </domain-config></network-security-config>
        """
    }

    @Test func twoThatSayDifferentThingsAreNoVerdictInEitherOrder() async throws {
        let expired = android(pki.junk.pin, expiration: "2001-01-01")
        let valid = android(pki.junk.pin)
        for sources in [[expired, valid], [valid, expired]] {
            let outcome = try await verify(sources, "--client", "android")
            #expect(outcome.status == .data, "\(outcome.output)")
            #expect(outcome.errors.contains("two configurations cover \(host): "))
        }
        let same = try await verify([valid, valid], "--client", "android", "--format", "json")
        #expect(same.decision == "fail pin-mismatch")
        let trustKit = """
            {"TSKPinnedDomains": {"\(host)": {"TSKEnforcePinning": false, "TSKPublicKeyHashes": ["\(pki.junk.pin.dropFirst(7))"]}}}
            """
        let reactNative = """
            {"\(host)": {"publicKeyHashes": ["\(pki.junk.pin.dropFirst(7))", "\(pki.rootB.pin.dropFirst(7))"]}}
            """
        for sources in [[trustKit, reactNative], [reactNative, trustKit]] {
            #expect(try await verify(sources, "--client", "trustkit").status == .data)
            // Whoever is asked: an app does not ship both.
            #expect(try await verify(sources, "--client", "curl").status == .data)
        }
    }

    @Test func aPinForAnyHostCountsWhereTheConfigurationHasNoneForTheHost() async throws {
        let other = android(pki.leaf.pin, host: "other.example.org")
        let wrong = try await verify([other, pki.junk.pin], "--client", "android", "--format", "json")
        #expect(wrong.decision == "fail pin-mismatch")
        #expect(try await verify([other, pki.leaf.pin], "--client", "android").status == .pass)
        let beside = try await verify([android(pki.leaf.pin), pki.junk.pin], "--client", "android")
        #expect(beside.status == .pass)
    }

    @Test func anExemptionOfTrustKitEndsAtItsOwnName() async throws {
        let parent = host.split(separator: ".").dropFirst().joined(separator: ".")
        let leaf = try pki.rootA.issue(.leaf("x.\(host)"))
        let source = """
            {"TSKPinnedDomains": {
              "\(parent)": {"TSKIncludeSubdomains": true,
                "TSKPublicKeyHashes": ["\(pki.junk.pin.dropFirst(7))", "\(pki.rootB.pin.dropFirst(7))"]},
              "\(host)": {"kSKExcludeSubdomainFromParentPolicy": true}}}
            """
        #expect(try await verify([source], "--client", "trustkit").status == .pass)
        let below = try await verify(
            [source], "--client", "trustkit", "--format", "json", name: "x.\(host)", chain: [leaf])
        #expect(below.decision == "fail pin-mismatch")
    }

    @Test func aDayThatHasBegunInSomeTimeZonesOnlyIsAWarning() async throws {
        let midnight = (LabClock.now / 86_400 + 30) * 86_400
        let source = android(pki.leaf.pin, expiration: Timestamp(secondsSinceEpoch: midnight).date)
        for (offset, isWarned) in [(-15, false), (-13, true), (11, true), (13, false)] {
            let outcome = try await verify(
                [source], "--client", "android", "--at", "\(midnight + Int64(offset) * 3_600)")
            #expect(outcome.errors.contains("in the device's time zone") == isWarned, "\(offset) \(outcome.errors)")
        }
    }

    @Test func anchorsOfTheCommandLineAreAllThatIsTrustedWhateverThePolicySays() async throws {
        try await TemporaryDirectory.scoped { files in
            let system = try files.write(pki.rootA.pem, to: "system.pem")
            let other = try files.write(pki.rootB.pem, to: "other.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let policy = try files.write(
                    """
                    {hosts: {"\(host)": {connect: "127.0.0.1:\(server.port)", anchors: "other.pem", andSystem: true}}}
                    """, to: "pins.json5")
                let environment = ["SSL_CERT_FILE": system]
                let asWritten = await pincheck("check", "--policy", policy, environment: environment)
                #expect(asWritten.status == .pass, "\(asWritten.errors) \(asWritten.output)")
                let narrowed = await pincheck("check", "--policy", policy, "--anchors", other, environment: environment)
                #expect(narrowed.status == .fail)
            }
        }
    }
}
