import Foundation
@testable import PinCheckCLI
import Testing

/// What is written as JSON, beside what Foundation reads and writes.
@Suite(.endsSomeTime) struct JSONEncodingTests {
    private static let everything: JSONObject = [
        "text": "a \"b\" \\ / \t\n\r\u{8}\u{C}\u{1F} ä 日本 🧪", "empty": "", "number": -5, "large": Int.max,
        "flag": false, "none": nil, "list": [1, nil, 3] as [Int?], "lists": [[true], [], [false]],
        "nested": ["zeta": 1, "alpha": ["b": 1, "a": 2] as JSONObject] as JSONObject, "nested_more": [:] as JSONObject,
        "Upper": 1, "": 2,
    ]

    /// The same document as Foundation writes it.
    private func foundation(_ text: String) throws -> String {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    @Test func writesWhatFoundationWrites() throws {
        let report = try JSONRenderer.line(RendererTests.passing())
        #expect(try foundation(report).utf8.count == report.utf8.count)
        let everything = try JSONRenderer.line(Self.everything)
        let own = try JSONSerialization.jsonObject(with: Data(everything.utf8)) as? NSDictionary
        let expected = try JSONSerialization.jsonObject(with: Data(foundation(everything).utf8)) as? NSDictionary
        #expect(own != nil && own == expected && own?.count == 12)
        #expect((own?["text"] as? String) == "a \"b\" \\ / \t\n\r\u{8}\u{C}\u{1F} ä 日本 🧪")
        #expect((own?["large"] as? Int) == .max)
    }

    @Test func refusesNumbersThatJSONDoesNotHave() {
        #expect(throws: CommandError.self) { try JSONRenderer.line(Double.nan) }
        #expect(throws: CommandError.self) { try JSONRenderer.line([Double.infinity]) }
    }

    @Test func writesWholeNumbersWithoutAFraction() throws {
        #expect(try JSONRenderer.line([3.0, 1.25, 1e-7]) == "[3,1.25,1e-07]\n")
    }

    @Test func indentsWhatIsNotEmpty() throws {
        #expect(
            try JSONRenderer.document(
                ["list": [[1], [nil]] as [[Int?]], "inner": ["none": nil, "inner": [] as [Int]] as JSONObject]
                    as JSONObject) == """
                    {
                      "list" : [
                        [
                          1
                        ],
                        [
                          null
                        ]
                      ],
                      "inner" : {
                        "none" : null,
                        "inner" : []
                      }
                    }

                    """)
    }

    @Test func writesDangerousCharactersOfJSONAsEscapes() throws {
        #expect(try JSONRenderer.line("\u{202E}\u{9B}\u{7F}\u{0}") == "\"\\u202e\\u009b\\u007f\\u0000\"\n")
        #expect(try JSONRenderer.line("\u{E0041}") == "\"\\udb40\\udc41\"\n")
        #expect(try JSONRenderer.line("Zürich \"/\\\n") == "\"Zürich \\\"/\\\\\\n\"\n")
    }
}
