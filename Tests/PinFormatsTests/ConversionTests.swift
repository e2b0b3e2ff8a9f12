import LoopbackLab
import PinFormats
import Pinning
import Testing
import X509

/// Configurations turned into those of other clients: the pins and hosts stay, and what does not is said.
@Suite struct ConversionTests {
    /// Formats that name the hosts of pins, and can be read back.
    static let readable: [PinBlockFormat] = [.okhttp, .trustkit, .nspinned, .android]

    private struct Suffixes: PublicSuffixList {
        func publicSuffix(of host: String) -> String? { host.split(separator: ".").last.map(String.init) }
    }

    private func conversion(_ reading: PinReading, to format: PinBlockFormat) -> PinConversion {
        PinConversion(PinGroup.groups(of: reading, host: nil), to: format, suffixes: Suffixes())
    }

    /// The block that `text` becomes.
    private func converted(_ text: String, to format: PinBlockFormat) throws -> (block: String, losses: [String]) {
        let conversion = conversion(try reading(ofFile: "source", text), to: format)
        return (format.block(conversion.groups), conversion.losses.map(\.description))
    }

    /// Every host with its pins, in any order.
    private func pins(_ reading: PinReading) -> [String: Set<SHA256Digest>] {
        var pins: [String: Set<SHA256Digest>] = [:]
        for entry in reading.configurations.flatMap(\.entries) {
            pins[entry.hosts?.name ?? "*", default: []].formUnion(entry.pins.map(\.spkiSHA256))
        }
        if !reading.pins.isEmpty { pins["*", default: []].formUnion(reading.pins.map(\.spkiSHA256)) }
        return pins
    }

    /// Two hosts with two pins each.
    private static let list = """
        api.example.com  sha256/\(first.base64),sha256/\(second.base64)
        www.example.org  sha256/\(second.base64),sha256/\(slashed.base64)
        """
    private static let expected: [String: Set<SHA256Digest>] = [
        "api.example.com": [first, second], "www.example.org": [second, slashed],
    ]

    // MARK: Round trips

    @Test(arguments: readable, readable) func everyFormatKeepsPinsAndHostsOnTheWayThroughEveryOther(
        from: PinBlockFormat, to: PinBlockFormat
    ) throws {
        let start = try converted(Self.list, to: from).block
        #expect(pins(try reading(ofFile: "block", start)) == Self.expected)
        let end = try converted(start, to: to).block
        #expect(pins(try reading(ofFile: "block", end)) == Self.expected)
        // Once more through the first, and nothing changes any more.
        let again = try converted(end, to: to).block
        #expect(pins(try reading(ofFile: "block", again)) == Self.expected)
    }

    private func reading(ofBlock block: String) throws -> PinReading { try reading(ofFile: "block", block) }

    private func reading(ofFile name: String, _ text: String) throws -> PinReading {
        try TemporaryDirectory.scoped { try PinSource($0.write(text, to: name)).read() }
    }

    @Test func certificatesGoThroughAFNetworkingsFiles() throws {
        let pki = try StandardPKI.shared()
        try TemporaryDirectory.scoped { directory in
            let pem = try directory.write(pki.leaf.pem + pki.rootA.pem, to: "pins.pem")
            let groups = PinGroup.groups(of: try PinSource(pem).read(), host: "api.example.com")
            let conversion = PinConversion(groups, to: .afnetworking, suffixes: Suffixes())
            #expect(
                conversion.losses.map(\.description) == [
                    "AFNetworking has one set of certificates for every host of a manager"
                ])
            let block = PinBlockFormat.afnetworking.block(conversion.groups)
            let saver = try CertificateSaver(directory: directory.path + "/saved")
            for item in conversion.groups.flatMap(\.items) {
                let certificate = try #require(item.certificate)
                let saved = try saver.save(certificate, role: item.role)
                let name = try #require(saved.path.split(separator: "/").last)
                #expect(block.contains(name + ": add to the bundle"))
            }
            let back = try PinSource(directory.path + "/saved").read()
            #expect(Set(back.pins.compactMap(\.certificate?.der)) == [pki.leaf.der, pki.rootA.der])
        }
    }

    // MARK: What is carried

    @Test func subdomainsExpirationEnforcementReportsAndExemptionsAreCarried() throws {
        let trustKit = """
            {"TSKPinnedDomains": {"example.com": {"TSKIncludeSubdomains": true, "TSKEnforcePinning": false,
              "TSKPublicKeyHashes": ["\(first.base64)", "\(second.base64)"], "TSKExpirationDate": "2040-06-01",
              "TSKReportUris": ["https://r.example.com/?a=1&b=2"]},
              "static.example.com": {"kSKExcludeSubdomainFromParentPolicy": true}}}
            """
        let android = try converted(trustKit, to: .android)
        #expect(android.losses == ["example.com: a mismatch was only reported, and Android enforces every pin"])
        let back = try converted(android.block, to: .trustkit)
        #expect(back.losses.isEmpty)
        for block in [back.block, try converted(trustKit, to: .trustkit).block] {
            let entries = try #require(try reading(ofBlock: block).configurations.first?.entries)
            try #require(entries.map { $0.hosts?.name } == ["example.com", "static.example.com"])
            #expect(entries[0].hosts?.depth == .anyNumber)
            #expect(entries[0].enforcesPinning == false)
            #expect(entries[0].expiration?.date == "2040-06-01")
            #expect(entries[0].reportURIs == ["https://r.example.com/?a=1&b=2"])
            #expect(entries.map(\.isExcluded) == [false, true])
        }
        let kotlin = try converted(trustKit, to: .okhttp)
        #expect(kotlin.block.contains(".add(\"**.example.com\", \"sha256/\(first.base64)\")"))
        #expect(kotlin.block.contains("// Not kept: the pins were to end at 2040-06-01, and OkHttp has no such date\n"))
        #expect(
            kotlin.losses == [
                "example.com: the pins were to end at 2040-06-01, and OkHttp has no such date",
                "example.com: a mismatch was only reported, and OkHttp enforces every pin",
                "example.com: mismatches were reported, and OkHttp has no place to report them to",
                "static.example.com: OkHttp cannot exempt a host: it is pinned like example.com now",
            ])
    }

    @Test(
        arguments: [
            (
                "**.example.com", PinBlockFormat.nspinned, "upToOneLabel",
                "includes one label only: names two labels and more"
            ), ("**.example.com", .trustkit, "anyNumber", nil), ("*.example.com", .okhttp, "oneLabel", nil),
            (
                "*.example.com", .nspinned, "upToOneLabel",
                "cannot leave out example.com itself, which is pinned now too"
            ), ("*.example.com", .android, "anyNumber", "has no pattern for one label"),
            ("example.com", .trustkit, "exact", nil),
        ] as [(String, PinBlockFormat, String, String?)]) func theDepthOfSubdomainsIsKeptOrWhatChangesIsSaid(
            pattern: String, format: PinBlockFormat, depth: String, loss: String?
        ) throws
    {
        let list = "\(pattern) sha256/\(first.base64) sha256/\(second.base64)"
        let (block, losses) = try converted(list, to: format)
        let entry = try #require(try reading(ofBlock: block).configurations.first?.entries.first)
        #expect("\(try #require(entry.hosts?.depth))" == depth)
        #expect(losses.contains { $0.contains(loss ?? "subdomain") } == (loss != nil))
        #expect(losses.contains { $0.contains("label") } == (loss?.contains("label") == true), "\(losses)")
    }

    @Test func oneLabelAndTheHostItselfAreTwoPatternsOfOkHttp() throws {
        let plist = Samples.infoPlist
        let (block, losses) = try converted(plist, to: .okhttp)
        #expect(losses.isEmpty)
        #expect(block.contains("    .add(\"example.com\", \"sha256/\(first.base64)\")\n"))
        #expect(block.contains("    .add(\"*.example.com\", \"sha256/\(first.base64)\")\n"))
    }

    @Test func authoritiesStayAuthoritiesAndBothStayBoth() throws {
        func identities(_ key: String, _ digest: SHA256Digest) -> String {
            "<key>\(key)</key><array><dict><key>SPKI-SHA256-BASE64</key><string>\(digest.base64)</string></dict></array>"
        }
        func plist(_ body: String) -> String {
            "<plist><dict><key>NSPinnedDomains</key><dict><key>example.com</key><dict>\(body)</dict></dict></dict></plist>"
        }
        let both = plist(identities("NSPinnedLeafIdentities", first) + identities("NSPinnedCAIdentities", second))
        let entry = try #require(
            try reading(ofBlock: converted(both, to: .nspinned).block).configurations.first?.entries.first)
        guard case .positions(let leaf?, let authorities?) = entry.identities else { throw UnexpectedSuccess() }
        #expect(leaf.map(\.spkiSHA256) == [first])
        #expect(authorities.map(\.spkiSHA256) == [second])
        let kotlin = try converted(both, to: .okhttp)
        #expect(
            kotlin.losses == [
                "example.com: a server's and an authority's key had to match, and with OkHttp one of them is enough"
            ])
        let authority = plist(identities("NSPinnedCAIdentities", second))
        let curl = try converted(authority, to: .curl)
        #expect(curl.losses == ["example.com: curl compares the server's own key: pins of authorities are left out"])
        #expect(curl.block.contains("No key here is a server's: curl cannot pin an authority."))
    }

    @Test func pinsOfOverlappingPatternsCountAsTheyDidBefore() throws {
        let list = """
            **.example.com sha256/\(first.base64) sha256/\(second.base64)
            api.example.com sha256/\(slashed.base64)
            """
        // OkHttp takes both for the host, TrustKit and Android the nearer one.
        for format in [PinBlockFormat.trustkit, .android] {
            let (block, losses) = try converted(list, to: format)
            #expect(losses.isEmpty)
            #expect(
                pins(try reading(ofBlock: block)) == [
                    "example.com": [first, second], "api.example.com": [first, second, slashed],
                ])
        }
        let android = try converted(
            try converted(
                "**.example.com sha256/\(first.base64)\napi.example.com sha256/\(second.base64)", to: .android
            ).block.replacing(first.base64, with: slashed.base64), to: .okhttp)
        #expect(android.losses.contains { $0.hasPrefix("api.example.com: OkHttp also takes the pins of example.com") })
    }

    @Test func aHostThatIsThereTwiceBecomesOneEntryWhereItHasTo() throws {
        let list = """
            example.com sha256/\(first.base64) sha256/\(second.base64)
            *.example.com sha256/\(slashed.base64)
            """
        let (block, losses) = try converted(list, to: .trustkit)
        #expect(pins(try reading(ofBlock: block)) == ["example.com": [first, second, slashed]])
        #expect(
            losses.contains { $0.contains("its pins for example.com and those for names below it are one list now") })
    }

    @Test func whatTrustKitWouldThrowForIsSaid() throws {
        let (_, losses) = try converted("api.example.com sha256/\(first.base64)", to: .trustkit)
        #expect(
            losses == [
                "api.example.com: TrustKit throws when the app starts: 'api.example.com' has 1 pin and needs 2: "
                    + "add a backup pin"
            ])
    }
}
