/// Hands what a value encodes to a writer of JSON.
///
/// Foundation's encoder takes several times as long for a report, and megabytes of a library that nothing else here needs.
struct JSONValueEncoder: Encoder {
    /// What writes the value; it has begun it.
    let writer: JSONWriter

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.output.beginMembers()
        return KeyedEncodingContainer(Members(writer: writer))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.output.beginElements()
        return Elements(writer: writer)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        writer.output.beginSingle()
        return Single(writer: writer)
    }
}

extension JSONValueEncoder {
    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let writer: JSONWriter

        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil(forKey key: Key) {
            writer.output.beginMember(key)
            writer.output.writeNull()
        }

        mutating func encode(_ value: String, forKey key: Key) {
            writer.output.beginMember(key)
            writer.output.write(value)
        }

        mutating func encode(_ value: Bool, forKey key: Key) {
            writer.output.beginMember(key)
            writer.output.write(value)
        }

        mutating func encode(_ value: Int, forKey key: Key) {
            writer.output.beginMember(key)
            writer.output.write(value)
        }

        mutating func encode(_ value: some Encodable, forKey key: Key) throws {
            writer.output.beginMember(key)
            try writer.write(encoding: value)
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

        mutating func superEncoder() -> any Encoder { JSONValueEncoder(writer: writer) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { open(key) }

        private func open(_ key: Key) -> JSONValueEncoder {
            writer.output.beginMember(key)
            return JSONValueEncoder(writer: writer.output.openValue())
        }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let writer: JSONWriter

        var codingPath: [any CodingKey] { [] }
        var count: Int { writer.output.count }

        mutating func encodeNil() {
            writer.output.beginElement()
            writer.output.writeNull()
        }

        mutating func encode(_ value: some Encodable) throws {
            writer.output.beginElement()
            try writer.write(encoding: value)
        }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            open().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { open().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { open() }

        private func open() -> JSONValueEncoder {
            writer.output.beginElement()
            return JSONValueEncoder(writer: writer.output.openValue())
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let writer: JSONWriter

        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() { writer.output.writeNull() }
        mutating func encode(_ value: String) { writer.output.write(value) }
        mutating func encode(_ value: Bool) { writer.output.write(value) }
        mutating func encode(_ value: Double) throws { try writer.output.write(value) }
        mutating func encode(_ value: Float) throws { try writer.output.write(Double(value)) }
        mutating func encode(_ value: Int) { writer.output.write(value) }
        mutating func encode(_ value: Int8) { writer.output.write(value) }
        mutating func encode(_ value: Int16) { writer.output.write(value) }
        mutating func encode(_ value: Int32) { writer.output.write(value) }
        mutating func encode(_ value: Int64) { writer.output.write(value) }
        mutating func encode(_ value: UInt) { writer.output.write(value) }
        mutating func encode(_ value: UInt8) { writer.output.write(value) }
        mutating func encode(_ value: UInt16) { writer.output.write(value) }
        mutating func encode(_ value: UInt32) { writer.output.write(value) }
        mutating func encode(_ value: UInt64) { writer.output.write(value) }
        mutating func encode(_ value: some Encodable) throws { try writer.write(encoding: value) }
    }
}
