import Pinning
import Testing

@testable import PinFormats

/// Pins that a source adds in braces that are passed to a call, and behind a `return`.
@Suite struct PinnerLambdaTests {
    @Test(arguments: [
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\nonlyInDebug { b.add(HERE, \"OTHER\") }"),
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\ncheck(DEBUG) { b.add(HERE, \"OTHER\") }"),
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\nflags.ifSet<Debug> { b.add(HERE, \"OTHER\") }"),
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\nonlyInDebug({ b.add(HERE, \"OTHER\") })"),
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\nval later = { b.add(HERE, \"OTHER\") }"),
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\nall.forEach { b.add(HERE, \"OTHER\") }"),
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\nrun { debug { b.add(HERE, \"OTHER\") } }"),
        ("A.kt", "val p = PINNER.apply { runIf(DEBUG) { add(HERE, \"OTHER\") }\nadd(HERE, \"OWN\") }.build()"),
        ("A.kt", "val p = PINNER.run { debug { add(HERE, \"OTHER\") }\nadd(HERE, \"OWN\"); build() }"),
        ("A.kt", "single { val b = PINNER; debug { b.add(HERE, \"OTHER\") }\nb.add(HERE, \"OWN\") }"),
        (
            "N.java",
            "class N { void a(CertificatePinner.Builder b) { b.add(HERE, \"OWN\");\nFlags.ifDebug(() -> b.add(HERE, \"OTHER\")); } }"
        ),
        (
            "N.java",
            "class N { void a(CertificatePinner.Builder b) { b.add(HERE, \"OWN\");\nhost.ifPresent(h -> { b.add(HERE, \"OTHER\"); }); } }"
        ),
        (
            "N.java",
            "class N { void a(CertificatePinner.Builder b) { b.add(HERE, \"OWN\");\nRunnable r = () -> b.add(HERE, \"OTHER\"); } }"
        ), ("A.kt", "fun f(): P { val b = PINNER.add(HERE, \"OWN\"); return b.build()\nb.add(HERE, \"OTHER\") }"),
        ("A.kt", "fun f() { val b = PINNER.add(HERE, \"OWN\"); throw E()\nb.add(HERE, \"OTHER\") }"),
        ("A.kt", "val p = PINNER.apply { add(HERE, \"OWN\"); return@apply\nadd(HERE, \"OTHER\") }"),
    ]) func pinsThatMayNotBeAddedAreApartFromOthers(name: String, text: String) throws {
        #expect(try PinnerSource(text, in: name).notes.contains(PinnerSource.apart(2, from: 1)))
    }

    @Test(arguments: [
        ("A.kt", "val b = PINNER\nrelease { b.add(HERE, \"OWN\") }"),
        ("A.kt", "fun f(b: B) {\nrelease { b.add(HERE, \"OWN\") } }"),
        ("N.java", "class N { void a(CertificatePinner.Builder b) {\nx.ifPresent(h -> b.add(HERE, \"OWN\")); } }"),
        ("A.kt", "fun f(b: B): P { return b.build()\nb.add(HERE, \"OWN\") }"),
    ]) func pinsThatMayNotBeAddedAreNoted(name: String, text: String) throws {
        let source = try PinnerSource(text, in: name)
        #expect(source.pins == ["v.example.com": [first]])
        #expect(source.notes == ["2: pins are added only under a condition here: they are read as if it held"])
    }

    @Test(arguments: [
        ("A.kt", "val m = module { single { PINNER.add(HERE, \"OWN\").build() } }"),
        ("A.kt", "val m = module { single { val b = PINNER; b.add(HERE, \"OWN\"); b.build() } }"),
        ("A.kt", "val m = module { single { val b = newBuilder(); b.add(HERE, \"OWN\"); b.build() } }"),
        ("A.kt", "val m = module { single { newBuilder().add(HERE, \"OWN\").build() } }"),
        ("A.kt", "val p = pinner { add(HERE, \"OWN\") }"), ("A.kt", "val p = pinner { it.add(HERE, \"OWN\") }"),
        ("A.kt", "val p = pinner(x) { b, c -> b.add(HERE, \"OWN\") }"),
        ("A.kt", "val p: CertificatePinner.Builder.() -> Unit = { add(HERE, \"OWN\") }"),
        ("A.kt", "val p = configure(CertificatePinner.Builder()) { add(HERE, \"OWN\") }"),
        ("A.kt", "val b = PINNER; synchronized(this) { b.apply { add(HERE, \"OWN\") } }"),
        ("A.kt", "val b = PINNER; val c = lazy(NONE) { b.add(HERE, \"OWN\").build() }"),
        ("A.kt", "val b = PINNER; val c = remember(x) { b.add(HERE, \"OWN\").build() }"),
        ("A.kt", "val b = PINNER\nval c: C\nget() { return b.add(HERE, \"OWN\").build() }"),
        ("A.kt", "class A : B(x), C<D> by e { val b = PINNER; companion object { init { b.add(HERE, \"OWN\") } } }"),
        ("A.kt", "val b = PINNER; val o = object : X<Y>() { init { b.add(HERE, \"OWN\") } }"),
        ("A.kt", "class A(val x: B) { val b = PINNER; constructor(y: C) : this(y.x) { b.add(HERE, \"OWN\") } }"),
        ("N.java", "class N { Object a = pinner(b -> b.add(HERE, \"OWN\")); }"),
        ("N.java", "class N { Consumer<B> a = (CertificatePinner.Builder b) -> { b.add(HERE, \"OWN\"); }; }"),
        ("N", "class N { static { x(); } CertificatePinner.Builder b = new PINNER; { b.add(HERE, \"OWN\"); } }"),
    ]) func bracesInWhichThePinnerBeginsAreNoCondition(name: String, text: String) throws {
        let source = try PinnerSource(text, in: name)
        #expect(source.pins == ["v.example.com": [first]])
        #expect(source.notes == [])
    }
}
