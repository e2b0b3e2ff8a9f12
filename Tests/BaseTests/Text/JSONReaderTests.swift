import Testing

@testable import Base

@Suite struct JSONReaderTests {
    private func read(_ bytes: [UInt8], mostValues: Int = 1_000) -> String {
        do throws(JSONReader.Failure) { return shown(try JSONReader.tree(of: bytes, mostValues: mostValues)) } catch {
            return "line \(error.line): \(error.reason)"
        }
    }

    private func shown(_ tree: DocumentTree) -> String {
        switch tree.content {
        case .dictionary(let members): "{\(members.map { "\($0.key):\(shown($0.value))" }.joined(separator: ","))}"
        case .array(let elements): "[\(elements.map(shown).joined(separator: ","))]"
        case .text(let text): "'\(text)'"
        case .number(let digits): digits
        case .flag(let flag): "\(flag)"
        case .null: "null"
        case .date, .other: "?"
        }
    }

    @Test(arguments: [
        (#"{"b": [1, -2.5e3, true, false, null], "a": "x"}"#, "{b:[1,-2.5e3,true,false,null],a:'x'}"),
        ("\u{FEFF} [] \n", "[]"), (#""\u00e9\n\/\"\ud83d\udd12é""#, "'é\n/\"🔒é'"),
        ("{/* one */ a: 'b', // two\n $c: [1,],}", "{a:'b',$c:[1]}"),
        ("[99999999999999999999999, 1e999]", "[99999999999999999999999,1e999]"),
    ]) func documentsAreRead(text: String, expected: String) { #expect(read(Array(text.utf8)) == expected) }

    @Test(arguments: [
        ("", "line 1: is not JSON: it ends too early"), ("{\"a\":\n1", "line 2: is not JSON: a ',' is missing"),
        ("[1", "line 1: is not JSON: a ',' is missing"), ("[1,", "line 1: is not JSON: an array is not closed"),
        ("{\"a", "line 1: is not JSON: a quotation mark is not closed"),
        ("{\"a\"", "line 1: is not JSON: a ':' is missing"), ("/* [1]", "line 1: is not JSON: a comment is not closed"),
        ("[1]\n[2]", "line 2: is not JSON: goes on after its end"),
        ("{}x", "line 1: is not JSON: goes on after its end"), ("{}\0x", "line 1: is not JSON: goes on after its end"),
        ("\u{FEFF}\u{FEFF}{}", "line 1: is not JSON: a value"), ("[tru]", "line 1: is not JSON: a value is missing"),
        ("[,]", "line 1: is not JSON: a value is missing"), ("[1 2]", "line 1: is not JSON: a ',' is missing"),
        ("{,}", "line 1: is not JSON: a key is missing"),
        (#"["\ud83d"]"#, "line 1: is not JSON: '\\u' is followed by half"),
        (#"["\udd12\ud83d"]"#, "line 1: is not JSON: '\\u' is followed by half"),
        (#"["\ud83d\u0041"]"#, "line 1: is not JSON: '\\u' is followed by half"),
        (#"["\u12"]"#, "line 1: is not JSON: '\\u' is not followed by four"),
        (#"["\u-001"]"#, "line 1: is not JSON: '\\u' is not followed by four"),
        ("{\"a\": 1,\n\"\\u0061\": 2}", "line 2: the key 'a' is given twice"),
        (String(repeating: "[", count: 10_000), "line 1: has more than 40 levels"),
        (String(repeating: "{\"a\":", count: 10_000), "line 1: has more than 40 levels"),
        ("[" + String(repeating: "1,", count: 1_000) + "]", "line 1: has more than 1000 values"),
    ]) func whatIsNoDocumentIsRefusedWithItsLine(text: String, expected: String) {
        let result = read(Array(text.utf8))
        #expect(result.hasPrefix(expected), "\(result)")
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x7B, 0xFF, 0x3A, 0x31, 0x7D],
        ] as [[UInt8]]) func textThatIsNotUTF8IsRefused(bytes: [UInt8])
    { #expect(read(bytes) == "line 1: is not JSON: a text is not UTF-8") }
}
