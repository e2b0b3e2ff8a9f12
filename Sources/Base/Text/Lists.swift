extension Sequence {
    /// The elements by what `key` says of them; keys and elements stay in their order.
    package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        var places: [Key: Int] = [:]
        return reduce(into: []) { groups, element in
            let key = key(element)
            if let place = places[key] {
                groups[place].elements.append(element)
            } else {
                places[key] = groups.count
                groups.append((key, [element]))
            }
        }
    }
}

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
