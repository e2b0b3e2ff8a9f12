import Testing
import Base

/// Whether one text stands in another.
@Suite struct HoldingTests {
    @Test(arguments: [
        ("", "", true), ("a", "", true), ("", "a", false), ("abc", "abc", true), ("abc", "bc", true),
        ("abc", "abcd", false), ("aaab", "aab", true), ("ecdsa-with-sha256", "sha256", true),
        ("ecdsa-with-sha256", "sha25 ", false), ("Zürich", "ü", true), ("Zürich", "u", false),
    ]) func looksAtBytes(text: String, part: String, isHeld: Bool) { #expect(text.holdsBytes(of: part) == isHeld) }

    @Test func agreesWithTheLibraryOnAllShortTextsOfTwoLetters() {
        func texts(_ most: Int) -> [String] {
            (0..<most).reduce(into: [[""]]) { all, _ in all.append(all[all.count - 1].flatMap { [$0 + "a", $0 + "b"] })
            }.flatMap(\.self)
        }
        for text in texts(7) {
            for part in texts(3) where !part.isEmpty {
                #expect(text.holdsBytes(of: part) == text.contains(part), "\(text) \(part)")
            }
        }
    }
}
