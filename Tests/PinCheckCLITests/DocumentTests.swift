import Foundation
@testable import PinCheckCLI
import Testing

/// An object of a document is written and described by one table.
@Suite(.endsSomeTime) struct DocumentTests {
    private enum Word: String, DocumentWord { case one, two }

    private struct Part: DocumentObject {
        var number: Int?

        static let definition: String? = "part"
        static let meaning: String? = "A part."
        static let fields: DocumentFields<Part> = [DocumentField("number", \.number, as: .atLeast(1))]
    }

    private struct Whole: DocumentObject {
        var text = "a"
        var word: Word?
        var part: Part? = Part()
        var parts = [Part(number: 7)]
        var own = Part(number: 8)

        static let fields = DocumentFields<Whole>(
            [
                DocumentField("some_text", \.text, "Some text.", as: .words(["a", "b"])), DocumentField("word", \.word),
                DocumentField("part", \.part, "Perhaps."), DocumentField("parts", \.parts),
            ] + Part.fields.rows.map { DocumentField($0, of: \.own) })
    }

    @Test func everyKeyIsWrittenAndNothingIsWrittenAsNull() throws {
        let text = try JSONRenderer.line(Whole())
        #expect(
            text == #"{"number":8,"part":{"number":null},"parts":[{"number":7}],"some_text":"a","word":null}"# + "\n")
        #expect(try JSONRenderer.line(Whole(part: nil, parts: [])).contains(#""part":null,"parts":[],"#))
    }

    @Test func everyKeyIsDescribedAndRequired() {
        var definitions = SchemaDefinitions()
        let number: JSONNode = ["type": ["integer", "null"], "minimum": 1]
        let schema = Whole.schema(as: nil, in: &definitions)
        #expect(
            schema == [
                "type": "object", "required": ["some_text", "word", "part", "parts", "number"],
                "properties": [
                    "some_text": ["enum": ["a", "b"], "description": "Some text."],
                    "word": ["enum": ["one", "two", .null]],
                    "part": ["anyOf": [["$ref": "#/$defs/part"], ["type": "null"]], "description": "Perhaps."],
                    "parts": ["type": "array", "items": ["$ref": "#/$defs/part"]], "number": number,
                ],
            ])
        #expect(
            definitions.nodes == [
                "part": [
                    "type": "object", "required": ["number"], "properties": ["number": number],
                    "description": "A part.",
                ]
            ])
    }

    @Test func aDocumentThatLacksAKeyOrHasAnotherValueIsNotAsItsSchemaSays() throws {
        let check = try JSONSchemaCheck(.lint)
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
