import Pinning
import Testing

@Suite("A server name is in the one form that is safe to compare") struct ServerNameTests {
    @Test(arguments: [
        ("api.example.com", "api.example.com"), ("API.Example.COM.", "api.example.com"), ("localhost", "localhost"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("_sip.example.com", "_sip.example.com"),
        ("1.2.3.4", "1.2.3.4"), ("[::1]", "::1"), ("2001:DB8::1", "2001:db8::1"), ("3com.example", "3com.example"),
        ("host.0xyz", "host.0xyz"),
    ]) func `good names are normalised`(text: String, expected: String) throws {
        #expect(try ServerName(text).description == expected)
    }

    @Test(arguments: [
        ("", ServerNameError.Problem.empty), (".", .empty), (".example.com", .emptyLabel), ("a..b", .emptyLabel),
        ("example.com..", .emptyLabel), ("*.example.com", .character("*")), ("https://example.com", .character(":")),
        ("example.com/path", .character("/")), ("user@example.com", .character("@")), ("[1.2.3.4]", .character("[")),
        ("[::1", .character("[")), ("a b", .controlCharacterOrSpace), ("a\u{0}b", .controlCharacterOrSpace),
        ("a\nb", .controlCharacterOrSpace), ("bücher.example", .notASCII),
        // A fullwidth dot and a soft hyphen are not ASCII either.
        ("example。com", .notASCII), (String(repeating: "a", count: 64) + ".com", .labelTooLong),
        (String(repeating: "a.", count: 127), .numericLastLabel),
        (Array(repeating: String(repeating: "a", count: 63), count: 5).joined(separator: "."), .tooLong),
        ("1.2.3.4.5", .numericLastLabel), ("01.2.3.4", .numericLastLabel), ("127.1", .numericLastLabel),
        ("0x7f.0x1", .numericLastLabel), ("example.0x", .numericLastLabel),
    ]) func `names that no certificate can be valid for are refused with the reason`(
        text: String, problem: ServerNameError.Problem
    ) {
        guard text != String(repeating: "a.", count: 127) else {
            // 127 one-letter labels and a trailing dot: exactly 253 characters, the longest name there is.
            #expect((try? ServerName(text)) != nil)
            return
        }
        #expect(throws: ServerNameError(text: text, problem: problem)) { try ServerName(text) }
        #expect(ReferenceName(text) == .impossible(ServerNameError(text: text, problem: problem)))
    }

    @Test func `every refusal is one line that quotes the text`() {
        for text in ["", ".a", "*.a", "a\nb", String(repeating: "x", count: 300)] {
            let message = (ReferenceName(text)).impossibleDescription ?? ""
            #expect(!message.isEmpty)
            #expect(message.count < 220)
        }
    }
}

extension ReferenceName {
    fileprivate var impossibleDescription: String? {
        if case .impossible(let error) = self { error.description } else { nil }
    }
}
