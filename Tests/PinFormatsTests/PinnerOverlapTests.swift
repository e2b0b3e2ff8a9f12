import Pinning
import Testing

@testable import PinFormats

/// Pins that a source adds in several places, for patterns that cover a host together.
@Suite struct PinnerOverlapTests {
    private static func wide(_ text: String) -> String {
        text.replacing("WIDE", with: "\"*.example.com\"").replacing("DEEP", with: "\"**.example.com\"")
    }

    // MARK: Conditions

    @Test(arguments: [
        ("val b = PINNER\nif (d) { b.add(WIDE, \"OTHER\") } else {\nb.add(HERE, \"OWN\") }", "v.example.com", 3, 2),
        ("val b = PINNER\nif (d) b.add(HERE, \"OTHER\")\nelse b.add(DEEP, \"OWN\")", "v.example.com", 3, 2),
        ("val b = PINNER.add(HERE, \"OWN\")\nfun x() {\nif (d) b.add(DEEP, \"OTHER\")\n}", "v.example.com", 3, 1),
        ("val b = PINNER\nif (d) b.add(WIDE, \"OTHER\")\nelse b.add(DEEP, \"OWN\")", "*.example.com", 3, 2),
        (
            "val b = PINNER\nif (d) b.add(\"**.v.example.com\", \"OTHER\")\nelse b.add(DEEP, \"OWN\")",
            "v.example.com and all names below it", 3, 2
        ),
        (
            "val b = PINNER\nif (d) b.add(\"**.v.example.com\", \"OTHER\")\nelse b.add(WIDE, \"OWN\")", "v.example.com",
            3, 2
        ),
        (
            "val b = PINNER\nif (d) b.add(\"*.v.example.com\", \"OTHER\")\nelse b.add(DEEP, \"OWN\")",
            "*.v.example.com", 3, 2
        ),
        (
            "val b = PINNER.add(HERE, \"OWN\").add(WIDE, \"OWN\")\nif (d) b.add(\"w.example.com\", \"OTHER\")",
            "w.example.com", 2, 1
        ),
    ]) func pinsThatAConditionDecidesOnForAHostOfBothPatternsAreApart(text: String, host: String, line: Int, other: Int)
        throws
    { #expect(try PinnerSource(Self.wide(text)).notes.contains(PinnerSource.apart(line, from: other, host))) }

    @Test(arguments: [
        "val b = PINNER.add(WIDE, \"OTHER\").add(HERE, \"OWN\")",
        "val b = PINNER\nif (d) b.add(WIDE, \"OTHER\").add(HERE, \"OWN\") else b.add(HERE, \"OWN\").add(WIDE, \"OTHER\")",
        "val b = PINNER.add(WIDE, \"OTHER\")\nif (d) b.add(HERE, \"OTHER\")",
        "val b = PINNER\nif (d) b.add(WIDE, \"OTHER\") else b.add(WIDE, \"OTHER\")\nPINNER.add(\"a.v.example.com\", \"OWN\")",
        "val b = PINNER.add(\"example.com\", \"OWN\")\nval c = PINNER.add(WIDE, \"OTHER\")",
        "val b = PINNER.add(WIDE, \"OTHER\").add(HERE, \"OWN\")\nval c = PINNER.add(WIDE, \"OTHER\").add(HERE, \"OWN\")",
        "val b = PINNER.add(WIDE, \"OWN\")\nval c = PINNER.add(HERE, \"OWN\")",
    ]) func patternsOfOnePinnerMayOverlap(text: String) throws {
        #expect(try PinnerSource(Self.wide(text)).notes == [])
    }

    // MARK: Pinners

    @Test(arguments: [
        ("val p = if (d) PINNER.add(WIDE, \"OTHER\").build()\nelse PINNER.add(HERE, \"OWN\").build()", "v.example.com"),
        ("val a = PINNER.add(HERE, \"OTHER\").build()\nval b = PINNER.add(DEEP, \"OWN\").build()", "v.example.com"),
        (
            "object A { val p = PINNER.add(DEEP, \"OTHER\").build() }\nobject B { val p = PINNER.add(WIDE, \"OWN\").build() }",
            "*.example.com"
        ),
        (
            "fun a(b: CertificatePinner.Builder) { b.add(WIDE, \"OTHER\") }\nfun c(b: CertificatePinner.Builder) { b.add(HERE, \"OWN\") }",
            "v.example.com"
        ),
        (
            "val a = PINNER.add(WIDE, \"OTHER\").add(HERE, \"OWN\")\nval b = PINNER.add(WIDE, \"OTHER\")",
            "v.example.com"
        ),
    ]) func pinnersWithOtherPinsForAHostOfBothPatternsAreNoted(text: String, host: String) throws {
        #expect(try PinnerSource(Self.wide(text)).notes.contains(PinnerSource.apart(2, from: 1, host)))
    }

    @Test func manyHostsUnderOnePatternAreComparedOnce() throws {
        let hosts = (1...400).map { "b.add(\"\($0).example.com\", \"OWN\")" }.joined(separator: "\n")
        let source = try PinnerSource(Self.wide("val b = PINNER\n\(hosts)\nval c = PINNER.add(DEEP, \"OWN\")"))
        #expect(source.pins.count == 401)
        #expect(source.notes == [])
    }

    @Test func moreOverlapsThanCanBeComparedAreAMistake() throws {
        let hosts = (1...1_000).map { "b.add(\"\($0).example.com\",\"OWN\").add(DEEP,\"OWN\")" }.joined(separator: "\n")
        let text = Self.wide("val b = PINNER\n\(hosts)\nval c = PINNER.add(DEEP, \"OWN\")")
        #expect(
            try PinnerSource.failure(text).reason
                == "it has more conditions and pinners for hosts that overlap than can be compared")
    }
}
