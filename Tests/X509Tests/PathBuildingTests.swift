import LoopbackLab
import Pinning
import Testing
import X509

/// What OpenSSL builds by itself: curl takes that path or none, others any valid one.
@Suite struct PathBuildingTests {
    private let root = try! LabCertificate.selfSigned(.authority("Root"))
    private let oldRoot = try! LabCertificate.selfSigned(.authority("Old Root"))
    private let key = try! LabKey.generate()

    private func intermediate(by issuer: LabCertificate, _ change: (inout CertificateTemplate) -> Void = { _ in })
        throws -> LabCertificate
    { try issuer.issue(.authority("Intermediate").with(change), key: key) }

    @Test func onlyThePathThatOpenSSLTriesCountsForCurl() throws {
        let old = try intermediate(by: oldRoot)
        let new = try intermediate(by: root)
        let constrained = try intermediate(by: root) { $0.excludedNames = [GeneralName("example.com")] }
        let leaf = try new.issue(.leaf(serverName))
        let worlds: [(presented: [LabCertificate], reason: String?)] = [
            ([leaf, old, new], "unknown-issuer"), ([leaf, old, oldRoot, new], "untrusted-root"),
            ([leaf, constrained, new], "name-constraint"), ([leaf, new, old], nil), ([leaf, new], nil),
            ([leaf, new, root], nil), ([leaf, new, oldRoot], nil),
        ]
        for (presented, reason) in worlds {
            let found = try find(presented, anchors: [root], on: .openssl)
            #expect(found.failures.first?.id == reason, "\(presented.map(\.subject)): \(found)")
            #expect(found.validPaths.isEmpty == (reason != nil))
            for platform in [Platform.apple(), .android()] {
                #expect(try !find(presented, anchors: [root], on: platform).validPaths.isEmpty)
            }
        }
        #expect(try !find([leaf, old, new], anchors: [root, oldRoot], on: .openssl).validPaths.isEmpty)
    }

    @Test func twoCertificatesOfOneNameAndKeyAreOnOnePathForCurlAlone() throws {
        let first: [UInt8] = [1, 2, 3]
        let byRoot = try intermediate(by: root)
        let other = try byRoot.issue(.authority("Other"))
        // The leaf names this one by its identifier, and OpenSSL takes no other for its issuer.
        let byOther = try intermediate(by: other) { $0.subjectKeyIdentifier = .bytes(first) }
        let leaf = try byOther.issue(.leaf(serverName).with { $0.authorityKeyIdentifier = .bytes(first) })
        let path = try values([leaf, byOther, other, byRoot, root])
        for presented in [[leaf, byOther, other, byRoot], [leaf, byRoot, other, byOther]] {
            #expect(try find(presented, anchors: [root], on: .openssl).validPaths == [path])
        }
        let elsewhere = try find([leaf, byOther, other, byRoot], anchors: [oldRoot], on: .openssl)
        #expect(elsewhere.validPaths.isEmpty && !elsewhere.failures.isEmpty)
        let misnamed = try byOther.issue(
            CertificateTemplate.leaf("other.example.com").with { $0.authorityKeyIdentifier = .bytes(first) })
        let refused = try find([misnamed, byOther, other, byRoot], anchors: [root], on: .openssl)
        #expect(refused.validPaths.isEmpty && refused.failures.first?.id == "name-mismatch")
        // Constraints are held against the name that is asked for, which such a path is not searched by.
        let constrained = try intermediate(by: other) {
            $0.subjectKeyIdentifier = .bytes(first)
            $0.permittedNames = [GeneralName("example.com")]
        }
        #expect(try find([leaf, constrained, other, byRoot], anchors: [root], on: .openssl).validPaths.isEmpty)
    }

    @Test func aTrustedLeafIsNoEndWhereItsIssuerIsSentAlong() throws {
        let issuer = try LabCertificate.selfSigned(.authority("Issuer"))
        let noAuthority = try LabCertificate.selfSigned(.authority("No authority").with { $0.isAuthority = false })
        let leaf = try issuer.issue(.leaf(serverName))
        let odd = try noAuthority.issue(.leaf(serverName))
        #expect(try find([odd, noAuthority], anchors: [odd], on: .openssl).validPaths.isEmpty)
        #expect(try !find([odd, noAuthority], anchors: [odd], on: .apple()).validPaths.isEmpty)
        #expect(try !find([leaf], anchors: [leaf], on: .openssl).validPaths.isEmpty)
    }

    @Test func ofHundredsOfRootsWithOneNameThatOfTheKeyIsFound() throws {
        let leaf = try root.issue(.leaf(serverName))
        let others = try (0..<300).map { _ in try LabCertificate.selfSigned(.authority("Root")) }
        for anchors in [others + [root], [root] + others] {
            #expect(try !find([leaf], anchors: anchors, on: .openssl).validPaths.isEmpty)
        }
        #expect(try find([leaf], anchors: others, on: .openssl).validPaths.isEmpty)
    }

    @Test func ofRootsWithOneNameTheFirstOfTheFileIsTaken() throws {
        let other = try LabCertificate.selfSigned(.authority("Root"))
        let inter = try intermediate(by: root) { $0.authorityKeyIdentifier = .absent }
        let leaf = try inter.issue(.leaf(serverName))
        // A root that is sent along has a key identifier: what it finds among the anchors comes no earlier for that.
        for presented in [[leaf, inter], [leaf, root, inter], [leaf, other, inter]] {
            #expect(try !find(presented, anchors: [root, other], on: .openssl).validPaths.isEmpty)
            #expect(try find(presented, anchors: [other, root], on: .openssl).validPaths.isEmpty)
            #expect(try !find(presented, anchors: [other, root], on: .apple()).validPaths.isEmpty)
        }
    }
}
