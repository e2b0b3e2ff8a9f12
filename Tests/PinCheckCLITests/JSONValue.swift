import Foundation

/// A JSON document as tests look into it: what is not there is null.
struct JSONValue {
    private let value: Any?

    /// Reads a document.
    init(_ text: String) throws {
        value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    private init(value: Any?) { self.value = value }

    subscript(key: String) -> JSONValue { JSONValue(value: (value as? [String: Any])?[key]) }
    subscript(index: Int) -> JSONValue {
        let elements = value as? [Any] ?? []
        return JSONValue(value: elements.indices.contains(index) ? elements[index] : nil)
    }

    /// The elements of an array; none for anything else.
    var array: [JSONValue] { (value as? [Any] ?? []).map { JSONValue(value: $0) } }
    /// The keys of an object; none for anything else.
    var keys: Set<String> { Set((value as? [String: Any] ?? [:]).keys) }
    var text: String? { value as? String }
    var number: Int? { (value as? NSNumber)?.intValue }
    var flag: Bool? { value as? Bool }
    /// The value as JSON in one form: equal values have equal texts.
    var canonicalText: String {
        guard let value else { return "" }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
        return (try? JSONSerialization.data(withJSONObject: value, options: options)).map {
            String(decoding: $0, as: UTF8.self)
        } ?? ""
    }
    /// Whether the value is there and null.
    var isNull: Bool { value is NSNull }
}

/// The contents of a file that a command wrote.
func contents(ofFile path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
