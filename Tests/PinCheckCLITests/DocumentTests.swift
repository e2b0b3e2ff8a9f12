import Foundation
@testable import PinCheckCLI
import Testing

/// Values as objects of documents, and documents beside their schemas.
@Suite(.endsSomeTime) struct DocumentTests {
    private struct Part: Encodable { var number: Int? }

    private struct Whole: Encodable {
        var someText = "a"
        var certSha256: String?
        var part: Part? = Part()
        var parts = [Part(number: 7), nil]
        var none: [Int] = []
        var own = Flat(part: Part(number: 8), isMore: true)
    }

    /// An object with the keys of another among its own.
    private struct Flat: Encodable {
        let part: Part
        let isMore: Bool

        private enum CodingKeys: CodingKey { case isMore }

        func encode(to encoder: any Encoder) throws {
            try part.encode(to: encoder)
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(isMore, forKey: .isMore)
        }
    }

    @Test func everyKeyIsWrittenInItsOrderAndNothingIsWrittenAsNull() throws {
        #expect(
            try JSONRenderer.line(Whole()) == """
                {"some_text":"a","cert_sha256":null,"part":{"number":null},"parts":[{"number":7},null],"none":[],\
                "own":{"number":8,"is_more":true}}

                """)
        #expect(try JSONRenderer.line(Whole(part: nil)).contains(#""part":null,"parts":["#))
    }

    @Test func aDocumentThatLacksAKeyOrHasAnotherValueIsNotAsItsSchemaSays() throws {
        let check = try JSONSchemaCheck(shipped: "lint")
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
