// Of arrays, and by loops: what is generic over sequences goes through all conformances of the program at its first call.

extension Array {
    /// The elements by what `key` says of them; keys and elements stay in their order.
    package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        var groups: [(key: Key, elements: [Element])] = []
        var positions: [Key: Int] = [:]
        for element in self {
            let key = key(element)
            if let position = positions[key] {
                groups[position].elements.append(element)
            } else {
                positions[key] = groups.count
                groups.append((key, [element]))
            }
        }
        return groups
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it comes first.
    package var distinct: [Element] {
        var seen: Set<Element> = []
        var distinct: [Element] = []
        for element in self where seen.insert(element).inserted { distinct.append(element) }
        return distinct
    }
}

extension [String] {
    /// The texts one after another, joined without a search through all conformances of the program as the library's own makes.
    package func joined(separator: String = "") -> String {
        var text = ""
        for index in indices { text += (index == 0 ? "" : separator) + self[index] }
        return text
    }
}

extension Sequence<String> {
    /// The words of lists with commas between them, as in `ios-17,android-9`; what stands between two commas is a word, too.
    package var words: [String] {
        flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}
