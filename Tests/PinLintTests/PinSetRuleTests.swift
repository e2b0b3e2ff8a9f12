import LoopbackLab
import PinFormats
import PinLint
import Pinning
import Testing

/// What is found of pins that stand in for each other.
@Suite struct PinSetRuleTests {
    @Test func aSetNeedsASecondKey() throws {
        #expect(try Files(("pins.txt", "sha256/\(Hashes.a)\n")).lint() == ["warning no-backup-pin pins.txt:1"])
        #expect(try Files(("pins.txt", "sha256/\(Hashes.a)\nsha256/\(Hashes.b)\n")).lint() == [])
        let list = "a.example.com sha256/\(Hashes.a)\nb.example.com sha256/\(Hashes.a),sha256/\(Hashes.b)\n"
        let finding = try Files(("hosts", list)).findings()
        #expect(finding.map(\.id) == ["no-backup-pin"])
        #expect(finding.first?.host == "a.example.com")
        #expect(finding.first?.place.line == 1)
    }

    @Test func whatAnotherEntryPinsForTheSameHostIsABackupWhereTheClientTakesBoth() throws {
        let list = "**.example.com sha256/\(Hashes.a)\napi.example.com sha256/\(Hashes.b)\n"
        #expect(try Files(("hosts", list)).lint() == ["warning no-backup-pin hosts:1"])
    }

    @Test func aPinThatCouldNotBeReadIsNoPinTooFew() throws {
        #expect(
            try Files(("pins.txt", "sha256/\(Hashes.a)\nsha256/AAAA\n")).lint() == ["error wrong-length pins.txt:2"])
        let list = "a.example.com sha256/\(Hashes.a),sha256/AAAA\n"
        #expect(try Files(("hosts", list)).lint() == ["error wrong-length hosts:1"])
    }

    @Test func repeatedPinsAreNamedAtTheSecondPlace() throws {
        let text = "sha256/\(Hashes.a)\nsha256/\(Hashes.b)\n\nsha256/\(Hashes.a)\n"
        let findings = try Files(("pins.txt", text)).findings()
        #expect(findings.map(\.id) == ["duplicate-pin"])
        #expect(findings.first?.severity == .warning)
        #expect(findings.first?.place.line == 4)
        #expect(findings.first?.message == "sha256/\(Hashes.a) is pinned already in line 1")
    }

    @Test func oneKeyInTwoFormsIsOnePin() throws {
        let pki = try StandardPKI.shared()
        let files = Files([
            ("a.cer", pki.interA.der), ("b.cer", pki.interAxB.der),
            ("c.txt", Array("sha256/\(pki.interA.hash)\n".utf8)),
        ])
        let expected = [
            "warning no-backup-pin .", "note certificate-mode-ends a.cer", "note same-key-twice b.cer",
            "note same-key-twice c.txt:1",
        ]
        #expect(try files.lint(asDirectory: true).sorted() == expected.sorted())
        // Named one by one they are one set as well, but for the list.
        let loose = Files([("a.cer", pki.interA.der), ("b.cer", pki.interAxB.der)])
        #expect(
            try loose.lint() == [
                "note certificate-mode-ends a.cer", "warning no-backup-pin a.cer", "note same-key-twice b.cer",
            ])
    }

    @Test func everyMalformedPlaceIsNamedBesideTheFindings() throws {
        let text = "sha256/AAAA\nsha256/\(Hashes.a)\nsha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=\nsha256/\(Hashes.a)\n"
        #expect(
            try Files(("pins.txt", text)).lint() == [
                "error wrong-length pins.txt:1", "error wrong-algorithm pins.txt:3", "warning duplicate-pin pins.txt:4",
            ])
        let findings = try Files(("pins.txt", text)).findings()
        #expect(findings.map(\.obstacle) == [.malformed, .malformed, nil])
    }

    @Test func aDirectorySaysWhatItDidNotTake() throws {
        let files = Files(
            ("a.txt", "sha256/\(Hashes.a)\nsha256/\(Hashes.b)\n"), ("prose.txt", "Nothing."), ("broken.cer", "Nothing.")
        )
        #expect(try files.lint(asDirectory: true) == ["error not-a-pin broken.cer", "note not-a-pin-file prose.txt"])
    }

    @Test func aMissingSourceIsNamed() throws {
        let findings = Linter(now: .init(secondsSinceEpoch: 0), warnBefore: .seconds(0)).findings(in: [
            PinSource("/gone").inspect()
        ])
        #expect(findings.map(\.id) == ["missing-file"])
        #expect(findings.map(\.obstacle) == [.missing])
        #expect(findings.map(\.place.file) == [nil])
    }

    @Test func pinsAsArgumentsAreOneSet() throws {
        let sources = [Hashes.a, Hashes.b, Hashes.a].map { PinSource("sha256/\($0)").inspect() }
        let linter = Linter(now: .init(secondsSinceEpoch: 0), warnBefore: .seconds(0))
        #expect(linter.findings(in: sources).map { "\($0.id) \($0.place)" } == ["duplicate-pin command line"])
        #expect(
            linter.findings(in: Array(sources.prefix(1))).map { "\($0.id) \($0.place)" } == [
                "no-backup-pin command line"
            ])
    }
}
