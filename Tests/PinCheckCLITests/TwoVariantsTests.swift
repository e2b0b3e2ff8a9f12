import LoopbackLab
import PinCheckCLI
import Testing

/// Files with two clients of one kind: what one of them would accept says nothing of the other.
@Suite(.endsSomeTime) struct TwoVariantsTests {
    let pki: StandardPKI
    private let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    private func kotlin(debug: String, release: String, also: String = "") -> String {
        """
        import okhttp3.CertificatePinner

        fun debug() = CertificatePinner.Builder().add(\(debug), "\(pki.junk.pin)")\(also).build()
        fun release() = CertificatePinner.Builder().add(\(release), "\(pki.leaf.pin)").build()
        """
    }

    private func command(_ certificate: LabCertificate, _ url: String) -> String {
        "curl --pinnedpubkey 'sha256//\(certificate.pin.dropFirst(7))' \(url)\n"
    }

    private func judged(_ text: String, as name: String, client: String, _ arguments: String...) async throws -> Outcome
    {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let source = try files.write(Array(text.utf8), to: name)
            return await pincheck(
                ["verify", chain, "--anchors", anchors, "--pins", source, "--client", client, "--host", host]
                    + arguments)
        }
    }

    @Test func aHostWithOtherPinsInTwoPinnersIsNotJudged() async throws {
        for debug in ["\"\(host)\"", "\"*.example.com\"", "\"**.example.com\""] {
            let outcome = try await judged(kotlin(debug: debug, release: "\"\(host)\""), as: "Net.kt", client: "okhttp")
            #expect(outcome.status == .data)
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors.contains(
                    "Net.kt:4: the pins of \(host) are others here than in line 3, and nothing says that one pinner has both; add "
                        + "them in one chain of calls, give the source of one variant"), "\(outcome.errors)")
        }
    }

    @Test func noneOfTwoPinnersIsABadPinToSkip() async throws {
        let text = kotlin(debug: "\"\(host)\"", release: "\"\(host)\"")
        let outcome = try await judged(text, as: "Net.kt", client: "okhttp", "--skip-bad-pins")
        #expect(
            outcome.status == .data && outcome.errors.contains("nothing says that one pinner has both"), "\(outcome)")
    }

    @Test func otherHostsOfThatFileAreJudged() async throws {
        let text = kotlin(
            debug: "\"other.example.org\"", release: "\"other.example.org\"",
            also: ".add(\"\(host)\", \"\(pki.leaf.pin)\")")
        let outcome = try await judged(text, as: "Net.kt", client: "okhttp")
        #expect(outcome.status == .pass, "\(outcome)")
        #expect(!outcome.errors.contains("other pins"))
    }

    @Test func aHostWithTheSamePinsInTwoPlacesIsJudged() async throws {
        let text = kotlin(debug: "\"\(host)\"", release: "\"\(host)\"").replacing(pki.junk.pin, with: pki.leaf.pin)
        let outcome = try await judged(text, as: "Net.kt", client: "okhttp")
        #expect(outcome.status == .pass && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test func aHostWithOtherPinsInTwoCommandsIsNotJudged() async throws {
        let two = command(pki.leaf, "https://\(host)/a") + command(pki.junk, "https://\(host)/b")
        let outcome = try await judged(two, as: "fetch.sh", client: "curl")
        #expect(outcome.status == .data)
        #expect(
            outcome.errors.contains(
                "fetch.sh:2: the pins of \(host) are others here than in line 1, and curl takes a command's own; give a file "
                    + "with one of the commands"), "\(outcome.errors)")
        // For another port it is another server.
        let ports = command(pki.leaf, "https://\(host)/a") + command(pki.junk, "https://\(host):8443/b")
        #expect(try await judged(ports, as: "fetch.sh", client: "curl").status == .pass)
    }

    /// What is read of several files is what one file with all of it says.
    @Test func twoSourcesWithOtherPinsOfAHostAreNotAddedUp() async throws {
        let sources: [(client: String, name: String, text: (LabCertificate) -> String)] = [
            ("okhttp", "Net.kt", { "val p = CertificatePinner.Builder().add(\"\(host)\", \"\($0.pin)\").build()\n" }),
            ("curl", "fetch.sh", { command($0, "https://\(host)/a") }),
        ]
        for (client, name, text) in sources {
            try await TemporaryDirectory.scoped { files in
                let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
                let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
                let base = ["verify", chain, "--anchors", anchors, "--client", client, "--host", host]
                let debug = try files.write(Array(text(pki.junk).utf8), to: "Debug" + name)
                let release = try files.write(Array(text(pki.leaf).utf8), to: "Release" + name)
                let outcome = await pincheck(base + ["--pins", debug, "--pins", release])
                #expect(outcome.status == .data)
                #expect(outcome.errors.contains("two configurations cover \(host): \(debug):1 and \(release):1"))
                let list = try files.write(Array("\(host) \(pki.junk.pin)\n".utf8), to: "more.txt")
                #expect(await pincheck(base + ["--pins", release, "--pins", release]).status == .pass)
                // Lines are read by no client of their own; beside a source they are another configuration of its kind.
                let beside = await pincheck(base + ["--pins", release, "--pins", list])
                #expect(beside.status == (client == "okhttp" ? .data : .pass), "\(beside)")
            }
        }
    }

    @Test func pinsAndLintReadBothAndSaySo() async throws {
        try await TemporaryDirectory.scoped { files in
            let text = kotlin(debug: "\"\(host)\"", release: "\"\(host)\"")
            let source = try files.write(Array(text.utf8), to: "Net.kt")
            let note =
                "line 3 has other pins for \(host): they are put together here, though nothing says that one pinner has both"
            let lint = await pincheck("lint", source)
            #expect(lint.status == .pass && lint.output.contains("line 3 has other pins for \(host)"), "\(lint)")
            let pins = await pincheck("pins", source)
            #expect(pins.status == .pass && pins.errors.contains(note), "\(pins)")
        }
    }

    @Test func whatOnlyDebuggableBuildsReadIsNoWarning() async throws {
        let pins = [pki.leaf, pki.junk].map { "<pin digest=\"SHA-256\">\($0.pin.dropFirst(7))</pin>" }.joined()
        let text =
            "<network-security-config><domain-config><domain>\(host)</domain><pin-set>\(pins)</pin-set></domain-config>"
            + "<debug-overrides><trust-anchors><certificates src=\"user\"/></trust-anchors></debug-overrides>"
            + "</network-security-config>"
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let source = try files.write(Array(text.utf8), to: "nsc.xml")
            let outcome = await pincheck([
                "verify", chain, "--anchors", anchors, "--pins", source, "--client", "android", "--host", host,
                "--fail-on", "warn",
            ])
            #expect(outcome.status == .pass, "\(outcome)")
            #expect(outcome.errors.isEmpty && outcome.output.contains("<debug-overrides> is for debuggable builds"))
        }
    }
}
