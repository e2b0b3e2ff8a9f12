import Pinning
import Testing

@Suite struct FindingTests {
    @Test func everyIDIsARowWithAWordLevelsAndASentence() {
        let all = FindingID.allCases
        #expect(Set(all.map(\.word)).count == all.count)
        for id in all {
            #expect(id.word.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(id)")
            #expect(!(id.levels + id.lintLevels).isEmpty, "\(id)")
            #expect(!id.levels.contains(.error) && !id.lintLevels.contains(.fail), "\(id)")
            #expect(id.sentence.hasSuffix(".") && id.sentence.count > 20, "\(id)")
            #expect(id.sentence.first?.isUppercase == true || id.sentence.hasPrefix("curl"), "\(id)")
            #expect(FindingID(word: id.word) == id)
        }
    }

    @Test func levelsAreOrderedAndWordsThatAreNoneAreNoID() {
        #expect(Finding.Level.allCases == Finding.Level.allCases.sorted())
        #expect(FindingID(word: "") == nil && FindingID(word: "pirvate-root") == nil)
    }
}
