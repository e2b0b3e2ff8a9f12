import Pinning
import Testing

@testable import PinFormats

/// Pins that a source adds in a loop through a list of its own.
@Suite struct PinnerLoopTests {
    @Test(arguments: [
        ("A.kt", "val b = PINNER; PINS.forEach { b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; PINS.forEach { pin -> b.add(HERE, pin) }"),
        ("A.kt", "val b = PINNER.apply { PINS.forEach { add(HERE, it) } }.build()"),
        ("A.kt", "val b = PINNER.also { b -> PINS.forEach { b.add(HERE, it) } }.build()"),
        ("A.kt", "val b = PINNER\nfor (pin in PINS) b.add(HERE, pin)"),
        ("A.kt", "val b = PINNER\nfor (pin in PINS) {\nLog.d(pin)\nb.add(HERE, pin)\n}"),
        ("A.kt", "val b = PINNER\nfor (pin: String in listOf<String>(\"OWN\", \"OTHER\")) b.add(HERE, pin)"),
        ("A.kt", "val b = PINNER; listOf(\"OWN\", \"OTHER\").forEach { b.add(HERE, it) }"),
        ("A.kt", "fun f(b: CertificatePinner.Builder) { for (pin in PINS) { b.add(HERE, pin) } }"),
        ("A.kt", "val b = PINNER; PINS.forEach { b.add(pattern = HERE, pins = arrayOf(\"OWN\", \"OTHER\")) }"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; for (String pin : PINS) { b.add(HERE, pin); }"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; for (final String pin : PINS) b.add(HERE, pin);"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; PINS.forEach(pin -> b.add(HERE, pin));"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; PINS.forEach(pin -> { b.add(HERE, pin); });"),
    ])
    func everyElementOfAListIsAdded(name: String, text: String) throws {
        let source = try PinnerSource(Self.listed(text, in: name), in: name)
        #expect(source.pins.mapValues(Set.init) == ["v.example.com": [first, second]])
        // The last of Kotlin's is in braces that go through no list of the pins'.
        #expect(source.notes.isEmpty || text.contains("arrayOf"))
    }

    @Test(arguments: [
        ("A.kt", "for (pin in PINS) use(PINNER.add(HERE, pin).build())"),
        ("A.kt", "PINS.forEach { val b = PINNER; b.add(HERE, it) }"),
        ("A.kt", "PINS.forEach { val b = pinners.next(); b.add(HERE, it) }"),
        ("A.kt", "PINS.map { PINNER.add(HERE, it) }"),
        ("A.kt", "PINS.forEach { newBuilder().add(HERE, it) }"),
        ("A.kt", "val b get() = PINNER\nPINS.forEach { b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; PINS.forEach { if (x) b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; for (pin in PINS) if (x(pin)) b.add(HERE, pin)"),
        ("A.kt", "val b = PINNER; for (pin in PINS) { if (x(pin)) continue; b.add(HERE, pin) }"),
        ("A.kt", "val b = PINNER; PINS.forEach { x(it) ?: return; b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; PINS.forEach { x(it) && b.add(HERE, it) != null }"),
        ("A.kt", "val b = PINNER; PINS.take(1).forEach { b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; PINS.filter { x(it) }.forEach { b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; PINS.forEach { x.let { b.add(HERE, it) } }"),
        ("A.kt", "val b = PINNER; PINS.forEach { pin -> b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; PINS.forEachIndexed { i, it -> b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; for ((i, pin) in PINS.withIndex()) b.add(HERE, pin)"),
        ("A.kt", "val b = PINNER; for (pin in OTHERS) b.add(HERE, pin)"),
        (
            "N.java",
            "CertificatePinner.Builder b = new PINNER; for (String pin : PINS) { if (x) break; b.add(HERE, pin); }"
        ),
        ("N.java", "for (String pin : PINS) { CertificatePinner.Builder b = new PINNER; b.add(HERE, pin); }"),
    ])
    func whereAnElementMayBeLeftOutThePinIsNotWrittenOut(name: String, text: String) throws {
        let mistake = try PinnerSource.mistake(Self.listed(text, in: name), in: name)
        #expect(mistake.contains("a pin of v.example.com is not written out"))
    }

    /// The text behind a list of both pins.
    private static func listed(_ text: String, in name: String) -> String {
        guard name != "A.kt" else { return "val PINS = listOf(\"OWN\", \"OTHER\")\n\(text)" }
        let list =
            text.contains("PINS.forEach")
            ? "static final List<String> PINS = Arrays.asList(\"OWN\", \"OTHER\");"
            : "static final String[] PINS = { \"OWN\", \"OTHER\" };"
        return "class N { \(list) void a() { \(text) } }"
    }
}
