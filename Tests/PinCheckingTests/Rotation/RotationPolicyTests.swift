@testable import PinChecking
import Testing

/// `--allow renewed,names-added`.
struct RotationPolicyTests {
    @Test func nothingIsAllowedUnlessSaid() {
        let policy = RotationPolicy()
        for kind in Change.Kind.allCases { #expect(!policy.allows(Change(kind, old: nil, new: nil))) }
    }

    @Test func listsAddUp() throws {
        let policy = try RotationPolicy(reading: ["renewed,names-added", "rekeyed", "renewed, chain-changed"])
        #expect(policy.allowed == [.renewed, .namesAdded, .rekeyed, .chainChanged])
        #expect(policy.allows(Change(.renewed, old: nil, new: nil)))
        #expect(!policy.allows(Change(.rootChanged, old: nil, new: nil)))
    }

    @Test(arguments: Change.Kind.allCases) func everyIdIsReadAndExplained(kind: Change.Kind) throws {
        #expect(try RotationPolicy(reading: [kind.rawValue]).allowed == [kind])
        #expect(kind.rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D })
        #expect(!kind.summary.isEmpty)
    }

    @Test(arguments: ["renew", "", "Renewed", "names_added", "all"]) func anUnknownIdIsRefused(word: String) {
        let error = #expect(throws: UnknownChangeKind.self) { try RotationPolicy(reading: ["renewed," + word]) }
        #expect(error?.word == word)
    }
}
