import Base
import Pinning

/// A chunk of Android's binary resources: type, size of its header, size, and contents, read only within its bounds.
///
/// Numbers are little-endian, offsets count from the chunk's start. Source: AOSP's `ResourceTypes.h`, of androidfw.
struct ResourceChunk {
    let file: PinFile
    let type: Int
    /// The size in bytes, at least 8.
    let headerSize: Int
    private let range: Range<Int>

    init(of file: PinFile) throws(Problem) { try self.init(file, 0, before: file.bytes.count) }

    private init(_ file: PinFile, _ start: Int, before end: Int) throws(Problem) {
        guard end - start >= 8 else { throw Self.broken(file) }
        let bytes = file.bytes
        let size = (4..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[start + $1]) }
        self.file = file
        type = Int(bytes[start]) | Int(bytes[start + 1]) << 8
        headerSize = Int(bytes[start + 2]) | Int(bytes[start + 3]) << 8
        guard headerSize >= 8, size >= headerSize, size <= end - start else { throw Self.broken(file) }
        range = start..<start + size
    }

    private static func broken(_ file: PinFile) -> Problem {
        file.problem(
            .brokenDocument, "is a resource of a built app with a number that leads out of it",
            "it may be damaged: copy or build the app again")
    }

    var broken: Problem { Self.broken(file) }
    var size: Int { range.count }

    func byte(_ offset: Int) throws(Problem) -> Int {
        guard offset >= 0, offset < size else { throw broken }
        return Int(file.bytes[range.lowerBound + offset])
    }

    func u16(_ offset: Int) throws(Problem) -> Int { try byte(offset) | byte(offset + 1) << 8 }
    func u32(_ offset: Int) throws(Problem) -> UInt32 { UInt32(try u16(offset)) | UInt32(try u16(offset + 2)) << 16 }
    func count(_ offset: Int) throws(Problem) -> Int { Int(try u32(offset)) }

    func bytes(_ start: Int, count: Int) throws(Problem) -> ArraySlice<UInt8> {
        guard start >= 0, count >= 0, start <= size, count <= size - start else { throw broken }
        return file.bytes[range.lowerBound + start..<range.lowerBound + start + count]
    }

    /// Visits the chunks in this one, beginning at `start`, until `visit` returns false.
    func each(from start: Int, _ visit: (ResourceChunk) throws(Problem) -> Bool) throws(Problem) {
        var next = range.lowerBound + start
        guard next <= range.upperBound else { throw broken }
        while next < range.upperBound {
            let chunk = try ResourceChunk(file, next, before: range.upperBound)
            guard try visit(chunk) else { return }
            next += chunk.size
        }
    }
}

/// The strings of a chunk of type 0x0001, decoded one by one.
struct StringPool {
    /// The limit of a string, in bytes.
    private static let longest = 32 << 10

    private let chunk: ResourceChunk
    let count: Int
    private let (isUTF8, start): (Bool, Int)

    init(_ chunk: ResourceChunk) throws(Problem) {
        guard chunk.type == 0x0001 else { throw chunk.broken }
        self.chunk = chunk
        count = try chunk.count(8)
        isUTF8 = try chunk.u32(16) & 0x100 != 0
        start = try chunk.count(20)
        guard count <= (chunk.size - chunk.headerSize) / 4 else { throw chunk.broken }
    }

    /// The string at an index; `nil` if the index is 0xffffffff, which means none.
    func string(_ index: UInt32) throws(Problem) -> String? {
        guard index != .max else { return nil }
        guard index < UInt32(count) else { throw chunk.broken }
        var offset = start + (try chunk.count(chunk.headerSize + 4 * Int(index)))
        // In UTF-8 the length in characters comes before the length in bytes.
        if isUTF8 { _ = try length(&offset, unit: 1) }
        let length = try length(&offset, unit: isUTF8 ? 1 : 2)
        let bytes = Array(try chunk.bytes(offset, count: isUTF8 ? length : 2 * length))
        let units =
            isUTF8 ? [] : stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        let text = isUTF8 ? String(validating: bytes, as: UTF8.self) : String(validating: units, as: UTF16.self)
        guard let text else {
            throw chunk.file.problem(
                .textEncoding, "has a text that is neither UTF-8 nor UTF-16", "build the app again")
        }
        return text
    }

    /// Reads a length of one unit, or of two if the first has its high bit set.
    private func length(_ offset: inout Int, unit: Int) throws(Problem) -> Int {
        func next() throws(Problem) -> Int {
            defer { offset += unit }
            return unit == 1 ? try chunk.byte(offset) : try chunk.u16(offset)
        }
        let high = unit == 1 ? 0x80 : 0x8000
        let first = try next()
        let length = first & high == 0 ? first : (first & (high - 1)) * high * 2 + (try next())
        guard length <= Self.longest else {
            throw .tooMuch("\(Self.longest >> 10) KiB in a text, no configuration is like that", at: chunk.file.place)
        }
        return length
    }
}

/// The resource table of a built app, `resources.arsc`; each lookup of an id is a pass through it.
struct ResourceTable {
    private static let (mostPackages, mostTypes, mostPaths, mostNames) = (16, 20_000, 8, 200_000)

    private let table: ResourceChunk

    init(_ file: PinFile) throws(Problem) {
        table = try ResourceChunk(of: file)
        guard table.type == 0x0002 else { throw table.broken }
    }

    /// The paths of the files that `id` (0xPPTTEEEE: package, type, entry) has for all devices; empty if it has none.
    func paths(of id: UInt32) throws(Problem) -> [String] {
        var paths: [String] = []
        try each(of: id) { (_, strings, entry) throws(Problem) in
            guard let path = try strings?.string(entry.value) else { throw table.broken }
            if !paths.contains(path) { paths.append(path) }
            guard paths.count <= Self.mostPaths else { throw unreasonable("\(Self.mostPaths) files for one resource") }
        }
        return paths
    }

    /// `NAME_debug` for the NAME of `id`; `nil` if the package has no resource of that name, of any type.
    func debugTwin(of id: UInt32) throws(Problem) -> String? {
        var found: (package: ResourceChunk, key: UInt32)?
        try each(of: id) { (package, _, entry) throws(Problem) in found = found ?? (package, entry.key) }
        guard let found else { return nil }
        var twin: String?
        // The offset of ResTable_package.keyStrings is 276.
        try found.package.each(from: found.package.count(276)) { (chunk) throws(Problem) in
            let names = try StringPool(chunk)
            guard names.count <= Self.mostNames else { throw unreasonable("\(Self.mostNames) names") }
            guard let name = try names.string(found.key) else { throw table.broken }
            // Names that share no bytes are together about as long as the chunk.
            let most = 2 * chunk.size
            var rest = most
            for index in 0..<UInt32(names.count) {
                let text = try names.string(index)
                rest -= 1 + (text?.utf8.count ?? 0)
                guard rest >= 0 else { throw unreasonable("\(most) bytes of names") }
                if text == name + "_debug" { twin = text }
            }
            return false
        }
        return twin
    }

    private func each(
        of id: UInt32, _ visit: (ResourceChunk, StringPool?, (key: UInt32, value: UInt32)) throws(Problem) -> Void
    ) throws(Problem) {
        var (strings, packages, types): (StringPool?, Int, Int) = (nil, 0, 0)
        try table.each(from: table.headerSize) { (chunk) throws(Problem) in
            if chunk.type == 0x0001, strings == nil { strings = try StringPool(chunk) }
            guard chunk.type == 0x0200 else { return true }
            packages += 1
            guard packages <= Self.mostPackages else { throw unreasonable("\(Self.mostPackages) packages") }
            guard try chunk.u32(8) == id >> 24 else { return true }
            try chunk.each(from: chunk.headerSize) { (type) throws(Problem) in
                guard type.type == 0x0201 else { return true }
                types += 1
                guard types <= Self.mostTypes else { throw unreasonable("\(Self.mostTypes) lists of resources") }
                if try type.byte(8) == Int(id >> 16 & 0xFF), let entry = try entry(in: type, id) {
                    try visit(chunk, strings, entry)
                }
                return true
            }
            return true
        }
    }

    /// The indices of a file's name and path among the strings; `nil` if the list has no such entry.
    private func entry(in type: ResourceChunk, _ id: UInt32) throws(Problem) -> (key: UInt32, value: UInt32)? {
        let entry = Int(id & 0xFFFF)
        let (flags, count, start) = (try type.byte(9), try type.count(12), try type.count(16))
        let first = type.headerSize
        let offset: Int
        switch flags {
        case 0 where entry < count:
            let value = try type.u32(first + 4 * entry)
            guard value != .max else { return nil }
            offset = Int(value)
        case 2 where entry < count:
            let value = try type.u16(first + 2 * entry)
            guard value != 0xFFFF else { return nil }
            offset = 4 * value
        case 1:
            guard count <= (type.size - first) / 4 else { throw type.broken }
            var found: Int?
            for index in 0..<count where try type.u16(first + 4 * index) == entry {
                found = 4 * (try type.u16(first + 4 * index + 2))
                break
            }
            guard let found else { return nil }
            offset = found
        case 0, 2: return nil
        default: throw wrong("a list of resources of a kind that is not read")
        }
        let place = start + offset
        let entryFlags = try type.u16(place + 2)
        guard entryFlags & 8 == 0 else { throw wrong("a compact entry, which is not read") }
        let value = place + (try type.u16(place))
        guard entryFlags & 1 == 0, try type.byte(value + 3) == 0x03 else {
            throw wrong("the entry \(BuiltXML.reference(id)) that is not a file")
        }
        return (try type.u32(place + 4), try type.u32(value + 4))
    }

    private func wrong(_ what: String) -> Problem {
        table.file.problem(.otherKind, "has \(what)", "name the configuration as text, res/xml/….xml of the project")
    }

    private func unreasonable(_ what: String) -> Problem {
        .tooMuch("\(what), no app is like that", at: table.file.place)
    }
}
