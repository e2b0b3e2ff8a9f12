extension Sequence {
    /// The elements by what `key` says of them; keys and elements stay in their order.
    func grouped<Key: Equatable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        reduce(into: []) { groups, element in
            let key = key(element)
            if let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].elements.append(element)
            } else {
                groups.append((key, [element]))
            }
        }
    }
}

extension Sequence where Element: Equatable {
    /// Each element once, in their order.
    var distinct: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
