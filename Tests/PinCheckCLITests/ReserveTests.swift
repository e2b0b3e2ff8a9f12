import PinChecking
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// What is in reserve beside the pins that are recommended, and what only looks like it.
@Suite(.endsSomeTime) struct ReserveTests {
    let lab: RotatedAuthority
    let host = RotatedAuthority.host

    init() throws { lab = try RotatedAuthority() }

    private func advice(_ outcome: Outcome) throws -> JSONValue {
        try JSONValue(outcome.output)["results"].array[0]["recommendation"]
    }

    private func pins(_ outcome: Outcome) throws -> [String] {
        try advice(outcome)["pins"].array.compactMap { $0["pin"].text }
    }

    private func unfit(_ outcome: Outcome) throws -> [String] {
        try advice(outcome)["unfit"].array.compactMap { $0["id"].text }
    }

    /// Arguments for a server below a private root that is given.
    private func privately(_ body: (_ arguments: [String], _ files: TemporaryDirectory) async throws -> Void)
        async throws
    {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write([lab.leaf, lab.interX, lab.rootX].map(\.pem).joined(), to: "chain.pem")
            let root = try files.write(lab.rootX.pem, to: "root.pem")
            try await body(["pins", chain, "--host", host, "--recommend", "--anchors", root, "--format"], files)
        }
    }

    @Test func aKeyInReserveIsAServersUnderAPrivateRootToo() async throws {
        try await privately { arguments, files in
            let key = try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key")
            let reserve = try #require(SHA256Digest(bytes: lab.reserve.publicKeySHA256))
            let json = await pincheck(arguments + ["json", "--key", key])
            #expect(try pins(json) == [lab.leaf.pin, reserve.description])
            let plist = await pincheck(arguments + ["nspinned", "--key", key]).output
            #expect(plist.contains("NSPinnedLeafIdentities") && plist.contains(reserve.base64))
            #expect(!plist.contains("NSPinnedCAIdentities"))
            let zone = await pincheck(arguments + ["tlsa", "--key", key]).output
            #expect(zone.contains(" IN TLSA 3 1 1 \(reserve.hexadecimal)\n"), "\(zone)")
            #expect(!zone.contains("TLSA 2 "))
        }
    }

    @Test func theCertificateOfTheNextRootIsAnAuthoritys() async throws {
        try await privately { arguments, files in
            let next = try LabCertificate.selfSigned(.authority("Next Root"), key: lab.reserve)
            let file = try files.write(next.pem, to: "next-root.pem")
            let plist = await pincheck(arguments + ["nspinned", file]).output
            #expect(plist.contains("NSPinnedCAIdentities") && !plist.contains("NSPinnedLeafIdentities"))
            let zone = await pincheck(arguments + ["tlsa", file]).output
            #expect(zone.contains(" IN TLSA 2 1 1 \(SHA256Digest(bytes: next.publicKeySHA256)!.hexadecimal)\n"))
            let json = await pincheck(arguments + ["json", file])
            #expect(
                try advice(json)["pins"].array.compactMap { $0["reason"]["id"].text } == ["private-root", "next-root"])
        }
    }

    @Test func whatIsNoReserveIsSaidToBeNone() async throws {
        try await privately { arguments, files in
            let other = try LabCertificate.selfSigned(.authority("Other Root"))
            let otherFile = try files.write(other.pem, to: "other.pem")
            let cases: [(key: LabKey, beside: [String], id: String, words: String)] = [
                (lab.leaf.key, [], "reserve-in-use", "is the key that the server has now"),
                (lab.rootX.key, [], "reserve-on-path", "is the key of Root X, which is on the server's chain already"),
                (
                    lab.interX.key, [], "reserve-on-path",
                    "is the key of Inter X, which is on the server's chain already"
                ),
                (
                    other.key, ["--anchors", otherFile], "reserve-of-authority",
                    "is the key of Other Root, an authority"
                ),
            ]
            for (key, beside, id, words) in cases {
                let file = try files.write(try key.privateKeyPEM(), to: "some.key")
                let json = await pincheck(arguments + ["json", "--key", file] + beside)
                #expect(try unfit(json) == [id])
                #expect(try advice(json)["strategy"].text == "own-root" && pins(json) == [lab.rootX.pin])
                let text = await pincheck(arguments + ["text", "--key", file] + beside)
                #expect(text.output.contains("warning: \(file):1 \(words)"), "\(text.output)")
                let block = await pincheck(arguments + ["okhttp", "--key", file] + beside)
                #expect(block.errors.contains("Warning: ") && block.errors.contains("\(file):1 \(words)"))
            }
        }
    }

    @Test func aKeyThatIsOnTheChainIsNoReserveInABlockEither() async throws {
        try await privately { arguments, files in
            let plain = arguments.filter { $0 != "--recommend" } + ["okhttp", "--key"]
            let leaf = try files.write(try lab.leaf.key.privateKeyPEM(), to: "leaf.key")
            let used = await pincheck(plain + [leaf])
            #expect(used.errors.contains("Warning: \(leaf):1 is the key that the server has now: it is no reserve"))
            #expect(used.output.contains("Backup: ") && !used.output.contains("leaf.key"), "\(used.output)")
            let root = try files.write(try lab.rootX.key.privateKeyPEM(), to: "root.key")
            let authority = await pincheck(plain + [root])
            #expect(authority.errors.contains("\(root):1 is the key of Root X, which is on the server's chain already"))
            #expect(authority.output.contains("    // .add(\"\(host)\", \"\(lab.rootX.pin)\")"), "\(authority.output)")
            let alone = await pincheck("pins", "--key", leaf, "--host", host, "--format", "okhttp")
            #expect(alone.errors.isEmpty && alone.output.contains(lab.leaf.pin))
        }
    }

    @Test func noBlockIsWrittenForTheReserveAlone() async throws {
        try await TemporaryDirectory.scoped { files in
            let key = try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key")
            try await RefusingPort.scoped { port in
                let outcome = await pincheck(
                    "pins", "\(host):\(port.port)", "--connect", "127.0.0.1", "--key", key, "--format", "okhttp")
                #expect(outcome.status == .unreachable && outcome.output.isEmpty, "\(outcome)")
                let warning = "Warning: no pin is written for --key alone: the pins of the server are missing\n"
                #expect(outcome.errors.hasPrefix(warning), "\(outcome)")
            }
        }
    }

    @Test func anAuthoritysCertificateIsNoReserveOfAPublicServer() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write([lab.leaf, lab.interX, lab.crossed].map(\.pem).joined(), to: "chain.pem")
            let data = try files.write(lab.devices, to: "devices.bin")
            let other = try files.write(LabCertificate.selfSigned(.authority("Other Root")).pem, to: "other.pem")
            let outcome = await pincheck(
                ["pins", chain, other, "--host", host, "--recommend", "--device-data", data, "--format", "json"],
                authorities: lab.table)
            #expect(try unfit(outcome) == ["reserve-of-authority"])
            #expect(try pins(outcome) == [lab.rootX.pin, lab.rootY.pin])
        }
    }

    @Test func aBackupThatIsPinnedTodayStaysOne() async throws {
        try await privately { arguments, _ in
            let reserve = try #require(SHA256Digest(bytes: lab.reserve.publicKeySHA256)).description
            let today = ["--pins", lab.leaf.pin, "--pins", reserve]
            let json = await pincheck(arguments + ["json"] + today)
            #expect(try pins(json) == [lab.leaf.pin, reserve])
            #expect(try advice(json)["missing"].isNull)
            let standings = try advice(json)["current_pins"].array.compactMap { $0["standing"]["id"].text }
            #expect(standings == ["server-key", "backup"])
            let text = await pincheck(arguments + ["text"] + today)
            #expect(text.output.contains("pinned today: nothing is wrong with these pins\n"), "\(text.output)")
            #expect(text.output.contains("a backup: no known certificate has the key. It helps as long as you hold"))
            #expect(!text.output.contains("last as long as these"))
            let block = await pincheck(arguments + ["okhttp"] + today)
            #expect(block.output.contains(reserve) && !block.output.contains("Backup:"))
            // By itself a key that nobody has says nothing.
            let alone = await pincheck(arguments + ["json", "--pins", reserve])
            #expect(try pins(alone) == [lab.rootX.pin])
            #expect(try advice(alone)["current_pins"].array.compactMap { $0["standing"]["id"].text } == ["unknown"])
        }
    }

    @Test func whatIsMissingIsSaidOnceInABlock() async throws {
        try await privately { arguments, files in
            for form in ["okhttp", "trustkit", "nspinned", "android", "curl", "hpkp", "afnetworking"] {
                let block = await pincheck(arguments + [form]).output
                #expect(block.contains("WARNING: "), "\(form): \(block)")
                #expect(!block.contains("Backup: ") && !block.contains("second key that you keep"), "\(form): \(block)")
            }
            let key = try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key")
            let plain = await pincheck(arguments.filter { $0 != "--recommend" } + ["okhttp", "--key", key]).output
            #expect(plain.split(separator: "\n").count { $0.contains("backup.key") } == 1, "\(plain)")
        }
    }

    @Test func aSecondPinSilencesTheSentenceAboutOneInEveryForm() async throws {
        try await privately { arguments, files in
            let key = try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key")
            let plain = arguments.filter { $0 != "--recommend" }
            let two = try files.write("\(lab.leaf.pin)\n\(lab.interY.pin)\n", to: "two.txt")
            let forms = ["text", "okhttp", "trustkit", "nspinned", "android", "curl", "tlsa", "hpkp", "afnetworking"]
            for form in forms {
                let runs = [plain + [form, "--key", key], ["pins", "--from", two, "--host", host, "--format", form]]
                for run in runs {
                    let outcome = await pincheck(run)
                    #expect(outcome.status == .pass, "\(run): \(outcome.errors)")
                    for sentence in ["with one pin", "Backup: ", "fewer than two", "second key that you keep"] {
                        #expect(!outcome.output.contains(sentence), "\(run): \(outcome.output)")
                    }
                }
            }
        }
    }

    // MARK: Several servers

    @Test func aPolicySaysWhichDevicesHaveToGetIn() async throws {
        try await TemporaryDirectory.scoped { files in
            let data = try files.write(lab.devices, to: "devices.bin")
            _ = try files.write(lab.rootX.pem + lab.rootY.pem, to: "roots.pem")
            let settings = TLSServerSettings(presenting: [lab.leaf, lab.interX])
            try await LoopbackServer.serving(.tls(settings)) { server in
                let place = "\(server.address):\(server.port)"
                let own = "deviceData: 'devices.bin'"
                let cases: [(keys: String, flags: [String], isWarned: Bool)] = [
                    (own, [], true), (own + ", device: ['ios-26', 'android-17']", [], false),
                    (own + ", device: 'ios-12,ios-26'", [], true),
                    // A flag goes before what the policy says.
                    (own + ", device: 'ios-12,ios-26'", ["--device", "ios-26", "--device-data", data], false),
                ]
                for (keys, flags, isWarned) in cases {
                    let policy = try files.write(
                        "{ hosts: { '\(host)': { connect: ['\(place)'], anchors: 'roots.pem', \(keys) } } }",
                        to: "pins.json5")
                    let outcome = await pincheck(
                        ["pins", "--recommend", "--policy", policy, "--format", "json"] + flags, authorities: lab.table)
                    #expect(outcome.status == .pass, "\(outcome.errors)")
                    let risks = try advice(outcome)["risks"].array.compactMap { $0["id"].text }
                    #expect(risks.contains("untrusted-on-devices") == isWarned, "\(keys) \(flags)")
                }
            }
        }
    }

    @Test func severalTargetsEndInATotal() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { good in
                try await LoopbackServer.serving(.presenting([pki.rogue, pki.rogueI])) { bad in
                    let places = [good, bad].map { "127.0.0.1:\($0.port)" }
                    let common = ["--host", StandardPKI.serverName, "--anchors", anchors]
                    let two = await pincheck(["pins"] + places + common)
                    #expect(two.output.hasSuffix("\n\n2 targets: 1 FAIL, 1 PASS\n"), "\(two.output)")
                    let advice = await pincheck(["pins", "--recommend"] + places + common)
                    #expect(advice.output.hasSuffix("\n\n2 targets: 1 FAIL, 1 PASS\n"), "\(advice.output)")
                    let one = await pincheck(["pins", places[0]] + common)
                    #expect(!one.output.contains("targets: "))
                    let block = await pincheck(["pins"] + places + common + ["--format", "okhttp"])
                    #expect(!block.output.contains("targets: "))
                }
            }
        }
    }

    @Test func aPropertyListThatPinsNothingIsSaidToBeOne() async throws {
        try await TemporaryDirectory.scoped { files in
            let members = [
                "<key>CFBundleName</key><string>x</string>",
                "<key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict>",
            ]
            for member in members {
                let file = try files.write("<plist version=\"1.0\"><dict>\(member)</dict></plist>", to: "Info.plist")
                let outcome = await pincheck("pins", file)
                #expect(outcome.status == .data)
                #expect(
                    outcome.errors.contains("neither NSPinnedDomains (in NSAppTransportSecurity) nor TSKConfiguration"),
                    "\(outcome.errors)")
            }
        }
    }
}
