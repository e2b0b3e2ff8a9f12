/// Names as documents write them.
enum SnakeCase {
    /// A name in snake case: `validatesDomainName` as `validates_domain_name`, and `myURLHere` as `my_url_here`.
    static func key(_ name: String) -> String {
        func isUppercase(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
        let name = Array(name.utf8)
        var key: [UInt8] = []
        for (index, byte) in name.enumerated() {
            guard isUppercase(byte) else {
                key.append(byte == UInt8(ascii: "-") ? UInt8(ascii: "_") : byte)
                continue
            }
            let isLastOfWord = index + 1 < name.count && !isUppercase(name[index + 1])
            if let last = key.last, last != UInt8(ascii: "_"), !isUppercase(name[index - 1]) || isLastOfWord {
                key.append(UInt8(ascii: "_"))
            }
            key.append(byte + 0x20)
        }
        return String(decoding: key, as: UTF8.self)
    }
}
