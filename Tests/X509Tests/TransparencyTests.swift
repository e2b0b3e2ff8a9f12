import LoopbackLab
import Pinning
import Testing
import X509

@Suite("Signed certificate timestamps are read as they are, and nothing else is") struct TransparencyTests {
    static let pki = try! StandardPKI.shared()
    static let logs = try! [LabLog(), LabLog(), LabLog()]

    private func certificate(_ template: CertificateTemplate) throws -> Certificate {
        try CertificateReader.certificate(der: Self.pki.interA.issue(template).der)
    }

    @Test func `those in a certificate are read in their order`() throws {
        let issued = try Self.pki.interA.issue(.leaf("a.example"), loggedBy: Self.logs, milliseconds: 1_700_000_000_123)
        let certificate = try CertificateReader.certificate(der: issued.der)
        let list = try #require(try TimestampListReader.embedded(in: certificate))
        #expect(list.unreadable == 0)
        #expect(list.timestamps.map(\.logID.bytes) == Self.logs.map(\.id))
        #expect(list.timestamps.allSatisfy { $0.source == .certificate && $0.milliseconds == 1_700_000_000_123 })
        #expect(list.timestamps.allSatisfy { $0.time == Timestamp(secondsSinceEpoch: 1_700_000_000) })
        #expect(list.timestamps.allSatisfy { $0.hashAlgorithm == 4 && $0.signatureAlgorithm == 3 })
        #expect(list.timestamps.allSatisfy { $0.extensions.isEmpty && !$0.signature.isEmpty })
    }

    @Test func `a certificate without them has none`() throws {
        #expect(try TimestampListReader.embedded(in: certificate(.leaf("a.example"))) == nil)
    }

    @Test func `those of the handshake have no octet string around them`() throws {
        let timestamp = try Self.logs[0].timestamp(for: .certificate(Self.pki.leaf.der))
        let list = try TimestampListReader.read(LabLog.list([timestamp, timestamp]), from: .handshake)
        #expect(list.timestamps.count == 2 && list.timestamps.allSatisfy { $0.source == .handshake })
    }

    @Test func `one that cannot be read takes no other along`() throws {
        let good = try Self.logs[0].timestamp(for: .certificate(Self.pki.leaf.der))
        var newer = good
        newer[0] = 1
        let bad = [newer, good + [0], Array(good.dropLast()), [0]]
        let list = try TimestampListReader.read(LabLog.list(bad + [good]), from: .handshake)
        #expect(list.timestamps.map(\.logID.bytes) == [Self.logs[0].id])
        #expect(list.unreadable == 4)
    }

    @Test func `of a list without end twenty are looked at`() throws {
        let timestamp = try Self.logs[0].timestamp(for: .certificate(Self.pki.leaf.der))
        let list = try TimestampListReader.read(
            LabLog.list([[0]] + [[UInt8]](repeating: timestamp, count: 500)), from: .handshake)
        #expect(list.timestamps.count == 20 && list.unreadable == 481)
    }

    @Test func `a list that its parts do not fill is damaged`() throws {
        let timestamp = try Self.logs[0].timestamp(for: .certificate(Self.pki.leaf.der))
        let whole = LabLog.list([timestamp])
        var long = whole
        long[3] += 1
        let broken = [
            [], [0], [0, 0], LabLog.list([[]]), Array(whole.dropLast()), whole + [0], long, Array(whole.dropFirst()),
        ]
        for bytes in broken {
            let error = #expect(throws: TransparencyError.self) {
                try TimestampListReader.read(bytes, from: .handshake)
            }
            #expect(error?.problem == .brokenList, "\(bytes.count) bytes")
        }
    }

    @Test func `an extension that is damaged or there twice is not read`() throws {
        let timestamp = try Self.logs[0].timestamp(for: .certificate(Self.pki.leaf.der))
        let good = LabLog.certificateExtension(LabLog.list([timestamp]))
        let bare = CertificateTemplate.Extension(good.identifier, value: LabLog.list([timestamp]))
        let long = CertificateTemplate.Extension(good.identifier, value: good.value + [0])
        let empty = LabLog.certificateExtension([])
        for (extensions, problem) in [
            ([good, good], TransparencyError.Problem.repeatedExtension), ([bare], .brokenExtension),
            ([long], .brokenExtension), ([empty], .brokenList),
        ] {
            let certificate = try certificate(
                CertificateTemplate.leaf("a.example").with { $0.additionalExtensions = extensions })
            let error = #expect(throws: TransparencyError.self) { try TimestampListReader.embedded(in: certificate) }
            #expect(error?.problem == problem)
        }
    }
}

@Suite("The places of an issuer's certificate are read") struct IssuerPlacesTests {
    private func places(_ value: [UInt8]) throws -> [String] {
        let template = CertificateTemplate.leaf("a.example").with {
            $0.additionalExtensions = [.init(OID(1, 3, 6, 1, 5, 5, 7, 1, 1), value: value)]
        }
        let issued = try StandardPKI.shared().interA.issue(template)
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
        let leaf = try CertificateReader.certificate(der: StandardPKI.shared().leaf.der)
        #expect(IssuerPlaces.named(by: leaf).isEmpty)
        #expect(try places([0x30, 0x05, 0x01]).isEmpty)
        #expect(try places([]).isEmpty)
    }
}
