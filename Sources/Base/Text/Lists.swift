// Loops over arrays: code that is generic over sequences searches all conformances of the program at its first call.

extension Array {
    /// The elements grouped by `key`; keys and elements stay in their order.
    package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        guard !isEmpty else { return [] }
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
    package var distinct: [Element] {
        guard count > 1 else { return self }
        var seen: Set<Element> = []
        var distinct: [Element] = []
        for element in self where seen.insert(element).inserted { distinct.append(element) }
        return distinct
    }
}

extension [String] {
    /// The texts joined without the search through all conformances that the library's own method makes.
    func joined(separator: String = "") -> String {
        var text = ""
        for index in indices { text += (index == 0 ? "" : separator) + self[index] }
        return text
    }

    package var listed: String { joined(separator: ", ") }
}

extension Sequence<String> {
    /// The words of lists with commas, as in `ios-17,android-9`; an empty text between two commas is a word, too.
    package var words: [String] { flatMap { $0.parts(at: ",").map(String.init) } }
}
