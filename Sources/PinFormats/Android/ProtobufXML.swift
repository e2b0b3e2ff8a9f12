import Base
import Pinning

/// The XML of an App Bundle: messages XmlNode, XmlElement, XmlAttribute and Item of aapt2's `Resources.proto`.
enum ProtobufXML {
    static func node(_ node: ProtobufMessage, _ tree: inout XMLTree) throws(Problem) {
        guard let message = try node.message(1) else {
            guard tree.append(try node.text(2)) else { throw node.broken }
            return
        }
        let line = try node.message(3)?.number(1) ?? 0
        let element = XMLElement(name: try message.text(3), attributes: [:], line: Int(clamping: line))
        for attribute in try message.messages(4) { try add(attribute, to: element) }
        try BuiltXML.start(element, of: node.file, in: &tree)
        for child in message.parts(5) { try self.node(ProtobufMessage(child, of: node.file), &tree) }
        tree.end()
    }

    private static func add(_ attribute: ProtobufMessage, to element: XMLElement) throws(Problem) {
        let (name, namespace) = (try attribute.text(2), try attribute.text(1))
        let key = try BuiltXML.name(
            name, id: attribute.number(5).map(UInt32.init(truncatingIfNeeded:)), isQualified: !namespace.isEmpty,
            in: attribute.file)
        let value = try attribute.message(6).map(value(of:))
        let written = try attribute.text(3)
        let (text, isText) = value ?? (written, true)
        guard element.attributes.updateValue(text, forKey: key) == nil else { throw attribute.broken }
        if isText { element.texts.insert(key) }
    }

    /// The value of an Item as text, and `true` if it is a string in the app.
    private static func value(of item: ProtobufMessage) throws(Problem) -> (text: String, isText: Bool) {
        if let reference = try item.message(1) {
            let name = try reference.text(3)
            return (name.contains(":") ? "a reference to another package" : "@\(name)", false)
        }
        for number in [2, 3] { if let string = try item.message(number) { return (try string.text(1), true) } }
        let primitive = try item.message(7)
        if let flag = primitive?.number(8) { return (flag == 0 ? "false" : "true", false) }
        let number = primitive?.number(6) ?? primitive?.number(7)
        return (number.map { String(Int32(truncatingIfNeeded: $0)) } ?? "a value of another type", false)
    }
}

/// A protocol buffers message, parsed one level deep; unknown fields are ignored.
struct ProtobufMessage {
    private enum Value { case number(UInt64), bytes(ArraySlice<UInt8>) }

    let file: PinFile
    private var fields: [(number: Int, value: Value)] = []

    init(_ bytes: ArraySlice<UInt8>, of file: PinFile) throws(Problem) {
        self.file = file
        var rest = bytes
        while !rest.isEmpty {
            let tag = try varint(&rest)
            let number = Int(clamping: tag >> 3)
            switch tag & 7 {
            case 0: fields.append((number, .number(try varint(&rest))))
            case 1: _ = try take(8, of: &rest)
            case 2: fields.append((number, .bytes(try take(try varint(&rest), of: &rest))))
            case 5: _ = try take(4, of: &rest)
            default: throw broken
            }
            guard fields.count <= XMLTree.mostElements else {
                throw file.problem(.unreasonableDocument, "has more parts than a configuration")
            }
        }
    }

    var broken: Problem { BuiltXML.broken(file) }

    private func take(_ count: UInt64, of rest: inout ArraySlice<UInt8>) throws(Problem) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw broken }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private func varint(_ rest: inout ArraySlice<UInt8>) throws(Problem) -> UInt64 {
        var value: UInt64 = 0
        for shift in 0..<10 {
            guard let byte = rest.popFirst() else { throw broken }
            value |= UInt64(byte & 0x7F) << UInt64(7 * shift)
            if byte < 0x80 { return value }
        }
        throw broken
    }

    /// The texts and messages with a field number, in their order.
    func parts(_ number: Int) -> [ArraySlice<UInt8>] {
        fields.compactMap { field in
            if field.number == number, case .bytes(let bytes) = field.value { bytes } else { nil }
        }
    }

    func messages(_ number: Int) throws(Problem) -> [ProtobufMessage] { try parts(number).map(message) }

    /// The last message with a field number, which is the one that counts.
    func message(_ number: Int) throws(Problem) -> ProtobufMessage? { try parts(number).last.map(message) }

    private func message(_ part: ArraySlice<UInt8>) throws(Problem) -> ProtobufMessage {
        try ProtobufMessage(part, of: file)
    }

    func text(_ number: Int) throws(Problem) -> String {
        guard let text = String(validating: parts(number).last ?? [], as: UTF8.self) else { throw broken }
        return text
    }

    func number(_ number: Int) -> UInt64? {
        fields.last { $0.number == number }.flatMap { if case .number(let value) = $0.value { value } else { nil } }
    }
}
