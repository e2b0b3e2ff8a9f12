import LoopbackLab
import Pinning
import Testing
import X509

/// What a store says of a certificate (`TRUSTED CERTIFICATE`) holds wherever the certificate stands, and nowhere but in that store.
@Suite("What the trust store distrusts is on no path") struct DistrustTests {
    /// Settings under which OpenSSL trusts a certificate for no TLS server.
    static let distrusting: [TrustSettings] = [
        TrustSettings(rejected: [.serverAuth]), TrustSettings(rejected: [.clientAuth, .serverAuth]),
        TrustSettings(rejected: [.anyExtendedKeyUsage]), TrustSettings(trusted: [.clientAuth]),
        TrustSettings(trusted: [.serverAuth], rejected: [.serverAuth]),
    ]
    static let trusting: [TrustSettings] = [
        TrustSettings(), TrustSettings(rejected: [.clientAuth]), TrustSettings(trusted: [.serverAuth]),
        TrustSettings(trusted: [.anyExtendedKeyUsage]),
    ]
    private static let rejecting = distrusting[0]

    typealias Entry = (LabCertificate, TrustSettings?)

    /// How a store can be given: each must lead to the same answer.
    enum Place: CaseIterable {
        case file, bigFile, systemBundle, bigSystemBundle, systemDirectory, directoryAndBundle

        private static let crowd = try! LabCertificate.strangers(20).map(\.pem)

        func store(_ entries: [Entry], in files: TemporaryDirectory) throws -> TrustStore {
            let texts = entries.map { $1.map($0.pem) ?? $0.pem }
            func system(_ bundle: [String], directory: [Entry] = []) throws -> TrustStore {
                let path = try files.makeDirectory("certs")
                var counts: [Substring: Int] = [:]
                for (certificate, settings) in directory {
                    let stem = certificate.hashedFileName.dropLast()
                    let number = counts[stem, default: 0]
                    counts[stem] = number + 1
                    try files.write(settings.map(certificate.pem) ?? certificate.pem, to: "certs/\(stem)\(number)")
                }
                let bundle = try files.write(bundle.joined(), to: "bundle.pem")
                return .system(environment: ["SSL_CERT_FILE": bundle, "SSL_CERT_DIR": path])
            }
            switch self {
            case .file: return TrustStore(anchors: [try AnchorBundle(pemOrDER: Array(texts.joined().utf8))])
            case .bigFile:
                return TrustStore(anchors: [try AnchorBundle(pemOrDER: Array((Self.crowd + texts).joined().utf8))])
            case .systemBundle: return try system(texts)
            case .bigSystemBundle: return try system(Self.crowd + texts)
            case .systemDirectory: return try system([], directory: entries)
            // What the directory trusts is found first; what the bundle says must count all the same.
            case .directoryAndBundle:
                return try system(
                    entries.filter { $0.1 != nil }.map { $0.pem($1!) }, directory: entries.filter { $0.1 == nil })
            }
        }
    }

    private func ids(_ place: Place, _ entries: [Entry], of presented: [LabCertificate] = served) throws -> [String] {
        let files = try TemporaryDirectory()
        let findings = try find(presented, in: try place.store(entries, in: files))
        #expect(findings.failures.isEmpty == !findings.validPaths.isEmpty)
        return findings.failures.map(\.id)
    }

    @Test(arguments: Place.allCases) func aLeafAnIntermediateAndARootAre(place: Place) throws {
        for settings in Self.distrusting {
            for (presented, entries) in [
                ([pki.leaf], [(pki.leaf, settings)]), (served, [(pki.leaf, settings), (pki.rootA, nil)]),
                (served, [(pki.rootA, nil), (pki.interA, settings)]),
                (served, [(pki.interA, settings), (pki.rootA, nil)]),
                ([pki.leaf], [(pki.interA, settings), (pki.rootA, nil)]), (served, [(pki.rootA, settings)]),
            ] as [([LabCertificate], [Entry])] { #expect(try ids(place, entries, of: presented) == ["distrusted"]) }
        }
    }

    @Test(arguments: Place.allCases) func settingsThatAllowServersChangeNothing(place: Place) throws {
        for settings in Self.trusting {
            #expect(try ids(place, [(pki.rootA, settings)]) == [])
            #expect(try ids(place, [(pki.rootA, nil), (pki.interA, settings)]) == [])
        }
    }

    @Test func everyCopyOfTheNameAndKeyIsAndAPathThatAvoidsThemIsTaken() throws {
        let distrusting: [Entry] = [(pki.rootA, nil), (pki.rootB, nil), (pki.interA, Self.rejecting)]
        let avoiding: [Entry] = [(pki.rootB, nil), (pki.rootA, Self.rejecting)]
        for place in Place.allCases {
            for copy in [pki.interA, pki.interA2, pki.interAxB] {
                #expect(Set(try ids(place, distrusting, of: [pki.leaf, copy])) == ["distrusted"])
            }
            #expect(try ids(place, avoiding, of: [pki.leaf, pki.interA, pki.interAxB]) == [])
        }
        let files = try TemporaryDirectory()
        let findings = try find([pki.leaf, pki.interA, pki.interAxB], in: Place.file.store(avoiding, in: files))
        let expected = [try values([pki.leaf, pki.interAxB, pki.rootB])]
        #expect(findings.validPaths == expected)
        let store = try Place.file.store(distrusting, in: files)
        for platform in [nil, .apple(), .android(), .openssl] as [Platform?] {
            let failures = try find([pki.leaf, pki.interA2], on: platform, in: store).failures
            #expect(failures.first?.id == "distrusted", "\(failures)")
        }
    }

    @Test func ofTwoEntriesForOneCertificateTheStricterCountsInEitherOrder() throws {
        for place in Place.allCases {
            let entries: [Entry] = [(pki.rootA, nil), (pki.rootA, Self.rejecting)]
            #expect(try ids(place, entries) == ["distrusted"])
            #expect(try ids(place, entries.reversed()) == ["distrusted"])
        }
    }

    @Test func oneStoresSettingsAreNoOthers() throws {
        let files = try TemporaryDirectory()
        let distrusting = try Place.file.store([(pki.rootA, Self.rejecting)], in: files)
        let trusting = try Place.file.store([(pki.rootA, nil)], in: files)
        for _ in 0..<2 {
            #expect(try find(served, in: distrusting).failures.map(\.id) == ["distrusted"])
            #expect(try !find(served, in: trusting).validPaths.isEmpty)
            // A pin or a chain that happens to be written in the same format is no store.
            let text = Array(pki.interA.pem(Self.rejecting).utf8)
            #expect(try CertificateReader.certificates(pemOrDER: text).map(\.der) == [pki.interA.der])
        }
    }

    @Test func aClientsOwnAnchorsDoNotMakeUpForIt() throws {
        let files = try TemporaryDirectory()
        let store = try Place.systemBundle.store([(pki.interA, Self.rejecting)], in: files)
        let verifier = OpenSSLPathVerifier(trustStore: store)
        var question = PathQuestion(
            presented: try #require(PresentedChain(try values(served))), anchors: .only(try values([pki.rootA])),
            policy: .basicX509, time: PathVerifierTests.now)
        #expect(verifier.findPaths(question).failures.map(\.id) == ["distrusted"])
        question.anchors = .only(try values([pki.leaf]))
        #expect(verifier.findPaths(question).failures.isEmpty)
    }

    @Test func aWordOfDistrustBehindAHundredFilesOfItsHashCounts() throws {
        let files = try TemporaryDirectory()
        let first = try files.makeDirectory("first")
        let second = try files.makeDirectory("second")
        let stem = pki.interA.hashedFileName.dropLast()
        for number in 0..<120 { try files.write(pki.rootB.pem, to: "first/\(stem)\(number)") }
        let bundle = try files.write(pki.rootA.pem, to: "bundle.pem")
        func failures() throws -> [String] {
            let store = TrustStore.system(environment: ["SSL_CERT_FILE": bundle, "SSL_CERT_DIR": "\(first):\(second)"])
            return try find(served, in: store).failures.map(\.id)
        }
        #expect(try failures().isEmpty)
        try files.write(pki.interA.pem(Self.rejecting), to: "second/\(stem)0")
        #expect(try failures() == ["distrusted"])
    }

    @Test func aBlockWithBytesBehindItsSettingsIsRefusedAsInPlainDER() throws {
        let bytes = pki.rootA.der + Self.rejecting.der
        func text(_ bytes: [UInt8]) -> [UInt8] { Array(pem(bytes, label: "TRUSTED CERTIFICATE").utf8) }
        #expect(try AnchorBundle(pemOrDER: text(bytes)).count == 1)
        #expect(try CertificateReader.certificates(pemOrDER: text(bytes)).count == 1)
        for tail in [[0], [0x30, 0], pki.rootA.der] as [[UInt8]] {
            #expect(throws: X509Error.self) { try AnchorBundle(pemOrDER: text(bytes + tail)) }
            #expect(throws: X509Error.self) { try CertificateReader.certificates(pemOrDER: text(bytes + tail)) }
        }
    }
}
