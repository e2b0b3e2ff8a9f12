import PinChecking
import LoopbackLab
@testable import PinCheckCLI
import Pinning
import Testing
import Base
import X509

/// What is recommended for servers of the authorities that are known, with their real roots.
@Suite struct AuthorityAdviceTests {
    private let leaf: Certificate
    private let roots: [SHA256Digest: Certificate]
    private let time = Timestamp(secondsSinceEpoch: LabClock.now)

    init() throws {
        let issuer = try LabCertificate.selfSigned(.authority("E7"))
        leaf = try CertificateReader.certificate(der: issuer.issue(.leaf("api.example.com")).der)
        roots = try PathsOnDevices(dataAt: nil, DeviceSelection(["mozilla"])).roots
    }

    private func question(root: SHA256Digest) throws -> RecommendationQuestion {
        var question = RecommendationQuestion(
            path: [leaf, try #require(roots[root])], isPublic: true, authorities: .builtIn, time: time)
        question.listed = roots
        return question
    }

    @Test func everyRootInUseLeadsToThoseOfItsAuthority() throws {
        for authority in AuthorityTable.builtIn.authorities {
            for root in authority.rootsInUse {
                let advice = try #require(try question(root: root.key).recommendation())
                #expect(advice.strategy == .authorityRoots)
                #expect(advice.authority == authority)
                #expect(Set(advice.choices.map(\.key)) == Set(authority.rootsInUse.map(\.key)))
                #expect(advice.choices.first?.key == root.key && advice.choices.first?.reason == .rootInUse)
                for choice in advice.choices {
                    #expect(choice.certificate?.publicKey.spkiSHA256 == choice.key && choice.until != nil)
                }
            }
        }
    }

    @Test func aRootThatIsBeingLeftIsPinnedBesideThoseInUse() throws {
        for authority in AuthorityTable.builtIn.authorities {
            for root in authority.roots where root.state == .older {
                let advice = try #require(try question(root: root.key).recommendation())
                #expect(advice.choices.first?.key == root.key && advice.choices.first?.reason == .rootBeingLeft)
                #expect(advice.choices.count == authority.rootsInUse.count + 1)
            }
        }
    }

    @Test func aKeyInReserveMakesItTwoPinsWhateverTheAuthority() throws {
        let root = try #require(AuthorityTable.builtIn.authorities.first?.roots.first)
        var question = try question(root: root.key)
        let reserve = try #require(SHA256Digest(bytes: LabKey.generate().publicKeySHA256))
        question.reserve = [.init(reserve, origin: "backup.key")]
        let advice = try #require(question.recommendation())
        #expect(advice.choices.map(\.key) == [leaf.publicKey.spkiSHA256, reserve])
        #expect(advice.survives.contains(.anotherAuthority) && !advice.survives.contains(.newKey))
    }

    @Test func theTextIsWhatTheTutorialShows() throws {
        let table = AuthorityTable.builtIn.authorities.flatMap(\.roots)
        let root = try #require(table.first { $0.name == "ISRG Root X2" })
        let advice = try #require(try question(root: root.key).recommendation())
        let style = TextStyle(.never, isTerminal: false, environment: [:])
        let layout = TextLayout(columns: 80, wraps: true)
        let text = RecommendationText(style: style, layout: layout).lines(advice).joined(separator: "\n")
        #expect(
            text.split(separator: "\n").prefix(9) == [
                "  authority: Let's Encrypt (https://letsencrypt.org/certificates/, 2026-01-08)",
                "  ship 2 pins: the authority's roots. Everything below them changes without", "    notice",
                "  1 sha256/diGVwiVYbubAI3RW4hB9xU8e/CH2GnkuvVFZE8zmgzI=",
                "    ISRG Root X2, EC P-384: the server's certificates come from it today. It",
                "    lasts until 2040-09-17", "  2 sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
                "    ISRG Root X1, RSA 4096: another root of Let's Encrypt. Any renewal may move",
                "    the server to it. It lasts until 2035-06-04",
            ])
    }
}
