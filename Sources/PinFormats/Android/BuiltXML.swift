import Base
import Pinning

/// XML of a built app: in Android's binary form, or as the protocol buffers of an App Bundle.
///
/// Sources: AOSP `libs/androidfw/include/androidfw/ResourceTypes.h`, `tools/aapt2/Resources.proto`.
enum BuiltXML {
    static func root(of file: PinFile) throws(Problem) -> XMLElement {
        var tree = XMLTree()
        if file.bytes.starts(with: [0x03, 0x00, 0x08, 0x00]) {
            try binary(file, &tree)
        } else {
            try ProtobufXML.node(ProtobufMessage(file.bytes[...], of: file), &tree)
        }
        guard let root = tree.root, tree.isComplete else { throw broken(file) }
        return root
    }

    static func broken(_ file: PinFile) -> Problem {
        file.problem(
            .brokenDocument, "is XML of a built app that cannot be read to its end",
            "it may be damaged: copy or build the app again")
    }

    /// The attributes that are read from manifests, by their ids in `android.R.attr`: Android finds them by these.
    private static let known: [UInt32: String] = [
        0x0101_0527: "android:networkSecurityConfig", 0x0101_0270: "android:targetSdkVersion",
        0x0101_000F: "android:debuggable",
    ]

    /// The name of an attribute for the readers; one with a namespace gets a prefix that no reader knows.
    static func name(_ name: String, id: UInt32?, isQualified: Bool, in file: PinFile) throws(Problem) -> String {
        if let known = id.flatMap({ known[$0] }) { return known }
        guard !name.contains(":") else {
            let reason = "has an attribute with a colon in its name"
            throw file.problem(.wrongValue, reason)
        }
        return isQualified ? "*:\(name)" : name
    }

    static func start(_ element: XMLElement, of file: PinFile, in tree: inout XMLTree) throws(Problem) {
        guard !tree.isComplete else { throw broken(file) }
        if let reason = tree.start(element) {
            throw file.problem(.unreasonableDocument, line: element.line, reason)
        }
    }

    /// The text of a reference, such as `@0x7f110003`.
    static func reference(_ id: UInt32) -> String { "@0x" + String(UInt64(id) | 1 << 32, radix: 16).dropFirst() }

    private static func binary(_ file: PinFile, _ tree: inout XMLTree) throws(Problem) {
        let document = try ResourceChunk(of: file)
        var (strings, ids): (StringPool?, [UInt32]) = (nil, [])
        try document.each(from: document.headerSize) { (chunk) throws(Problem) in
            switch chunk.type {
            case 0x0001 where strings == nil: strings = try StringPool(chunk)
            case 0x0180: ids = try stride(from: chunk.headerSize, to: chunk.size - 3, by: 4).map(chunk.u32)
            case 0x0100, 0x0101: break
            case 0x0102:
                guard let strings else { throw broken(file) }
                try start(try element(chunk, strings, ids), of: file, in: &tree)
            case 0x0103: guard tree.end() else { throw broken(file) }
            case 0x0104:
                guard let text = try strings?.string(chunk.u32(16)), tree.append(text) else { throw broken(file) }
            default: throw broken(file)
            }
            return true
        }
    }

    private static func element(
        _ chunk: ResourceChunk, _ strings: StringPool, _ ids: [UInt32]
    ) throws(Problem) -> XMLElement {
        let (start, size, count) = (try chunk.u16(24), try chunk.u16(26), try chunk.u16(28))
        guard let name = try strings.string(chunk.u32(20)), count == 0 || size >= 20 else { throw chunk.broken }
        let element = XMLElement(name: name, attributes: [:], line: Int(clamping: try chunk.u32(8)))
        for index in 0..<count {
            let offset = 16 + start + index * size
            let nameIndex = try chunk.u32(offset + 4)
            guard let name = try strings.string(nameIndex) else { throw chunk.broken }
            let key = try BuiltXML.name(
                name, id: nameIndex < UInt32(ids.count) ? ids[Int(nameIndex)] : nil,
                isQualified: try chunk.u32(offset) != .max, in: chunk.file)
            let (type, data) = (try chunk.byte(offset + 15), try chunk.u32(offset + 16))
            let value: String? =
                switch type {
                case 0x01: reference(data)
                case 0x03: try strings.string(data)
                case 0x10, 0x11: String(Int32(bitPattern: data))
                case 0x12: data == 0 ? "false" : "true"
                default: "type 0x\(type < 16 ? "0" : "")\(String(type, radix: 16))"
                }
            guard let value, element.attributes.updateValue(value, forKey: key) == nil else { throw chunk.broken }
            if type == 0x03 { element.texts.insert(key) }
        }
        return element
    }
}
