/// Turns a value into JSON: keys in snake case, members in the order of their keys.
///
/// The keys of dictionaries are no exception. Foundation's encoder takes several times as long for a report, and megabytes of a library that nothing else here needs.
struct JSONNodeEncoder: Encoder {
    /// Where the containers of one value put what they are given.
    private final class Place {
        enum Content {
            case nothing
            case value(JSONNode)
            case elements([Item])
            case members([(key: String, item: Item)])
        }

        /// A value that is complete, or the place of one that a nested container may still add to.
        enum Item {
            case node(JSONNode)
            case open(Place)

            var node: JSONNode {
                switch self {
                case .node(let node): node
                case .open(let place): place.node
                }
            }
        }

        var content = Content.nothing
        let keepsKeys: Bool

        init(keepsKeys: Bool) {
            self.keepsKeys = keepsKeys
        }

        var node: JSONNode {
            switch content {
            case .nothing: return .object([])
            case .value(let node): return node
            case .elements(let items): return .array(items.map(\.node))
            case .members(var members):
                members.sort { $0.key < $1.key }
                return .object(members.map { ($0.key, $0.item.node) })
            }
        }

        func append(_ item: Item) {
            guard case .elements(var items) = content else { return content = .elements([item]) }
            content = .nothing
            items.append(item)
            content = .elements(items)
        }

        func add(_ item: Item, for key: some CodingKey) {
            let name = keepsKeys ? key.stringValue : JSONNodeEncoder.snakeCase(key.stringValue)
            guard case .members(var members) = content else { return content = .members([(name, item)]) }
            content = .nothing
            members.append((name, item))
            content = .members(members)
        }
    }

    private let place: Place

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The JSON of a value, with keys in snake case or as they are called in the program.
    ///
    /// - Throws: what the value throws, and `EncodingError` for a number that JSON cannot express.
    static func node<Value: Encodable>(of value: Value, keepsKeys: Bool) throws -> JSONNode {
        // Text is most of a report: it need not go the long way, and comparing types costs less than asking for a cast.
        if Value.self == String.self, let text = value as? String { return .text(text) }
        if Value.self == Int.self, let number = value as? Int { return .number(String(number)) }
        let place = Place(keepsKeys: keepsKeys)
        try value.encode(to: JSONNodeEncoder(place: place))
        return place.node
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .nothing = place.content { place.content = .members([]) }
        return KeyedEncodingContainer(Members(place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .nothing = place.content { place.content = .elements([]) }
        return Elements(place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(place: place) }

    private static func node(_ number: Double) throws -> JSONNode {
        guard number.isFinite else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "JSON has no number for \(number)")
            throw EncodingError.invalidValue(number, context)
        }
        let digits = number.description
        return .number(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
    }

    /// `spkiSha256` as `spki_sha256`, and `myURLHere` as `my_url_here`.
    static func snakeCase(_ name: String) -> String {
        var name = name
        return name.withUTF8 { bytes in
            guard bytes.contains(where: isUppercase) else { return String(decoding: bytes, as: UTF8.self) }
            return String(unsafeUninitializedCapacity: bytes.count * 2) { result in
                var count = 0
                for (index, byte) in bytes.enumerated() {
                    guard isUppercase(byte) else {
                        result[count] = byte
                        count += 1
                        continue
                    }
                    let isLastOfWord = index + 1 < bytes.count && !isUppercase(bytes[index + 1])
                    if index > 0, bytes[index - 1] != UInt8(ascii: "_"), !isUppercase(bytes[index - 1]) || isLastOfWord
                    {
                        result[count] = UInt8(ascii: "_")
                        count += 1
                    }
                    result[count] = byte + 0x20
                    count += 1
                }
                return count
            }
        }
    }

    private static func isUppercase(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}

extension JSONNodeEncoder {
    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let place: Place

        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil(forKey key: Key) { place.add(.node(.null), for: key) }
        mutating func encode(_ value: String, forKey key: Key) { place.add(.node(.text(value)), for: key) }
        mutating func encode(_ value: Bool, forKey key: Key) { place.add(.node(.flag(value)), for: key) }
        mutating func encode(_ value: Int, forKey key: Key) { place.add(.node(.number(String(value))), for: key) }

        mutating func encode(_ value: some Encodable, forKey key: Key) throws {
            place.add(.node(try JSONNodeEncoder.node(of: value, keepsKeys: place.keepsKeys)), for: key)
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            open(key).container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            open(key).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder { JSONNodeEncoder(place: place) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { open(key) }

        private func open(_ key: Key) -> JSONNodeEncoder {
            let nested = Place(keepsKeys: place.keepsKeys)
            place.add(.open(nested), for: key)
            return JSONNodeEncoder(place: nested)
        }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let place: Place

        var codingPath: [any CodingKey] { [] }
        var count: Int { if case .elements(let items) = place.content { items.count } else { 0 } }

        mutating func encodeNil() { place.append(.node(.null)) }
        mutating func encode(_ value: some Encodable) throws {
            place.append(.node(try JSONNodeEncoder.node(of: value, keepsKeys: place.keepsKeys)))
        }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            open().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { open().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { open() }

        private func open() -> JSONNodeEncoder {
            let nested = Place(keepsKeys: place.keepsKeys)
            place.append(.open(nested))
            return JSONNodeEncoder(place: nested)
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let place: Place

        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() { place.content = .value(.null) }
        mutating func encode(_ value: String) { place.content = .value(.text(value)) }
        mutating func encode(_ value: Bool) { place.content = .value(.flag(value)) }
        mutating func encode(_ value: Int) { place.content = .value(.number(String(value))) }
        mutating func encode(_ value: Double) throws { place.content = .value(try JSONNodeEncoder.node(value)) }

        mutating func encode(_ value: some Encodable) throws {
            // The other numbers of the standard library come here as themselves, and would come again.
            place.content =
                switch value {
                case let number as any FixedWidthInteger: .value(.number(String(describing: number)))
                case let number as Float: .value(try JSONNodeEncoder.node(Double(number)))
                default: .value(try JSONNodeEncoder.node(of: value, keepsKeys: place.keepsKeys))
                }
        }
    }
}
