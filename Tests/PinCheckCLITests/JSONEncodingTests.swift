import Foundation
@testable import PinCheckCLI
import Testing

/// The JSON encoder beside Foundation's, which it stands in for.
@Suite(.endsSomeTime) struct JSONEncodingTests {
    private struct Everything: Encodable {
        enum Word: String, Encodable { case one, two }
        struct Nested: Encodable {
            var zeta = 1
            var alphaBeta = true
        }

        var text = "a \"b\" \\ / \t\n\r\u{8}\u{C}\u{1F} ä 日本 🧪"
        var empty = ""
        var number = -5
        var small: UInt8 = 255
        var large: UInt64 = .max
        var fraction = 1.25
        var whole = 3.0
        var tiny = 1e-7
        var float: Float = 0.5
        var flag = false
        var word = Word.two
        var none: Int?
        var optionals = [nil, "x"]
        var list = [1, 2, 3]
        var emptyList: [String] = []
        var lists = [[true], [], [false, true]]
        var nested = Nested()
        var several = [Nested(), Nested(zeta: 2)]
        var dictionary = ["b": 1, "a": 2]
        var spkiSha256 = "x"
        var myURLHere = "y"
        var aB = "z"
        var x1Y2 = "q"
    }

    private struct Superior: Encodable {
        enum Keys: CodingKey { case list, inner }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            try list.encodeNil()
            var element = list.nestedContainer(keyedBy: Keys.self)
            try element.encode("x", forKey: .inner)
            var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
            try inner.encodeNil(forKey: .list)
            try inner.encode([Int](), forKey: .inner)
        }
    }

    private func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    @Test func writesWhatFoundationWrites() throws {
        #expect(try JSONRenderer.line(RendererTests.passing()) == foundation(RendererTests.passing()))
        #expect(try JSONRenderer.line(Superior()) == foundation(Superior()))
        let own = try JSONSerialization.jsonObject(with: Data(JSONRenderer.line(Everything()).utf8)) as? NSDictionary
        let expected = try JSONSerialization.jsonObject(with: Data(foundation(Everything()).utf8)) as? NSDictionary
        #expect(own != nil && own == expected)
        #expect(try JSONRenderer.line(Everything.Word.one) == "\"one\"\n")
    }

    @Test func refusesNumbersThatJSONDoesNotHave() {
        #expect(throws: CommandError.self) { try JSONRenderer.line(Double.nan) }
        #expect(throws: CommandError.self) { try JSONRenderer.line(["a": Double.infinity]) }
    }

    @Test func indentsWhatIsNotEmpty() throws {
        #expect(
            try JSONRenderer.document(Superior())
                == """
                {
                  "inner" : {
                    "inner" : [],
                    "list" : null
                  },
                  "list" : [
                    1,
                    null,
                    {
                      "inner" : "x"
                    }
                  ]
                }

                """
        )
    }

    @Test func writesDangerousCharactersOfJSONAsEscapes() throws {
        #expect(try JSONRenderer.line("\u{202E}\u{9B}\u{7F}\u{0}") == "\"\\u202e\\u009b\\u007f\\u0000\"\n")
        #expect(try JSONRenderer.line("\u{E0041}") == "\"\\udb40\\udc41\"\n")
        #expect(try JSONRenderer.line("Zürich \"/\\\n") == "\"Zürich \\\"/\\\\\\n\"\n")
    }
}
