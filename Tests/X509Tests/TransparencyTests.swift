import LoopbackLab
import Pinning
import Testing
import X509

@Suite("Timestamps in certificates are read as they are, and nothing else is") struct TransparencyTests {
    static let logs = [LabLog(), LabLog(), LabLog()]

    private func read(_ extensions: [CertificateTemplate.Extension]) throws -> [[UInt8]] {
        let template = CertificateTemplate.leaf("a.example").with { $0.additionalExtensions = extensions }
        let issued = try pki.interA.issue(template)
        return EmbeddedTimestamps.of(try CertificateReader.certificate(der: issued.der)).map(\.logID.bytes)
    }

    @Test func `those in a certificate are read in their order`() throws {
        let issued = try pki.interA.issue(.leaf("a.example"), loggedBy: Self.logs, milliseconds: 1_700_000_000_123)
        let timestamps = EmbeddedTimestamps.of(try CertificateReader.certificate(der: issued.der))
        #expect(timestamps.map(\.logID.bytes) == Self.logs.map(\.id))
        #expect(timestamps.allSatisfy { $0.time == Timestamp(secondsSinceEpoch: 1_700_000_000) })
        #expect(try read([]).isEmpty)
    }

    @Test func `one that cannot be read takes no other along, and of many twenty are looked at`() throws {
        let good = Self.logs[0].timestamp()
        var newer = good
        newer[0] = 1
        let bad = [newer, good + [0], Array(good.dropLast()), [0]]
        #expect(EmbeddedTimestamps.timestamps(in: LabLog.list(bad + [good])).map(\.logID.bytes) == [Self.logs[0].id])
        let many = LabLog.list([[0]] + [[UInt8]](repeating: good, count: 500))
        #expect(EmbeddedTimestamps.timestamps(in: many).count == 19)
    }

    @Test func `a list or an extension that is damaged or there twice counts as none`() throws {
        let timestamp = Self.logs[0].timestamp()
        let whole = LabLog.list([timestamp])
        var long = whole
        long[3] += 1
        for bytes in [
            [], [0], [0, 0], LabLog.list([[]]), LabLog.list([timestamp, []]), Array(whole.dropLast()), whole + [0],
            long, Array(whole.dropFirst()),
        ] {
            #expect(EmbeddedTimestamps.timestamps(in: bytes).isEmpty, "\(bytes.count) bytes")
            #expect(try read([LabLog.certificateExtension(bytes)]).isEmpty)
        }
        let good = LabLog.certificateExtension(whole)
        #expect(try read([good]) == [Self.logs[0].id])
        let bare = CertificateTemplate.Extension(good.identifier, value: whole)
        let padded = CertificateTemplate.Extension(good.identifier, value: good.value + [0])
        for extensions in [[good, good], [bare], [padded]] { #expect(try read(extensions).isEmpty) }
    }
}

@Suite("The places of an issuer's certificate are read") struct IssuerPlacesTests {
    private func places(_ value: [UInt8]) throws -> [String] {
        let template = CertificateTemplate.leaf("a.example").with {
            $0.additionalExtensions = [.init(OID(1, 3, 6, 1, 5, 5, 7, 1, 1), value: value)]
        }
        let issued = try pki.interA.issue(template)
        return IssuerPlaces.named(by: try CertificateReader.certificate(der: issued.der))
    }

    /// An AccessDescription: 1 for OCSP, 2 for caIssuers.
    private func description(_ method: UInt8, _ url: String) -> [UInt8] {
        let identifier = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, method]
        let content = identifier + [0x86, UInt8(url.utf8.count)] + url.utf8
        return [0x30, UInt8(content.count)] + content
    }

    @Test func `those of caIssuers, in their order`() throws {
        let all =
            description(1, "http://ocsp.example") + description(2, "http://a.example/1")
            + description(2, "ldap://b.example")
        #expect(try places([0x30, UInt8(all.count)] + all) == ["http://a.example/1", "ldap://b.example"])
    }

    @Test func `none without the extension, or with a damaged one`() throws {
        let leaf = try CertificateReader.certificate(der: pki.leaf.der)
        #expect(IssuerPlaces.named(by: leaf).isEmpty)
        #expect(try places([0x30, 0x05, 0x01]).isEmpty)
        #expect(try places([]).isEmpty)
    }
}
