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
        ("A.kt", "val b = PINNER\nfor (pin in PINS) {\nb.add(HERE, pin)\n}\nval c = b.build()"),
        ("A.kt", "val b = PINNER\nfor (pin: String in listOf<String>(\"OWN\", \"OTHER\")) b.add(HERE, pin)"),
        ("A.kt", "val b = PINNER; listOf(\"OWN\", \"OTHER\").forEach { b.add(HERE, it) }"),
        ("A.kt", "fun f(b: CertificatePinner.Builder) { for (pin in PINS) { b.add(HERE, pin) } }"),
        ("A.kt", "fun CertificatePinner.Builder.all() { PINS.forEach { add(HERE, it) } }"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; for (String pin : PINS) { b.add(HERE, pin); }"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; for (final String pin : PINS) b.add(HERE, pin);"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; PINS.forEach(pin -> b.add(HERE, pin));"),
        ("A.kt", "db.set(\"pins\", PINS); val b = PINNER; for (pin in PINS) b.add(HERE, pin)"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; PINS.forEach(pin -> { b.add(HERE, pin); });"),
    ]) func everyElementOfAListIsAdded(name: String, text: String) throws {
        let source = try PinnerSource(Self.listed(text, in: name), in: name)
        #expect(source.pins.mapValues(Set.init) == ["v.example.com": [first, second]])
        #expect(source.notes.isEmpty)
    }

    @Test(arguments: [
        ("A.kt", "for (pin in PINS) use(PINNER.add(HERE, pin).build())"),
        ("A.kt", "PINS.forEach { val b = PINNER; b.add(HERE, it) }"),
        ("A.kt", "PINS.forEach { val b = pinners.next(); b.add(HERE, it) }"),
        ("A.kt", "PINS.map { PINNER.add(HERE, it) }"), ("A.kt", "PINS.forEach { newBuilder().add(HERE, it) }"),
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
        ("A.kt", "val b = PINNER; configs.current().PINS.forEach { b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; config!!.PINS.forEach { b.add(HERE, it) }"),
        ("A.kt", "val b = PINNER; configs[0].PINS.forEach { pin -> b.add(HERE, pin) }"),
        ("A.kt", "n.copyInto(PINS); val b = PINNER; for (pin in PINS) b.add(HERE, pin)"),
        ("A.kt", "PINS.also { it[0] = x() }; val b = PINNER; for (pin in PINS) b.add(HERE, pin)"),
        ("N.java", "System.arraycopy(n, 0, PINS, 0, 2); B b = new PINNER; for (String pin : PINS) b.add(HERE, pin);"),
        ("N.java", "Arrays.setAll(PINS, i -> x(i)); B b = new PINNER; for (String pin : PINS) b.add(HERE, pin);"),
        ("N.java", "PINS.replaceAll(p -> x(p)); B b = new PINNER; for (String pin : PINS) b.add(HERE, pin);"),
        ("A.kt", "val b = PINNER; for (pin in OTHERS) b.add(HERE, pin)"),
        ("A.kt", "val b = PINNER; for (pin in PINS) { b.add(HERE, pin); break }"),
        ("A.kt", "val b = PINNER; PINS.forEach {\nb.add(HERE, it)\nif (done(it)) return\n}"),
        ("A.kt", "val b = PINNER; PINS.forEach { b.add(HERE, it).also { return } }"),
        ("A.kt", "fun newBuilder() = PINNER; fun f() { for (pin in PINS) use(newBuilder().add(HERE, pin).build()) }"),
        ("A.kt", "fun newBuilder() = PINNER; fun f() { for (pin in PINS) newBuilder().add(HERE, pin) }"),
        ("A.kt", "val b = PINNER; for (pin in PINS) { pool[pin]!!.add(HERE, pin) }"),
        ("A.kt", "val b = PINNER; for (pin in PINS) { pinners.next().add(HERE, pin) }"),
        ("A.kt", "var b = PINNER; for (pin in PINS) { b = make(); b.add(HERE, pin) }"),
        ("A.kt", "var b = PINNER; for (pin in PINS) { b.add(HERE, pin); b = PINNER }"),
        ("A.kt", "val b = PINNER; for (pin in PINS) { use(b.add(HERE, pin).build()) }"),
        ("A.kt", "val b = PINNER; for (pin in PINS) b.add(HERE, pin).build()"),
        ("A.kt", "val b = PINNER; PINS.forEach { pin ->\nval pin = remap(pin)\nb.add(HERE, pin) }"),
        ("A.kt", "val b = PINNER; for (pin in PINS) { for ((i, pin) in remap(pin).withIndex()) { b.add(HERE, pin) } }"),
        ("A.kt", "val b = PINNER; for (pin in PINS) while (x(pin)) b.add(HERE, pin)"),
        ("A.kt", "val b = PINNER; for (pin in PINS) { for (h in hosts(pin)) { b.add(HERE, pin) } }"),
        ("A.kt", "var b: B\nset(v) { }\nget() = PINNER\nfun f() { PINS.forEach { b.add(HERE, it) } }"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; PINS.forEach(pin -> x(pin, () -> b.add(HERE, pin)));"),
        ("N.java", "CertificatePinner.Builder b = new PINNER; for (String pin : PINS) { b.add(HERE, pin); return b; }"),
        (
            "N.java",
            "CertificatePinner.Builder b = new PINNER; for (String pin : PINS) { if (x) break; b.add(HERE, pin); }"
        ), ("N.java", "for (String pin : PINS) { CertificatePinner.Builder b = new PINNER; b.add(HERE, pin); }"),
    ]) func whereAnElementMayBeLeftOutThePinIsNotWrittenOut(name: String, text: String) throws {
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
