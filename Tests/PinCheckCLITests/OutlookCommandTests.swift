import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// How long a verdict lasts, by `verify` and `check`.
@Suite(.endsSomeTime) struct OutlookCommandTests {
    /// The one moment of a test, however long it takes.
    let now = LabClock.now
    let root: LabCertificate
    let intermediate: LabCertificate
    let leaf: LabCertificate

    init() throws {
        root = try .selfSigned(.authority("Root"))
        intermediate = try root.issue(
            CertificateTemplate.authority("Intermediate").valid(
                from: now - 30 * LabClock.day, to: now + 400 * LabClock.day))
        leaf = try intermediate.issue(
            CertificateTemplate.leaf("api.example.com").valid(
                from: now - 10 * LabClock.day, to: now + 80 * LabClock.day))
    }

    /// Runs `verify` on the chain.
    private func verify(_ flags: String...) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(leaf.pem + intermediate.pem, to: "chain.pem")
            let anchors = try files.write(root.pem, to: "root.pem")
            try files.write(leaf.der, to: "leaf.cer")
            try files.write(intermediate.der, to: "intermediate.cer")
            let flags = flags.map { $0.hasSuffix(".cer") && !$0.hasPrefix("/") ? files.path + "/" + $0 : $0 }
            return await pincheck(
                ["verify", chain, "--anchors", anchors, "--host", "api.example.com"] + flags, at: now)
        }
    }

    private func lines(_ outcome: Outcome) -> [String] {
        outcome.output.split(separator: "\n").filter { $0.hasPrefix("  outlook: ") }.map { String($0.dropFirst(11)) }
    }

    private func date(inDays days: Int64) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        return formatter.string(from: Date(timeIntervalSince1970: Double(now + days * LabClock.day)))
    }

    @Test func everyPassWithPinsSaysHowLongItLasts() async throws {
        let backup = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        #expect(try await lines(verify()) == [])
        #expect(
            try await lines(verify("--pins", leaf.pin)) == [
                "leaf key pinned: breaks at the next renewal with a new key, on or before \(date(inDays: 80)); no backup"
            ])
        #expect(
            try await lines(verify("--pins", leaf.pin, "--pins", backup)) == [
                "leaf key pinned: breaks at the next renewal with a new key, on or before \(date(inDays: 80)); backup: pin 2"
            ])
        #expect(
            try await lines(verify("--pins", "leaf.cer")) == [
                "leaf certificate pinned: breaks at the next renewal, on or before \(date(inDays: 80)); no backup"
            ])
        #expect(
            try await lines(verify("--pins", intermediate.pin, "--pins", backup)) == [
                "intermediate pinned: breaks when the server gets another, on or before \(date(inDays: 400)); backup: pin 2"
            ])
        // A client that looks at the leaf alone is not helped by an authority.
        #expect(
            try await lines(verify("--pins", leaf.pin, "--pins", intermediate.pin, "--client", "curl")) == [
                "leaf key pinned: breaks at the next renewal with a new key, on or before \(date(inDays: 80)); no backup"
            ])
    }

    @Test func anExpiredPinIsToldWhereNothingMatches() async throws {
        let old = try intermediate.issue(
            CertificateTemplate.leaf("api.example.com").valid(from: now - 90 * LabClock.day, to: now - 4 * LabClock.day)
        )
        try await TemporaryDirectory.scoped { files in
            let outcome = try await verify("--pins", files.write(old.der, to: "old.cer")).expect(.fail)
            #expect(
                lines(outcome) == [
                    "pin 1, CN=api.example.com, expired on \(date(inDays: -4)) and can match no more: replace it"
                ])
        }
    }

    // MARK: What is no backup

    /// Whether there is a backup, by the document.
    private func hasBackup(_ flags: String...) async throws -> Bool {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(leaf.pem + intermediate.pem, to: "chain.pem")
            let anchors = try files.write(root.pem, to: "root.pem")
            try files.write(leaf.der, to: "leaf.cer")
            try files.write(intermediate.der, to: "intermediate.cer")
            try files.write(root.der, to: "root.cer")
            let flags = flags.map { $0.hasSuffix(".cer") && !$0.hasPrefix("/") ? files.path + "/" + $0 : $0 }
            let outcome = await pincheck(
                ["verify", chain, "--anchors", anchors, "--host", "api.example.com", "--format", "json"] + flags,
                at: now
            ).expect(.pass)
            let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            return try #require((document?["outlook"] as? [String: Any])?["has_backup"] as? Bool)
        }
    }

    @Test func whatAClientDoesNotCompareIsNoBackup() async throws {
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        #expect(try await hasBackup("--pins", leaf.pin, "--pins", other))
        // Certificate mode ignores hashes.
        #expect(try await !hasBackup("--pins", "leaf.cer", "--pins", other, "--mode", "certificate"))
        // The same key twice.
        #expect(try await !hasBackup("--pins", leaf.pin, "--pins", leaf.pin))
        #expect(try await !hasBackup("--pins", leaf.pin, "--pins", "leaf.cer", "--mode", "certificate"))
        // curl compares the leaf alone.
        #expect(try await !hasBackup("--pins", leaf.pin, "--pins", intermediate.pin, "--client", "curl"))
        let elsewhere = try LabCertificate.selfSigned(.authority("Elsewhere"))
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(elsewhere.pem, to: "elsewhere.pem")
            #expect(try await !hasBackup("--pins", leaf.pin, "--pins", path, "--client", "curl"))
            #expect(try await hasBackup("--pins", leaf.pin, "--pins", path, "--client", "okhttp"))
            // Each of several clients needs one.
            #expect(try await !hasBackup("--pins", leaf.pin, "--pins", path, "--client", "okhttp,curl"))
        }
    }

    @Test func thePinsLineSaysWhatIsNotCompared() async throws {
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        try await verify("--pins", "leaf.cer", "--pins", other, "--mode", "certificate").says(
            "  pins: 2 configured, 1 matched (leaf), 1 not compared\n")
    }

    // MARK: Pinned certificates as anchors

    @Test func aLeafPinnedWithItsRootLastsAsLongAsTheRoot() async throws {
        try await TemporaryDirectory.scoped { files in
            let pins = [
                "--pins", try files.write(leaf.der, to: "leaf.cer"), "--pins",
                try files.write(root.der, to: "root.cer"),
            ]
            let anchors = try files.write(root.pem, to: "root.pem")
            let rekeyed = try intermediate.issue(.leaf("api.example.com"))
            for (index, chain) in [leaf, rekeyed].enumerated() {
                let path = try files.write(chain.pem + intermediate.pem, to: "chain\(index).pem")
                let command = ["verify", path, "--anchors", anchors, "--host", "api.example.com"] + pins
                let outcome = await pincheck(command + ["--min-pin-life", "100d"], at: now).expect(.pass)
                #expect(lines(outcome).contains { $0.hasPrefix("root pinned: breaks when the server gets another") })
                #expect(
                    outcome.output.contains(
                        index == 0
                            ? "  pins: 2 configured, 2 matched (leaf, root)\n"
                            : "  pins: 2 configured, 1 matched (root), 1 not in the chain"), "\(outcome.output)")
            }
            // AFNetworking 2.5 wants every certificate of the chain pinned: the leaf's renewal ends that.
            let all = pins + ["--pins", try files.write(intermediate.der, to: "intermediate.cer")]
            await pincheck(
                ["verify", files.path + "/chain0.pem", "--anchors", anchors, "--host", "api.example.com"] + all + [
                    "--client", "afnetworking-2.5", "--min-pin-life", "100d",
                ], at: now
            ).expect(.fail, "no configured pin is sure to match after \(date(inDays: 80))")
        }
    }

    @Test func aRejectionSaysNothingOfTheTimeAhead() async throws {
        let outcome = try await verify("--pins", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").expect(.fail)
        #expect(lines(outcome) == [])
    }

    @Test func pinsThatExpireFailOpenAndAreSaidTo() async throws {
        let outcome = try await verify("--pins", leaf.pin, "--client", "android:expires=2100-01-01")
        #expect(
            lines(outcome).contains("the pins expire on 2100-01-01: from then on the client takes any trusted chain"))
    }

    @Test func limitsDecideOnTheExitStatus() async throws {
        func status(_ flags: String...) async throws -> ExitStatus {
            try await verify(
                flags[0], flags[1], flags.count > 2 ? flags[2] : "--explain", flags.count > 2 ? flags[3] : "--explain"
            ).status
        }
        #expect(try await status("--warn-before", "90d") == .pass)
        #expect(try await status("--warn-before", "90d", "--fail-on", "warn") == .warn)
        #expect(try await status("--warn-before", "79d", "--fail-on", "warn") == .pass)
        #expect(try await status("--fail-before", "81d") == .fail)
        #expect(try await status("--fail-before", "79d") == .pass)
        #expect(try await status("--fail-before", "90%") == .fail)
        #expect(try await status("--fail-before", "88%") == .pass)
        #expect(try await status("--pins", leaf.pin, "--min-pin-life", "100d") == .fail)
        #expect(try await status("--pins", intermediate.pin, "--min-pin-life", "100d") == .pass)
    }

    @Test func theVerdictSaysWhichLimitAndWhy() async throws {
        let failing = try await verify("--fail-before", "81d").says(
            "\nFAIL  ",
            ending: "accepted, but CN=api.example.com (depth 0) expires in 80 d, on \(date(inDays: 80)), "
                + "less than 81d from now\n")
        #expect(lines(failing) == [])
        try await verify("--warn-before", "81d", "--fail-on", "warn").says("\nWARN  ")
        // Every certificate of the path counts, also where the verdict names one.
        let both = try await verify("--fail-before", "401d")
        #expect(lines(both).count == 1)
        #expect(lines(both).first?.hasPrefix("CN=Intermediate (depth 1) expires in 400 d") == true)
    }

    @Test func anyWarningCountsWithFailOnWarn() async throws {
        #expect(try await verify("--pins", leaf.pin, "--fail-on", "warn").status == .warn)
        #expect(try await verify("--fail-on", "warn").status == .pass)
        try await verify("--no-validate-domain-name", "--fail-on", "warn").expect(.warn, "accepted, but ")
    }

    @Test func theDocumentHasEverything() async throws {
        let outcome = try await verify("--pins", leaf.pin, "--pins", intermediate.pin, "--format", "json")
        let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let outlook = try #require(document?["outlook"] as? [String: Any])
        #expect(
            outlook.keys.sorted() == [
                "findings", "has_backup", "level", "no_pin_after", "pins", "pins_end", "pins_expire",
                "pins_match_until", "renewal_point", "valid_until",
            ])
        #expect(outlook["pins_end"] as? String == "intermediate-expiry")
        #expect((outlook["pins_match_until"] as? String)?.hasPrefix(date(inDays: 400)) == true)
        #expect((outlook["valid_until"] as? String)?.hasPrefix(date(inDays: 80)) == true)
        #expect(outlook["has_backup"] as? Bool == false)
        #expect(outlook["level"] as? String == "info")
        let pins = try #require(outlook["pins"] as? [[String: Any]])
        #expect(pins.map { $0["depth"] as? Int } == [0, 1])
    }
}
