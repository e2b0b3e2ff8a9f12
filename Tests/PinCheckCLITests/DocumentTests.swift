import Foundation
import Pinning
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct DocumentTests {
    @Test func aDocumentThatLacksAKeyOrHasAnotherValueIsNotAsItsSchemaSays() throws {
        let check = try JSONSchemaCheck("lint")
        let text = """
            {"schema": "pincheck-lint/1", "evaluated_at": "2026-01-01T00:00:00Z", "sources": [], "findings": [],
            "summary": {"errors": 0, "warnings": 0, "notes": 0, "malformed": -1}}
            """
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(
            check.findings(in: document).sorted() == [
                "$.exit: is required and not there", "$.summary.malformed: -1.0 is beyond the minimum 0.0",
            ])
    }
}

@Suite(.endsSomeTime) struct JSONEncodingTests {
    private static let everything: JSONObject = [
        "text": "a \"b\" \\ / \t\n\r\u{8}\u{C}\u{1F} ä 日本 🧪", "empty": "", "number": -5, "large": Int.max,
        "flag": false, "none": nil as String?, "list": [1, 3], "lists": [[true], [], [false]],
        "nested": ["zeta": 1, "alpha": ["b": 1, "a": 2] as JSONObject] as JSONObject, "nested_more": [:] as JSONObject,
        "Upper": 1, "": 2,
    ]

    private func foundation(_ text: String) throws -> String {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    @Test func writesWhatFoundationWrites() throws {
        let report = JSONRenderer.line(RendererTests.passing())
        #expect(try foundation(report).utf8.count == report.utf8.count)
        let everything = JSONRenderer.line(Self.everything)
        let own = try JSONSerialization.jsonObject(with: Data(everything.utf8)) as? NSDictionary
        let expected = try JSONSerialization.jsonObject(with: Data(foundation(everything).utf8)) as? NSDictionary
        #expect(own != nil && own == expected && own?.count == 12)
        #expect((own?["text"] as? String) == "a \"b\" \\ / \t\n\r\u{8}\u{C}\u{1F} ä 日本 🧪")
        #expect((own?["large"] as? Int) == .max)
    }

    @Test func writesNumbersAsJSONHasThem() {
        #expect(JSONRenderer.line([3.0, 1.25, 1e-7, .infinity, .nan]) == "[3,1.25,1e-07,null,null]\n")
    }

    @Test func writesDangerousCharactersOfJSONAsEscapes() {
        #expect(JSONRenderer.line("\u{202E}\u{9B}\u{7F}\u{0}") == "\"\\u202e\\u009b\\u007f\\u0000\"\n")
        #expect(JSONRenderer.line("\u{E0041}") == "\"\\udb40\\udc41\"\n")
        #expect(JSONRenderer.line("Zürich \"/\\\n") == "\"Zürich \\\"/\\\\\\n\"\n")
    }
}

/// A JSON document as tests look into it: what is not there is null.
struct JSONValue {
    private let value: Any?

    init(_ text: String) throws {
        value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    private init(value: Any?) { self.value = value }

    subscript(key: String) -> JSONValue { JSONValue(value: (value as? [String: Any])?[key]) }
    subscript(index: Int) -> JSONValue {
        let elements = value as? [Any] ?? []
        return JSONValue(value: elements.indices.contains(index) ? elements[index] : nil)
    }

    var array: [JSONValue] { (value as? [Any] ?? []).map { JSONValue(value: $0) } }
    var ids: [String] { array.compactMap { $0["id"].text } }
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
    var isNull: Bool { value is NSNull }
}

func contents(ofFile path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

/// Whether the files that tests hold the program against are to be written instead.
let isUpdating = ProcessInfo.processInfo.environment["PINCHECK_UPDATE"] == "1"
