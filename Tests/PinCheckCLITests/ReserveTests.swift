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

    @Test func aKeyThatIsOnTheChainIsNoReserveInABlockEither() async throws {
        try await privately { arguments, files in
            let plain = arguments.filter { $0 != "--recommend" } + ["okhttp", "--key"]
            let leaf = try files.write(try lab.leaf.key.privateKeyPEM(), to: "leaf.key")
            let used = await pincheck(plain + [leaf]).says(
                "Backup: ",
                errors: "Warning: \(leaf):1 is the key of \(host), which is on the chain already: it is no reserve")
            #expect(!used.output.contains("leaf.key"))
            let root = try files.write(try lab.rootX.key.privateKeyPEM(), to: "root.key")
            await pincheck(plain + [root]).says(
                "    // .add(\"\(host)\", \"\(lab.rootX.pin)\")",
                errors: "\(root):1 is the key of Root X, which is on the chain already")
            await pincheck("pins", "--key", leaf, "--host", host, "--format", "okhttp").says(lab.leaf.pin, errors: "")
        }
    }

    @Test func noBlockIsWrittenForTheReserveAlone() async throws {
        try await TemporaryDirectory.scoped { files in
            let key = try files.write(try lab.reserve.privateKeyPEM(), to: "backup.key")
            try await RefusingPort.scoped { port in
                let outcome = await pincheck(
                    "pins", "\(host):\(port.port)", "--connect", "127.0.0.1", "--key", key, "--format", "okhttp"
                ).expect(.unreachable, "")
                let warning = "Warning: no pin is written for --key alone: the pins of the server are missing\n"
                #expect(outcome.errors.hasPrefix(warning), "\(outcome)")
            }
        }
    }

    @Test func whatIsMissingIsSaidOnceInABlock() async throws {
        try await privately { arguments, files in
            for form in ["okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"] {
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
            let forms = ["text", "okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"]
            for form in forms {
                let runs = [plain + [form, "--key", key], ["pins", "--from", two, "--host", host, "--format", form]]
                // AFNetworking takes certificates, and no hashes of a list.
                for run in form == "afnetworking" ? Array(runs.prefix(1)) : runs {
                    let outcome = await pincheck(run).expect(.pass)
                    for sentence in ["with one pin", "Backup: ", "fewer than two", "second key that you keep"] {
                        #expect(!outcome.output.contains(sentence), "\(run): \(outcome.output)")
                    }
                }
            }
        }
    }

    // MARK: Several servers

    @Test func severalTargetsEndInATotal() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { good in
                try await LoopbackServer.serving(.presenting([pki.rogue, pki.rogueI])) { bad in
                    let places = [good, bad].map { "127.0.0.1:\($0.port)" }
                    let common = ["--host", StandardPKI.serverName, "--anchors", anchors]
                    await pincheck(["pins"] + places + common).says(ending: "\n\n2 targets: 1 FAIL, 1 PASS\n")
                    await pincheck(["pins", "--recommend"] + places + common).says(
                        ending: "\n\n2 targets: 1 FAIL, 1 PASS\n")
                    await pincheck(["pins", places[0]] + common).says(not: "targets: ")
                    await pincheck(["pins"] + places + common + ["--format", "okhttp"]).says(not: "targets: ")
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
                await pincheck("pins", file).expect(
                    .data, errors: "neither NSPinnedDomains (in NSAppTransportSecurity) nor TSKConfiguration")
            }
        }
    }
}
