import Foundation
import LoopbackLab

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An app of Android as its build tools make it, from the texts of its files.
///
/// The layouts are those of AOSP's `ResourceTypes.h` and `Resources.proto`, written out a second time: a mistake of the reader is none of
/// the writer's.
struct BuiltApp {
    enum Entries: Int, CaseIterable {
        case offsets = 0
        case sparse = 1
        case shortOffsets = 2
    }

    var configuration: String?
    var own: String? = nil
    var application = "android:networkSecurityConfig=\"@xml/nsc\""
    var attributes = ""
    var files: [String: String] = [:]
    var names = ["nsc"]
    var paths = ["res/q.xml"]
    var entries = Entries.offsets
    var isUTF8 = true
    var isCompact = false
    var isReference = false
    /// The id of the manifest's attribute, and what makes an attribute of the configuration a text.
    var id = 0x0101_0527
    var hasTextFlags = false

    private static let references = [
        "@xml/nsc": 0x7F11_0003, "@raw/own": 0x7F12_0001, "@xml/none": 0x7F11_0007, "@xml/system": 0x0104_0001,
    ]

    private var manifestText: String {
        "<manifest xmlns:android=\"http://schemas.android.com/apk/res/android\" \(attributes)>"
            + "<application \(application)/></manifest>"
    }

    var apk: [UInt8] {
        var zip = StoredZip()
        zip.add("AndroidManifest.xml", binary(manifestText))
        for path in paths { if let configuration { zip.add(path, binary(AppText.android(configuration))) } }
        if let own { zip.add("res/own.pem", own.bytes) }
        zip.add("resources.arsc", table)
        for (name, text) in files.sorted(by: { $0.key < $1.key }) { zip.add(name, text.bytes) }
        return zip.archive
    }

    var aab: [UInt8] {
        var zip = StoredZip()
        zip.add("base/manifest/AndroidManifest.xml", Element(manifestText).protobuf(ids: ids))
        if let configuration {
            zip.add("base/res/xml/nsc.xml", Element(AppText.android(configuration)).protobuf(ids: [:]))
        }
        if let own { zip.add("base/res/raw/own.pem", own.bytes) }
        for (name, text) in files.sorted(by: { $0.key < $1.key }) { zip.add("base/" + name, text.bytes) }
        return zip.archive
    }

    private var ids: [String: Int] {
        ["networkSecurityConfig": id, "targetSdkVersion": 0x0101_0270, "debuggable": 0x0101_000F]
    }

    private static let none = u32(0xFFFF_FFFF)

    private static func chunk(_ type: Int, _ header: [UInt8], _ body: [UInt8]) -> [UInt8] {
        u16(type) + u16(8 + header.count) + u32(8 + header.count + body.count) + header + body
    }

    private func pool(_ strings: [String]) -> [UInt8] {
        var (offsets, data): ([UInt8], [UInt8]) = ([], [])
        func length(_ count: Int) -> [UInt8] {
            count < 0x80 ? [UInt8(count)] : [UInt8(0x80 | count >> 8), UInt8(count & 0xFF)]
        }
        for (index, string) in strings.enumerated() {
            guard index == 0 || strings[index - 1] != string else {
                offsets += offsets.suffix(4)
                continue
            }
            offsets += u32(data.count)
            data +=
                isUTF8
                ? length(string.utf16.count) + length(string.utf8.count) + string.bytes + [0]
                : u16(string.utf16.count) + string.utf16.flatMap { u16(Int($0)) } + [0, 0]
        }
        data += [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
        let header = u32(strings.count) + u32(0) + u32(isUTF8 ? 0x100 : 0) + u32(28 + offsets.count)
        return Self.chunk(0x0001, header + u32(0), offsets + data)
    }

    private func binary(_ text: String) -> [UInt8] {
        var strings = ids.keys.sorted()
        let resources = strings.map { ids[$0] ?? 0 }
        func index(_ text: String) -> [UInt8] {
            if !strings.contains(text) { strings.append(text) }
            return u32(strings.firstIndex(of: text) ?? 0)
        }
        func nodes(_ element: Element) -> [UInt8] {
            let place = u32(element.line) + Self.none
            let attributes = element.attributes.flatMap { name, value -> [UInt8] in
                let isOfAndroid = name.hasPrefix("android:")
                let (type, data): (UInt8, [UInt8]) =
                    if let id = Self.references[value] {
                        (0x01, u32(id))
                    } else if ["true", "false"].contains(value), !hasTextFlags {
                        (0x12, value == "true" ? Self.none : u32(0))
                    } else if let number = Int(value) { (0x10, u32(number)) } else { (0x03, index(value)) }
                return (isOfAndroid ? index("uri") : Self.none) + index(isOfAndroid ? String(name.dropFirst(8)) : name)
                    + Self.none + u16(8) + [0, type] + data
            }
            let name = Self.none + index(element.name)
            let counts = [20, 20, element.attributes.count, 0, 0, 0].flatMap(u16)
            let start = Self.chunk(0x0102, place, name + counts + attributes)
            let text =
                element.text.isEmpty ? [] : Self.chunk(0x0104, place, index(element.text) + u16(8) + [0, 0] + u32(0))
            return start + text + element.children.flatMap(nodes) + Self.chunk(0x0103, place, name)
        }
        let body = nodes(Element(text))
        return Self.chunk(0x0003, [], pool(strings) + Self.chunk(0x0180, [], resources.flatMap(u32)) + body)
    }

    private var table: [UInt8] {
        let strings = paths + ["res/own.pem"]
        var types = paths.indices.map { type(0x11, entry: 3, string: $0) }
        types.append(type(0x12, entry: 1, string: paths.count))
        let name = u32(0x7F) + [UInt8](repeating: 0, count: 256) + [0, 0, 288, 0, 0].flatMap(u32)
        let package = Self.chunk(0x0200, name, pool(names) + Self.chunk(0x0202, [], []) + types.flatMap(\.self))
        return Self.chunk(0x0002, u32(1), pool(strings) + package)
    }

    private func type(_ id: UInt8, entry: Int, string: Int) -> [UInt8] {
        let offsets: [UInt8] =
            switch entries {
            case .offsets: (0..<5).flatMap { $0 == entry ? u32(0) : Self.none }
            case .sparse: u16(entry) + u16(0)
            case .shortOffsets: (0..<6).flatMap { u16($0 == entry ? 0 : 0xFFFF) }
            }
        let count = entries == .sparse ? 1 : entries == .offsets ? 5 : 6
        let header = [id, UInt8(entries.rawValue), 0, 0] + u32(count) + u32(20 + 32 + offsets.count)
        let configuration = u32(32) + [UInt8](repeating: 0, count: 28)
        let value = u16(8) + u16(isCompact ? 8 : 0) + u32(0) + u16(8) + [0, isReference ? 0x01 : 0x03] + u32(string)
        return Self.chunk(0x0201, header + configuration, offsets + value)
    }
}

struct StoredZip {
    private var (body, directory, count): ([UInt8], [UInt8], Int) = ([], [], 0)

    mutating func add(_ name: String, _ contents: [UInt8]) {
        let offset = body.count
        let common =
            u16(20) + u16(0x0800) + u16(0) + u32(0x5A21_0000) + u32(Int(Self.crc32(contents))) + u32(contents.count)
            + u32(contents.count) + u16(name.utf8.count) + u16(0)
        body += u32(0x0403_4B50) + common + name.bytes + contents
        directory +=
            u32(0x0201_4B50) + u16(0x031E) + common + u16(0) + u16(0) + u16(0) + u32(0o100644 << 16) + u32(offset)
            + name.bytes
        count += 1
    }

    var archive: [UInt8] {
        body + directory + u32(0x0605_4B50) + u16(0) + u16(0) + u16(count) + u16(count) + u32(directory.count)
            + u32(body.count) + u16(0)
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
    }
}

private func u16(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
private func u32(_ value: Int) -> [UInt8] { u16(value & 0xFFFF) + u16(value >> 16 & 0xFFFF) }

private final class Element: NSObject, XMLParserDelegate {
    var (name, text, line) = ("", "", 0)
    var attributes: [(name: String, value: String)] = []
    var children: [Element] = []
    private var open: [Element] = []

    override init() { super.init() }

    convenience init(_ text: String) {
        self.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse(), let root = children.first else { preconditionFailure("\(text)") }
        (name, self.text, line, attributes, children) = (
            root.name, root.text, root.line, root.attributes, root.children
        )
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let element = Element()
        (element.name, element.line) = (name, parser.lineNumber)
        element.attributes = attributes.filter { !$0.key.hasPrefix("xmlns") }.sorted { $0.key < $1.key }.map {
            ($0.key, $0.value)
        }
        (open.last ?? self).children.append(element)
        open.append(element)
    }

    func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }

    private static func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F | 0x80)] + varint(value >> 7)
    }
    private static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(bytes.count) + bytes
    }
    private static func field(_ number: Int, _ value: Int) -> [UInt8] { varint(number << 3) + varint(value) }

    func protobuf(ids: [String: Int]) -> [UInt8] {
        var element = Self.field(3, name.bytes)
        for (name, value) in attributes {
            let isOfAndroid = name.hasPrefix("android:")
            let own = isOfAndroid ? String(name.dropFirst(8)) : name
            let item: [UInt8]? =
                if value.hasPrefix("@") {
                    Self.field(1, Self.field(3, value.dropFirst().bytes))
                } else if ["true", "false"].contains(value) {
                    Self.field(7, Self.field(8, value == "true" ? 1 : 0))
                } else { Int(value).map { Self.field(7, Self.field(6, $0)) } }
            var attribute =
                (isOfAndroid ? Self.field(1, "uri".bytes) : []) + Self.field(2, own.bytes) + Self.field(3, value.bytes)
            if isOfAndroid, let id = ids[own] { attribute += Self.field(5, id) }
            if let item { attribute += Self.field(6, item) }
            element += Self.field(4, attribute)
        }
        if !text.isEmpty { element += Self.field(5, Self.field(2, text.bytes)) }
        for child in children { element += Self.field(5, child.protobuf(ids: ids)) }
        return Self.field(1, element) + Self.field(3, Self.field(1, line))
    }
}
