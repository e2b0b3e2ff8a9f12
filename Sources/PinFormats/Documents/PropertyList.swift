import Base
import Pinning

extension PinFile {
    var isPropertyList: Bool { BinaryPropertyList.begins(bytes) || text?.holds("<plist") == true }
}

enum XMLPropertyList {
    static func root(of file: PinFile) throws(Problem) -> DocumentNode {
        let plist = try XMLReader.root(of: file, mayHaveDocumentType: true)
        guard plist.name == "plist", let root = plist.children.first, plist.children.count == 1 else {
            let reason = "is not a property list: it is <plist> with one value"
            throw file.problem(.brokenDocument, line: plist.line, reason)
        }
        return DocumentNode(root: try value(root, file), of: file)
    }

    private static func value(_ element: XMLElement, _ file: PinFile) throws(Problem) -> DocumentTree {
        let content: DocumentTree.Content
        switch element.name {
        case "dict": content = .dictionary(try members(of: element, file))
        case "array": content = .array(try element.children.map { (child) throws(Problem) in try value(child, file) })
        case "string": content = .text(element.text)
        case "true": content = .flag(true)
        case "false": content = .flag(false)
        case "date": content = .date(String(element.text[...].trimmingWhitespace().prefix { $0 != "T" }))
        case "integer": content = .number(String(element.text[...].trimmingWhitespace()))
        case "real", "data": content = .other
        default:
            let reason = "is not a property list: it has no element <\(shortened(element.name, to: 60))>"
            throw file.problem(.brokenDocument, line: element.line, reason)
        }
        return DocumentTree(content: content, line: element.line)
    }

    private static func members(
        of element: XMLElement, _ file: PinFile
    ) throws(Problem) -> [(key: String, value: DocumentTree)] {
        var members: [(key: String, value: DocumentTree)] = []
        var keys: Set<String> = []
        var rest = element.children[...]
        while let key = rest.popFirst() {
            let place = file.place(line: key.line)
            guard key.name == "key" else {
                throw Problem(.brokenDocument, at: place, "a value in a <dict> has no <key> before it")
            }
            guard keys.insert(key.text).inserted else {
                throw Problem(
                    .duplicate, at: place,
                    "the key '\(shortened(key.text, to: 80))' is given twice, and readers keep only one of the two",
                    "put both together")
            }
            guard let child = rest.popFirst(), child.name != "key" else {
                throw Problem(.brokenDocument, at: place, "the key '\(shortened(key.text, to: 80))' has no value")
            }
            members.append((key.text, try value(child, file)))
        }
        return members
    }
}

/// Property lists in Apple's binary form, `bplist00`: objects that refer to each other by number, and their offsets.
struct BinaryPropertyList {
    private static let magic = "bplist00".bytes
    private static let trailerLength = 32
    /// The limits of objects and of bytes of text, which many objects can share.
    private static let (mostObjects, mostText) = (200_000, 16 << 20)

    private let file: PinFile
    /// The bytes of the objects, which end at the table of their offsets.
    private let bytes: ArraySlice<UInt8>
    private let table: ArraySlice<UInt8>
    private let (offsetSize, referenceSize): (Int, Int)
    private let (objectCount, root): (Int, Int)
    private var (count, textCount) = (0, 0)

    static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// Reads the root; values are counted as they are reached, because references can repeat an object, or be circular.
    static func root(of file: PinFile) throws(Problem) -> DocumentNode {
        guard var list = BinaryPropertyList(file) else {
            throw file.problem(.brokenDocument, "is a binary property list that is cut off or damaged")
        }
        return DocumentNode(root: try list.value(list.root, depth: 0), of: file)
    }

    /// Reads the last 32 bytes: sizes of offsets and references, number of objects, root, and start of the offsets.
    private init?(_ file: PinFile) {
        let end = file.bytes.count - Self.trailerLength
        guard end >= Self.magic.count else { return nil }
        let trailer = file.bytes[end...]
        func number(_ start: Int) -> Int? { Self.number(trailer[(end + start)..<(end + start + 8)]) }
        guard let objectCount = number(8), let root = number(16), let start = number(24) else { return nil }
        (offsetSize, referenceSize) = (Int(trailer[end + 6]), Int(trailer[end + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), start >= Self.magic.count, start <= end,
            objectCount >= 1, objectCount <= Self.mostObjects, objectCount <= (end - start) / offsetSize,
            root < objectCount
        else { return nil }
        (self.file, self.objectCount, self.root) = (file, objectCount, root)
        (bytes, table) = (file.bytes[..<start], file.bytes[start..<end])
    }

    private var damaged: Problem {
        file.problem(.brokenDocument, "is a binary property list that is damaged")
    }

    private mutating func value(_ object: Int, depth: Int) throws(Problem) -> DocumentTree {
        count += 1
        guard depth <= DocumentTree.mostDepth, count <= DocumentTree.mostValues else {
            let bound = "\(DocumentTree.mostDepth) levels or \(DocumentTree.mostValues) values"
            throw .tooMuch("\(bound), no configuration is like that", at: file.place)
        }
        guard object < objectCount else { throw damaged }
        let start = table.startIndex + object * offsetSize
        guard let offset = Self.number(table[start..<(start + offsetSize)]), offset >= Self.magic.count,
            offset < bytes.endIndex
        else { throw damaged }
        return DocumentTree(content: try content(bytes[offset], at: offset, depth), line: nil)
    }

    private mutating func content(_ marker: UInt8, at offset: Int, _ depth: Int) throws(Problem) -> DocumentTree.Content
    {
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return .flag(false)
        case 0x0 where marker == 0x09: return .flag(true)
        case 0x1:
            let bytes = try slice(offset + 1, 1 << Int(marker & 15))
            return bytes.dropLast().allSatisfy { $0 == 0 } ? .number(String(bytes.last ?? 0)) : .other
        case 0x3:
            // Seconds since 2001 as a double.
            let bits = try slice(offset + 1, 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let seconds = Int64(exactly: Double(bitPattern: bits).rounded(.down)) else { throw damaged }
            return .date(Timestamp(secondsSinceEpoch: 978_307_200).advanced(bySeconds: seconds).date)
        case 0x5:
            let (length, start) = try length(marker, at: offset)
            return .text(String(utf8: try text(start, length)))
        case 0x6:
            let (length, start) = try length(marker, at: offset)
            let units = try text(start, length * 2)
            let utf16 = stride(from: units.startIndex, to: units.endIndex, by: 2).map {
                UInt16(units[$0]) << 8 | UInt16(units[$0 + 1])
            }
            return .text(String(decoding: utf16, as: UTF16.self))
        case 0xA:
            let (length, start) = try length(marker, at: offset)
            var elements: [DocumentTree] = []
            for reference in try references(start, length) { elements.append(try value(reference, depth: depth + 1)) }
            return .array(elements)
        case 0xD: return .dictionary(try members(marker, at: offset, depth))
        default: return .other
        }
    }

    private mutating func members(
        _ marker: UInt8, at offset: Int, _ depth: Int
    ) throws(Problem) -> [(key: String, value: DocumentTree)] {
        let (length, start) = try length(marker, at: offset)
        let references = try references(start, length * 2)
        var members: [(key: String, value: DocumentTree)] = []
        var keys: Set<String> = []
        for index in 0..<length {
            guard case .text(let key) = try value(references[index], depth: depth + 1).content else { throw damaged }
            guard keys.insert(key).inserted else {
                throw Problem(
                    .duplicate, at: .key(shortened(key, to: 80), of: shortened(file.path, to: 1024, isPublic: true)),
                    "is given twice, and readers keep only one of the two", "put both together")
            }
            members.append((key, try value(references[length + index], depth: depth + 1)))
        }
        return members
    }

    /// The number of bytes, characters or references of an object, and their start.
    private func length(_ marker: UInt8, at offset: Int) throws(Problem) -> (length: Int, start: Int) {
        let short = Int(marker & 0x0F)
        guard short == 0x0F else { return (short, offset + 1) }
        guard let kind = try slice(offset + 1, 1).first, kind >> 4 == 0x1, kind & 0x0F <= 3 else { throw damaged }
        let size = 1 << Int(kind & 0x0F)
        guard let length = Self.number(try slice(offset + 2, size)), length <= bytes.count else { throw damaged }
        return (length, offset + 2 + size)
    }

    private func references(_ start: Int, _ count: Int) throws(Problem) -> [Int] {
        guard count <= DocumentTree.mostValues * 2 else { throw damaged }
        let references = try slice(start, count * referenceSize)
        let positions = stride(from: references.startIndex, to: references.endIndex, by: referenceSize)
        let numbers = positions.compactMap { Self.number(references[$0..<($0 + referenceSize)]) }
        guard numbers.count == count else { throw damaged }
        return numbers
    }

    private mutating func text(_ start: Int, _ length: Int) throws(Problem) -> ArraySlice<UInt8> {
        textCount += length
        guard textCount <= Self.mostText else {
            throw .tooMuch("\(Self.mostText >> 20) MiB of text, no configuration is like that", at: file.place)
        }
        return try slice(start, length)
    }

    private func slice(_ start: Int, _ length: Int) throws(Problem) -> ArraySlice<UInt8> {
        guard start <= bytes.count, length <= bytes.count - start else { throw damaged }
        return bytes[start..<(start + length)]
    }

    /// A big-endian number of up to eight bytes; `nil` if it is larger than any file.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value < 1 << 40 ? Int(value) : nil
    }
}
