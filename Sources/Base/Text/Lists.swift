extension Sequence where Element: Hashable {
    /// Each element once, where it comes first.
    package var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension Sequence<String> {
    /// The words of lists with commas between them, as in `ios-17,android-9`; what stands between two commas is a word, too.
    package var words: [String] {
        flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}
