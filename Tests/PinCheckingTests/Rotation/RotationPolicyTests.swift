@testable import PinChecking
import Testing

/// `--allow renewed,names-added`.
struct RotationPolicyTests {
    @Test func nothingIsAllowedUnlessSaid() {
        let policy = RotationPolicy()
        for kind in Change.Kind.allCases {
            #expect(policy.allows(Change(kind, old: nil, new: nil)) == (kind == .unchanged))
        }
    }

    @Test func listsAddUp() throws {
        let policy = try RotationPolicy(reading: ["renewed,names-added", "rekeyed", "renewed, order-changed"])
        #expect(policy.allowed == [.renewed, .namesAdded, .rekeyed, .orderChanged])
        #expect(policy.allows(Change(.renewed, old: nil, new: nil)))
        #expect(!policy.allows(Change(.rootChanged, old: nil, new: nil)))
    }

    @Test(arguments: Change.Kind.allCases) func everyIdIsReadAndExplained(kind: Change.Kind) throws {
        #expect(try RotationPolicy(reading: [kind.rawValue]).allowed == [kind])
        #expect(kind.rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D })
        #expect(!kind.summary.isEmpty)
    }

    @Test(arguments: ["renew", "", "Renewed", "names_added", "all"]) func anUnknownIdIsAnsweredWithTheList(word: String)
    {
        let error = #expect(throws: UnknownChangeKind.self) { try RotationPolicy(reading: ["renewed," + word]) }
        #expect(error?.word == word)
        #expect(
            error?.description.hasPrefix("'\(word)' is not a kind of change: choose from unchanged, renewed, rekeyed, ")
                == true)
    }

    @Test func aVeryLongWordIsShortened() {
        let error = UnknownChangeKind(word: String(repeating: "x", count: 100_000))
        #expect(error.description.count < 700)
    }
}
