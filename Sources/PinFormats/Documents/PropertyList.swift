internal import Base
internal import Pinning

/// Property lists in Apple's binary form, `bplist00`: objects that refer to each other by number, and a table of offsets.
struct BinaryPropertyList {
    private static let magic = Array("bplist00".utf8)
    private static let trailerLength = 32
    /// How many objects there may be, and how many bytes of text, which many objects can share.
    private static let mostObjects = 200_000
    private static let mostText = 16 << 20

    private let file: PinFile
    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    private var count = 0
    private var textCount = 0

    /// Whether `bytes` begin as such a list does.
    static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// The root value of `file`.
    ///
    /// An object may be referred to more than once, so that values are counted as they are reached, cycles with them.
    static func root(of file: PinFile) throws(PinFormatError) -> DocumentNode {
        guard let trailer = Trailer(file.bytes), var list = BinaryPropertyList(file, trailer) else {
            throw PinFormatError(
                .brokenDocument, at: file.place, "is a binary property list that is cut off or damaged")
        }
        return DocumentNode(root: try list.value(trailer.root, depth: 0), of: file)
    }

    /// The last 32 bytes: sizes of offsets and references, how many objects, which is the root, where the offsets are.
    private struct Trailer {
        let offsetSize: Int
        let referenceSize: Int
        let count: Int
        let root: Int
        let table: Int

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= magic.count + trailerLength else { return nil }
            let trailer = bytes[(bytes.count - trailerLength)...]
            let start = trailer.startIndex
            offsetSize = Int(trailer[start + 6])
            referenceSize = Int(trailer[start + 7])
            guard let count = BinaryPropertyList.number(trailer[(start + 8)..<(start + 16)]),
                let root = BinaryPropertyList.number(trailer[(start + 16)..<(start + 24)]),
                let table = BinaryPropertyList.number(trailer[(start + 24)..<(start + 32)])
            else { return nil }
            let end = bytes.count - trailerLength
            guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), table >= magic.count, table <= end,
                count >= 1, count <= mostObjects, count <= (end - table) / offsetSize, root < count
            else { return nil }
            self.count = count
            self.root = root
            self.table = table
        }
    }

    private init?(_ file: PinFile, _ trailer: Trailer) {
        var offsets: [Int] = []
        offsets.reserveCapacity(trailer.count)
        for index in 0..<trailer.count {
            let start = trailer.table + index * trailer.offsetSize
            guard let offset = Self.number(file.bytes[start..<(start + trailer.offsetSize)]),
                offset >= Self.magic.count, offset < trailer.table
            else { return nil }
            offsets.append(offset)
        }
        self.file = file
        self.offsets = offsets
        referenceSize = trailer.referenceSize
        // Objects end where the table begins.
        bytes = Array(file.bytes[..<trailer.table])
    }

    private var damaged: PinFormatError {
        PinFormatError(.brokenDocument, at: file.place, "is a binary property list that is damaged")
    }

    private mutating func value(_ object: Int, depth: Int) throws(PinFormatError) -> DocumentValue {
        count += 1
        guard depth <= DocumentValue.mostDepth, count <= DocumentValue.mostValues else {
            throw PinFormatError(
                .unreasonableDocument, at: file.place,
                "has more than \(DocumentValue.mostDepth) levels or \(DocumentValue.mostValues) values, "
                    + "no configuration is like that")
        }
        guard offsets.indices.contains(object) else { throw damaged }
        let marker = bytes[offsets[object]]
        return DocumentValue(content: try content(marker, at: offsets[object], depth), line: nil)
    }

    private mutating func content(
        _ marker: UInt8, at offset: Int, _ depth: Int
    ) throws(PinFormatError) -> DocumentValue.Content {
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return .flag(false)
        case 0x0 where marker == 0x09: return .flag(true)
        case 0x3: return try date(at: offset + 1)
        case 0x5:
            let (length, start) = try length(marker, at: offset)
            return .text(String(decoding: try text(start, length), as: UTF8.self))
        case 0x6:
            let (length, start) = try length(marker, at: offset)
            let units = try text(start, length * 2)
            return .text(
                String(
                    decoding: stride(from: units.startIndex, to: units.endIndex, by: 2).map {
                        UInt16(units[$0]) << 8 | UInt16(units[$0 + 1])
                    }, as: UTF16.self))
        case 0xA:
            let (length, start) = try length(marker, at: offset)
            var elements: [DocumentValue] = []
            for reference in try references(start, length) { elements.append(try value(reference, depth: depth + 1)) }
            return .array(elements)
        case 0xD: return .dictionary(try members(marker, at: offset, depth))
        default: return .other
        }
    }

    private mutating func members(
        _ marker: UInt8, at offset: Int, _ depth: Int
    ) throws(PinFormatError) -> [(key: String, value: DocumentValue)] {
        let (length, start) = try length(marker, at: offset)
        let references = try references(start, length * 2)
        var members: [(key: String, value: DocumentValue)] = []
        var keys: Set<String> = []
        for index in 0..<length {
            guard case .text(let key) = try value(references[index], depth: depth + 1).content else { throw damaged }
            guard keys.insert(key).inserted else {
                throw PinFormatError(
                    .duplicate, at: .key(shortened(key, to: 80), of: shortened(file.path, to: 1024, isPublic: true)),
                    "is given twice, and readers keep only one of the two", remedy: "put both together")
            }
            members.append((key, try value(references[length + index], depth: depth + 1)))
        }
        return members
    }

    /// Seconds since 2001 as a double.
    private func date(at start: Int) throws(PinFormatError) -> DocumentValue.Content {
        let bits = try slice(start, 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let seconds = Int64(exactly: Double(bitPattern: bits).rounded(.down)) else { throw damaged }
        return .date(Timestamp(secondsSinceEpoch: 978_307_200).advanced(bySeconds: seconds).date)
    }

    /// How many bytes, characters or references an object has, and where they begin.
    private func length(_ marker: UInt8, at offset: Int) throws(PinFormatError) -> (length: Int, start: Int) {
        let short = Int(marker & 0x0F)
        guard short == 0x0F else { return (short, offset + 1) }
        guard let kind = try slice(offset + 1, 1).first, kind >> 4 == 0x1, kind & 0x0F <= 3 else { throw damaged }
        let size = 1 << Int(kind & 0x0F)
        guard let length = Self.number(try slice(offset + 2, size)), length <= bytes.count else { throw damaged }
        return (length, offset + 2 + size)
    }

    private func references(_ start: Int, _ count: Int) throws(PinFormatError) -> [Int] {
        guard count <= DocumentValue.mostValues * 2 else { throw damaged }
        let references = try slice(start, count * referenceSize)
        var numbers: [Int] = []
        for index in 0..<count {
            let position = references.startIndex + index * referenceSize
            guard let number = Self.number(references[position..<(position + referenceSize)]) else { throw damaged }
            numbers.append(number)
        }
        return numbers
    }

    private mutating func text(_ start: Int, _ length: Int) throws(PinFormatError) -> ArraySlice<UInt8> {
        textCount += length
        guard textCount <= Self.mostText else {
            throw PinFormatError(
                .unreasonableDocument, at: file.place,
                "has more than \(Self.mostText >> 20) MiB of text, no configuration is like that")
        }
        return try slice(start, length)
    }

    private func slice(_ start: Int, _ length: Int) throws(PinFormatError) -> ArraySlice<UInt8> {
        guard start <= bytes.count, length <= bytes.count - start else { throw damaged }
        return bytes[start..<(start + length)]
    }

    /// A number of up to eight bytes, most significant first; `nil` when it is larger than any file.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value < 1 << 40 ? Int(value) : nil
    }
}
