import Foundation
@testable import PinCheckCLI
import Testing

/// Values as objects of documents, and documents beside their schemas.
@Suite(.endsSomeTime) struct DocumentTests {
    private struct Part: JSONDocument {
        var number: Int?

        var document: JSONObject { ["number": number] }
    }

    @Test func everyKeyIsWrittenInItsOrderAndNothingIsWrittenAsNull() throws {
        let none: Part? = nil
        let whole: JSONObject = [
            "some_text": "a", "cert_sha256": nil, "part": Part(), "parts": [Part(number: 7), nil], "none": none,
            "list": [] as [Int],
        ]
        #expect(
            try JSONRenderer.line(whole) == """
                {"some_text":"a","cert_sha256":null,"part":{"number":null},"parts":[{"number":7},null],"none":null,\
                "list":[]}

                """)
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
