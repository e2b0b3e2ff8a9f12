import PinFormats
import PinLint
import Testing

@Suite struct LintCatalogueTests {
    @Test func everyKindIsListedOnceWithASentence() {
        let entries = LintKind.all
        #expect(Set(entries.map(\.id)).count == entries.count)
        for entry in entries {
            #expect(entry.id.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(entry.id)")
            #expect(entry.explanation.hasSuffix("."), "\(entry.id)")
            #expect(entry.explanation.first?.isUppercase == true || entry.explanation.hasPrefix("curl"), "\(entry.id)")
        }
        #expect(PinProblem.allCases.allSatisfy { problem in entries.contains { $0.id == problem.rawValue } })
    }
}
