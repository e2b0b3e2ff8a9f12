import Testing
import Base

@Suite struct ListingTests {
    @Test(arguments: [
        ([], 5, ""), (["a"], 5, "a"), (["a", "b"], 2, "a, b"), (["a", "b", "c"], 2, "a, b and 1 more"),
        (["a", "b", "c"], 1, "a and 2 more"),
    ]) func theFirstFewAreNamedAndTheOthersCounted(words: [String], count: Int, text: String) {
        #expect(listed(words, first: count) == text)
    }

    @Test func whatIsNotNamedNeedNotBeMade() { #expect(listed(["a", "b"], of: 40_000) == "a, b and 39998 more") }
}
