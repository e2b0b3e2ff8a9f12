extension String {
    /// The text with some strings in it replaced, all in one pass; of several that stand at the same place the first counts.
    ///
    /// It looks at bytes. `replacing` and `split` of the library compare characters as a reader sees them: a combining mark
    /// behind a quotation mark, or a letter that joins what follows, makes another character of it, which they pass over, while
    /// whoever reads the text takes it for the quotation mark it is.
    package func replacingBytes(_ replacements: KeyValuePairs<StaticString, String>) -> String {
        let table = replacements.map { (needle: Array("\($0.key)".utf8), text: $0.value) }
        let bytes = Array(utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let found = table.first { !$0.needle.isEmpty && bytes[index...].starts(with: $0.needle) }
            if let found {
                result += found.text.utf8
                index += found.needle.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
