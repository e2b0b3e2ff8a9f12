/// Finds the members of objects in JSON that a program wrote.
struct JSONScanner {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Whether nothing is left.
    var isAtEnd: Bool { index == bytes.endIndex }

    /// The members of the object that begins here, each value as it is written; `nil` where there is none.
    mutating func members() -> [String: ArraySlice<UInt8>]? {
        guard take(UInt8(ascii: "{")) else { return nil }
        var members: [String: ArraySlice<UInt8>] = [:]
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            let start = index
            guard skipString() else { return nil }
            let key = String(decoding: bytes[(start + 1)..<(index - 1)], as: UTF8.self)
            guard take(UInt8(ascii: ":")) else { return nil }
            let valueStart = index
            guard skipValue() else { return nil }
            members[key] = bytes[valueStart..<index]
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) ? members : nil
    }

    /// The elements of the array that begins here, each as it is written; `nil` where there is none.
    mutating func elements() -> [ArraySlice<UInt8>]? {
        guard take(UInt8(ascii: "[")) else { return nil }
        var elements: [ArraySlice<UInt8>] = []
        if take(UInt8(ascii: "]")) { return elements }
        repeat {
            let start = index
            guard skipValue() else { return nil }
            elements.append(bytes[start..<index])
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? elements : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.endIndex, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipString() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return true
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return false
    }

    /// Goes to the end of a value: the bracket that closes it, or what cannot be part of a number or word.
    private mutating func skipValue() -> Bool {
        let start = index
        var depth = 0
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                if depth == 0 { return true }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return index > start }
                depth -= 1
                index += 1
                if depth == 0 { return true }
            case UInt8(ascii: ",") where depth == 0: return index > start
            default: index += 1
            }
        }
        return depth == 0 && index > start
    }
}
