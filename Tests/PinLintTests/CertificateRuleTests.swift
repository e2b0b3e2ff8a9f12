import Base
import LoopbackLab
import PinFormats
import PinLint
import Pinning
import Testing
import X509

@Suite struct CertificateRuleTests {
    private func authority(_ name: DistinguishedName, days: Int64) throws -> LabCertificate {
        try .selfSigned(
            CertificateTemplate.authority(name).valid(
                from: LabClock.now - LabClock.day, to: LabClock.now + days * LabClock.day))
    }

    @Test func aNearEndIsAWarningAndAnEndAnError() throws {
        let files = Files([("a.cer", pki.rootA.der), ("b.cer", try authority("Short", days: 20).der)])
        #expect(
            try files.lint(asDirectory: true) == [
                "note certificate-mode-ends a.cer", "warning pinned-certificate-expires-soon b.cer",
            ])
        #expect(try files.lint(asDirectory: true, warningDays: 10) == ["note certificate-mode-ends a.cer"])
        let finding = try #require(try files.findings(asDirectory: true, warningDays: 10).first)
        // As it was issued, which may have been before midnight.
        let end = try CertificateReader.certificate(der: pki.rootA.der).notAfter.date
        #expect(
            finding.message == "an app in certificate mode stops working on \(end), with the last of 2 certificates")
        #expect(finding.remedy == .advice("ship its successor before"))
        let later = LabClock.now + 21 * LabClock.day
        #expect(
            try files.lint(asDirectory: true, at: later) == [
                "note certificate-mode-ends a.cer", "warning pinned-certificate-expired b.cer",
            ])
        let never = LabClock.now + 20 * LabClock.year
        #expect(
            try files.lint(asDirectory: true, at: never) == [
                "error pinned-certificate-expired a.cer", "warning pinned-certificate-expired b.cer",
            ])
    }

    @Test func theLastOneThatExpiresSoonSaysWhenTheAppStops() throws {
        let files = Files([("a.cer", try authority("Short", days: 20).der)])
        let findings = try files.findings()
        #expect(findings.map(\.id) == ["no-backup-pin", "pinned-certificate-expires-soon"].sorted(by: >))
        let end = Timestamp(secondsSinceEpoch: LabClock.now + 20 * LabClock.day).date
        #expect(findings.first?.message == "an app in certificate mode stops working on \(end), when CN=Short expires")
    }

    @Test func aCertificateOfTheFutureIsNamed() throws {
        let template = CertificateTemplate.authority("Next").valid(
            from: LabClock.now + LabClock.day, to: LabClock.now + LabClock.year)
        let files = Files([("a.cer", try LabCertificate.selfSigned(template).der), ("b.cer", pki.rootA.der)])
        #expect(
            try files.lint(asDirectory: true) == [
                "warning pinned-certificate-not-yet-valid a.cer", "note certificate-mode-ends b.cer",
            ])
    }

    @Test func leafCertificatesEndWithTheNextRenewal() throws {
        let files = Files([("leaf.cer", pki.leaf.der), ("root.cer", pki.rootA.der)])
        #expect(
            try files.lint(asDirectory: true) == [
                "warning leaf-certificate-pinned leaf.cer", "note certificate-mode-ends root.cer",
                "warning authority-beside-leaf root.cer",
            ])
        let only = Files([("a.cer", pki.leaf.der), ("b.cer", pki.leaf2.der)])
        #expect(
            try only.lint(asDirectory: true) == [
                "warning only-leaf-pins .", "note certificate-mode-ends a.cer", "warning leaf-certificate-pinned a.cer",
                "warning leaf-certificate-pinned b.cer",
            ])
    }

    @Test func anAuthorityBesideALeafIsWarnedOf() throws {
        let chain = pki.leaf.pem + pki.interA.pem
        let found = try Files(("fullchain.pem", chain)).findings().filter { $0.id == "authority-beside-leaf" }
        #expect(found.map(\.level) == [.warning])
        #expect(found.first?.message.hasPrefix("CN=InterA is a CA, pinned beside a server's own key") == true)
        for alone in [pki.leaf.pem, pki.interA.pem + pki.rootA.pem, pki.leaf.pem + pki.leaf2.pem] {
            #expect(try Files(("pins.pem", alone)).findings().allSatisfy { $0.id != "authority-beside-leaf" })
        }
    }

    @Test func weakKeysAreFoundInCertificatesAndKeys() throws {
        let weak = try LabKey.generate(.rsa(bits: 1024))
        let files = Files([
            ("a.pem", Array(pki.leaf.key.publicKeyPEM.utf8)), ("b.pem", Array(weak.publicKeyPEM.utf8)),
            ("c.cer", try LabCertificate.selfSigned(.authority("Weak"), key: weak).der),
        ])
        let findings = try files.findings(asDirectory: true)
        #expect(findings.filter { $0.id == "weak-key" }.compactMap(\.place?.path?.last) == ["m", "r"])
        #expect(findings.first?.message == "the key is RSA 1024: clients want 2048 bits")
        #expect(findings.first?.level == .warning)
    }

    @Test func weakSignaturesAreFoundBelowRoots() throws {
        let root = try LabCertificate.selfSigned(CertificateTemplate.authority("Old root").with { $0.digest = .sha1 })
        let issued = try root.issue(CertificateTemplate.authority("Old").with { $0.digest = .sha1 })
        let files = Files([("a.cer", root.der), ("b.cer", issued.der)])
        #expect(try files.lint(asDirectory: true).filter { $0.contains("weak") } == ["warning weak-signature b.cer"])
    }
}

/// Pinned servers' certificates that Apple's platforms never take.
@Suite struct AppleLeafRuleTests {
    private func leaf(days: Int64, _ usage: [OID]?) throws -> LabCertificate {
        try pki.interA.issue(
            CertificateTemplate.leaf("a.example").valid(
                from: LabClock.now - LabClock.day, to: LabClock.now + (days - 1) * LabClock.day
            ).with { $0.extendedKeyUsage = usage })
    }

    private func found(_ leaf: LabCertificate, clients: [LintClient] = []) throws -> [Finding] {
        try Files([("a.cer", leaf.der)]).findings(clients: clients).filter {
            ["lifetime-too-long", "no-server-auth", "key-usage"].contains($0.id)
        }
    }

    @Test func aLeafThatLivesTooLongFailsFromTheFirstDayOn() throws {
        let findings = try found(try leaf(days: 826, [.serverAuth]))
        #expect(findings.map(\.id) == ["lifetime-too-long"])
        #expect(findings.map(\.level) == [.error])
        #expect(
            findings.first?.message
                == "CN=a.example (depth 0) is valid for 826 days, more than 825 (a rule of Apple's platforms): apps on Apple's platforms "
                + "fail from the first day on")
        #expect(try found(try leaf(days: 825, [.serverAuth])).isEmpty)
        #expect(try found(pki.rootA).isEmpty)
    }

    @Test func aLeafWithoutAPurposeFailsFromTheFirstDayOn() throws {
        for usage in [nil, [.anyExtendedKeyUsage]] as [[OID]?] {
            let findings = try found(try leaf(days: 90, usage))
            #expect(findings.map(\.id) == ["no-server-auth"])
            #expect(findings.first?.message.contains("fail from the first day on") == true)
        }
    }

    @Test func clientsOfOtherPlatformsDoNotMind() throws {
        let long = try leaf(days: 900, nil)
        #expect(try found(long, clients: [.okhttp, .curl]).isEmpty)
        #expect(try found(long, clients: [.okhttp, .alamofire]).count == 2)
    }
}
