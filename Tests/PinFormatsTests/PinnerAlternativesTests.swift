import Pinning
import Testing

@testable import PinFormats

/// Pins that a source adds in several places for one host.
@Suite struct PinnerAlternativesTests {
    private static let condition = "pins are added only under a condition here: they are read as if it held"

    // MARK: Conditions

    @Test(arguments: [
        ("val b = PINNER\nif (DEBUG) b.add(HERE, \"OTHER\")\nelse b.add(HERE, \"OWN\")", 3, 2),
        ("val b = PINNER\nif (DEBUG) { b.add(HERE, \"OTHER\") } else {\nb.add(HERE, \"OWN\") }", 3, 2),
        (
            "val b = PINNER\nif (x) b.add(HERE, \"OWN\")\nelse if (y) b.add(HERE, \"OWN\")\nelse b.add(HERE, \"OTHER\")",
            4, 2
        ), ("val b = PINNER\nif (x)\nif (y) b.add(HERE, \"OWN\")\nelse b.add(HERE, \"OTHER\")", 4, 3),
        ("val b = PINNER\nwhen (x) {\n1 -> b.add(HERE, \"OTHER\")\nelse -> { b.add(HERE, \"OWN\") }\n}", 4, 3),
        ("val b = PINNER\nwhen {\nx -> b\n.add(HERE, \"OTHER\")\ny, z ->\nb.add(HERE, \"OWN\") }", 6, 4),
        ("val p = PINNER.apply {\nif (DEBUG) add(HERE, \"OTHER\")\nelse add(HERE, \"OWN\")\n}.build()", 3, 2),
        ("val p = PINNER.also {\nif (DEBUG) it.add(HERE, \"OTHER\") else\nit.add(HERE, \"OWN\") }", 3, 2),
        ("val b = PINNER\nb.add(HERE, \"OWN\")\nif (x) b.add(HERE, \"OTHER\")", 3, 2),
        ("val b = PINNER\nif (x) b.add(HERE, \"OTHER\")\nb.add(HERE, \"OWN\")", 3, 2),
        ("val b = PINNER.add(HERE, \"OWN\")\nif (x) {\nif (y) {\nb.add(HERE, \"OTHER\") }\n}", 4, 1),
        ("val b = PINNER\nif (x) {\nb.add(HERE, \"OWN\")\nif (y) b.add(HERE, \"OTHER\")\n}", 4, 3),
        ("val b = PINNER\nif (x) b.add(HERE, \"OWN\")\nif (y) b.add(HERE, \"OTHER\")", 3, 2),
        ("val b = PINNER\ntry { b.add(HERE, \"OWN\") } catch (e: E) {\nb.add(HERE, \"OTHER\") }", 3, 2),
        ("val p = PINNER.apply {\nadd(HERE, \"OWN\")\nif (x) return@apply\nadd(HERE, \"OTHER\") }", 4, 2),
        (
            "fun f(): P {\nval b = PINNER\nif (x) return b.add(HERE, \"OTHER\").build()\nreturn b.add(HERE, \"OWN\").build()\n}",
            4, 3
        ), ("fun f() {\nval b = PINNER.add(HERE, \"OWN\")\nval y = z ?: return\nb.add(HERE, \"OTHER\")\n}", 4, 2),
        ("fun f(b: CertificatePinner.Builder) = if (x) b.add(HERE, \"OWN\")\nelse b.add(HERE, \"OTHER\")", 2, 1),
        ("val b = PINNER\nx?.let { b.add(HERE, \"OWN\") }\n?: b.add(HERE, \"OTHER\")", 3, 2),
        ("val b = PINNER\nx.takeIf { it }?.run { b.add(HERE, \"OTHER\") }\nb.add(HERE, \"OWN\")", 3, 2),
        ("val b = PINNER.add(HERE, \"OWN\")\nval ok = DEBUG && b.add(HERE, \"OTHER\") != null", 2, 1),
        ("val p = pinner {\nif (x) add(HERE, \"OWN\")\nelse {\nadd(HERE, \"OTHER\") } }", 4, 2),
        (
            "val p = pinner { when (x) {\n1 -> { add(HERE, \"OWN\") }\nelse -> { try { add(HERE, \"OTHER\") } finally { } } } }",
            3, 2
        ), ("fun f(b: B) {\nif (x) b.add(HERE, \"OWN\")\nelse b.add(HERE, \"OTHER\") }", 3, 2),
    ]) func pinsThatAConditionDecidesOnAreApart(text: String, line: Int, other: Int) throws {
        #expect(try PinnerSource(text).notes.contains(PinnerSource.apart(line, from: other)))
    }

    @Test(arguments: [
        ("if (x) {\nb.add(HERE, \"OTHER\");\nreturn b.build();\n}\nb.add(HERE, \"OWN\");", 7, 4),
        ("if (x) b.add(HERE, \"OTHER\"); else\nb.add(HERE, \"OWN\");", 4, 3),
        ("switch (x) {\ncase 1: b.add(HERE, \"OTHER\"); break;\ndefault: b.add(HERE, \"OWN\");\n}", 5, 4),
        ("switch (x) {\ncase A -> b.add(HERE, \"OTHER\");\ncase B -> { b.add(HERE, \"OWN\"); }\n}", 5, 4),
        ("return x ? b.add(HERE, \"OTHER\")\n: b.add(HERE, \"OWN\");", 4, 3),
        ("b.add(HERE, \"OWN\");\nfor (A a : all) if (a.b) b.add(HERE, \"OTHER\");", 4, 3),
        ("b.add(HERE, \"OWN\");\nwhile (a()) b.add(HERE, \"OTHER\");", 4, 3),
        ("all.forEach(a -> {\nif (a.b) return;\nb.add(HERE, \"OTHER\");\n});\nb.add(HERE, \"OWN\");", 7, 5),
    ]) func pinsThatAConditionOfJavaDecidesOnAreApart(body: String, line: Int, other: Int) throws {
        let text = "class N { Object a() {\nCertificatePinner.Builder b = new PINNER;\n\(body)\n} }"
        for name in ["N.java", "N"] {
            #expect(try PinnerSource(text, in: name).notes.contains(PinnerSource.apart(line, from: other)))
        }
    }

    @Test(arguments: [
        ("A.kt", "val b = PINNER\nif (!BuildConfig.DEBUG) {\nb.add(HERE, \"OWN\")\n}", 3),
        ("A.kt", "val b = PINNER.apply {\nif (!BuildConfig.DEBUG) add(HERE, \"OWN\")\n}.build()", 2),
        (
            "A.kt",
            "fun a(): P {\nval b = PINNER\nif (DEBUG) return b.build()\nb.add(HERE, \"OWN\")\nreturn b.build() }", 4
        ), ("A.kt", "val b = PINNER\nif (x) { if (y) b.add(HERE, \"OWN\") } else z()", 2),
        ("N.java", "class N { void a(CertificatePinner.Builder b) {\nif (!DEBUG) {\nb.add(HERE, \"OWN\"); } } }", 3),
    ]) func pinsThatAreAddedOnlyUnderAConditionAreReadAndNoted(name: String, text: String, line: Int) throws {
        let source = try PinnerSource(text, in: name)
        #expect(Set(source.pins["v.example.com"] ?? []) == [first])
        #expect(source.notes == ["\(line): \(Self.condition)"])
    }

    @Test func oneConditionIsNotedOnce() throws {
        let source = try PinnerSource(
            "val b = PINNER\nif (x) {\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")\nb.add(\"w.example.com\", \"OWN\") }"
        )
        #expect(source.pins == ["v.example.com": [first, second], "w.example.com": [first]])
        #expect(source.notes == ["3: \(Self.condition)"])
    }

    @Test func conditionsForOneHostAreNotedTogether() throws {
        let source = try PinnerSource("val b = PINNER\nif (x) b.add(HERE, \"OWN\") else if (y) b.add(HERE, \"OWN\")")
        #expect(source.pins == ["v.example.com": [first, first]])
        #expect(
            source.notes == [
                "2: pins are added only under a condition here and in one other place: they are read as if it held"
            ])
    }

    @Test(arguments: [(2, "and in one other place"), (12, "and in 11 other places")])
    func severalConditionsAreNotedOnceWithTheirNumber(count: Int, others: String) throws {
        let hosts = (1...count).map { "if (x) b.add(\"\($0).example.com\", \"OWN\")" }
        let source = try PinnerSource("val b = PINNER\n\(hosts.joined(separator: "\n"))")
        #expect(source.pins.count == count)
        #expect(
            source.notes == ["2: pins are added only under a condition here \(others): they are read as if it held"])
    }

    @Test(arguments: [
        ("A.kt", "val b = PINNER\nif (x) b.add(HERE, \"OWN\") else b.add(HERE, \"OWN\")"),
        ("A.kt", "val b = PINNER\nwhen (x) { 1 -> b.add(HERE, \"OWN\")\n else -> b.add(HERE, \"OWN\") }"),
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\nif (x) b.add(HERE, \"OWN\")"),
        ("A.kt", "val b = PINNER\nif (x) log()\nb.add(HERE, \"OWN\")"),
        ("A.kt", "val b = PINNER\nif (x) { log() } else log()\nb.add(HERE, \"OWN\")"),
        ("A.kt", "val b = PINNER; do { log() } while (x)\nb.add(HERE, \"OWN\")"),
        ("A.kt", "val b = PINNER\nval x = when (y) { 1 -> 2; else -> 3 }\nb.add(HERE, \"OWN\")"),
        ("A.kt", "val b = PINNER; synchronized(lock) { run { b.let { it.add(HERE, \"OWN\") } } }"),
        ("A.kt", "val c by lazy { if (x) { PINNER.add(HERE, \"OWN\").build() } else null }"),
        ("A.kt", "fun a(): C? { if (c != null) return c; return PINNER.add(HERE, \"OWN\").build() }"),
        ("A.kt", "class A { val b = PINNER; init { b.add(HERE, \"OWN\") } }"),
        ("A.kt", "val b: CertificatePinner.Builder? = x(); b?.apply { add(HERE, \"OWN\") }?.let { it.build() }"),
        ("A.kt", "val b = PINNER; val c = x && y || z; val d = x ?: y\nb.add(HERE, \"OWN\")"),
        (
            "A.kt",
            "val b = PINNER\nwhen { x && y -> b.add(HERE, \"OWN\")\nz || y -> { b.add(HERE, \"OWN\") }\nelse -> b.add(HERE, \"OWN\") }"
        ), ("N.java", "class N { void a(CertificatePinner.Builder b) { do x(); while (y); b.add(HERE, \"OWN\"); } }"),
        (
            "N.java",
            "class N { void a(CertificatePinner.Builder b) { int i = x ? y && z ? 1 : 2 : 3; b.add(HERE, \"OWN\"); } }"
        ), ("A.kt", "val b = PINNER; all.forEach { if (x) return@forEach; log() }; b.add(HERE, \"OWN\")"),
        ("N.java", "class N { void a() { if (c == null) { c = new PINNER.add(HERE, \"OWN\").build(); } } }"),
        ("N.java", "class N { void a() { try (A b = x()) { c = new PINNER.add(HERE, \"OWN\").build(); } } }"),
        ("N.java", "class N { Map<?, ? extends A> m; Object a = new PINNER.add(HERE, \"OWN\").build(); }"),
        (
            "N.java",
            "class N { void a(CertificatePinner.Builder b) { switch (x) { case 1: case 2: b.add(HERE, \"OWN\"); break; default: b.add(HERE, \"OWN\"); } } }"
        ),
    ]) func whereAConditionDecidesOnNoPinNothingIsNoted(name: String, text: String) throws {
        let source = try PinnerSource(text, in: name)
        #expect(Set(source.pins["v.example.com"] ?? []) == [first])
        #expect(source.notes == [])
    }

    // MARK: Pinners

    @Test(arguments: [
        ("A.kt", "val p = pinner { add(HERE, \"OTHER\") }\nval q = pinner { run { add(HERE, \"OWN\") } }"),
        ("A.kt", "val b = PINNER; b.add(HERE, \"OTHER\")\n(if (d) b else c).add(HERE, \"OWN\")"),
        (
            "N.java",
            "class N { void a(CertificatePinner.Builder b) { x(new R() { public void run() { b.add(HERE, \"OTHER\"); } });\nb.add(HERE, \"OWN\"); } }"
        ), ("A.kt", "Dev.pinner.add(HERE, \"OTHER\")\nProd.pinner.add(HERE, \"OWN\")"),
        (
            "A.kt",
            "fun dev(b: CertificatePinner.Builder) { b.add(HERE, \"OTHER\") }\nfun prod(b: CertificatePinner.Builder) { b.add(HERE, \"OWN\") }"
        ), ("A.kt", "fun dev(b: B) = b.add(HERE, \"OTHER\")\nfun prod(b: B) = b.add(HERE, \"OWN\")"),
        (
            "A.kt",
            "fun CertificatePinner.Builder.dev() = add(HERE, \"OTHER\")\nfun CertificatePinner.Builder.prod() = add(HERE, \"OWN\")"
        ),
        (
            "A.kt",
            "class A { val b = PINNER; fun dev() { b.add(HERE, \"OTHER\") }\nfun prod() { b.add(HERE, \"OWN\") } }"
        ), ("A.kt", "val dev = PINNER.add(HERE, \"OTHER\").build()\nval prod = PINNER.add(HERE, \"OWN\").build()"),
        ("A.kt", "val p = (if (d) PINNER.add(HERE, \"OTHER\")\nelse PINNER.add(HERE, \"OWN\")).build()"),
        (
            "N.java",
            "class N { CertificatePinner.Builder b = new PINNER; void dev() { b.add(HERE, \"OTHER\"); }\nvoid prod() throws A, x.C { b.add(HERE, \"OWN\"); } }"
        ),
    ]) func pinnersThatPinAHostDifferentlyAreApart(name: String, text: String) throws {
        let source = try PinnerSource(text, in: name)
        #expect(source.pins == ["v.example.com": [second, first]])
        #expect(source.notes == [PinnerSource.apart(2, from: 1)])
    }

    @Test(arguments: [
        "if (d) @Suppress(\"x\")\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "if (d) x() else @X\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "val p = d ?: y!! to\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "if (d) x() else if (y)\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "x or\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "val p = x.y or z or\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "val p = x() to y or\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "if (d) x or\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "if (d) @A<B>(c)\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "if (d) @[A B]\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
        "val p = a < c ||\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")",
    ]) func whatGoesOnInTheNextLineIsNoStatement(text: String) throws {
        #expect(try PinnerSource("val b = PINNER; \(text)").notes.contains(PinnerSource.apart(3, from: 2)))
    }

    /// Each of them is read as one pinner's at a glance, and is not.
    @Test(arguments: [
        (
            "A.kt",
            "fun base() = PINNER\nval a = base().add(HERE, \"OWN\").build(); val b = base().add(HERE, \"OTHER\").build()"
        ), ("A.kt", "val b get() = PINNER\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b: B @JvmName(\"x\") get() = PINNER\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "var b: B set(v) { } get() = PINNER\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b: A<B> get() = PINNER\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b: @A B get() = PINNER\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b inline get() = PINNER\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b by Fresh(PINNER)\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b: B? by Fresh(PINNER)\nb!!.add(HERE, \"OWN\"); b!!.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\nb?.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b: B? get() { return PINNER }\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "var b = x; if (d) { b = y }\nelse b = PINNER.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        (
            "N.java",
            "class N { void a() { if (x) b = y;\nelse b = new PINNER.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\"); } }"
        ), ("A.kt", "val base get() = PINNER\nval a = base.add(HERE, \"OWN\"); val b = base.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\nb.add(HERE, \"OWN\"); val a = b.build(); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\nval a = b.add(HERE, \"OWN\").build(); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\nfor (x in y) { b.add(HERE, \"OWN\"); if (!d) continue; b.add(HERE, \"OTHER\") }"),
        (
            "A.kt",
            "class A { val b = PINNER\nconstructor() { b.add(HERE, \"OWN\") }; constructor(x: Int) { b.add(HERE, \"OTHER\") } }"
        ),
        (
            "A.kt",
            "class A { val b = PINNER\nval a get() = b.add(HERE, \"OWN\").build(); val c get() = b.add(HERE, \"OTHER\").build() }"
        ), ("A.kt", "val b = PINNER\nval a by lazy { b.add(HERE, \"OWN\") }; val c by lazy { b.add(HERE, \"OTHER\") }"),
        ("A.kt", "val a = PINNER.apply {\nadd(HERE, \"OWN\"); old.apply { add(HERE, \"OTHER\") } }"),
        ("A.kt", "val a = PINNER.apply {\nadd(HERE, \"OWN\"); old.add(HERE, \"OTHER\") }"),
        ("A.kt", "val a = PINNER.apply {\nadd(HERE, \"OWN\"); old.also { it.add(HERE, \"OTHER\") } }"),
        ("A.kt", "val b = PINNER\nb.add(HERE, \"OWN\"); d?.use { b.add(HERE, \"OTHER\") }"),
        ("A.kt", "val b = PINNER\nb.add(HERE, \"OWN\"); d?.install(b.add(HERE, \"OTHER\"))"),
        ("A.kt", "val b = PINNER\nd?.install(b.add(HERE, \"OWN\")); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\nb.add(HERE, \"OWN\")?.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\ntry { b.add(HERE, \"OWN\"); x(); b.add(HERE, \"OTHER\") } catch (e: E) { }"),
        ("A.kt", "val b = PINNER; if (x)\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER; x ?:\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER; d &&\nb.add(HERE, \"OWN\") != null; b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER; x(if (d)\nb.add(HERE, \"OWN\") else c, b.add(HERE, \"OTHER\"))"),
        ("A.kt", "class A { val b = PINNER\ninit { b.add(HERE, \"OWN\"); this.b.add(HERE, \"OTHER\") } }"),
        ("A.kt", "val b = PINNER\nval c = b.add(HERE, \"OWN\"); c.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\nb.add(HERE, \"OWN\").let { it }.add(HERE, \"OTHER\")"),
        ("N.java", "class N { void a() {\nRunnable r = () -> b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\"); } }"),
        ("N.java", "class N { void a() {\nassert b.add(HERE, \"OWN\") != null; b.add(HERE, \"OTHER\"); } }"),
        ("N.java", "class N { void a() {\nif (x) y(); else b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\"); } }"),
        ("N.java", "class N { CertificatePinner a = null;\n{ b.add(HERE, \"OWN\"); } { b.add(HERE, \"OTHER\"); } }"),
        ("A.kt", "val b = PINNER\nif (d) @Suppress(\"x\") b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        (
            "A.kt",
            "val a = 1; val b = PINNER; if (d) { }; x(if (d) 1 else 2) or\nb.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"
        ), ("A.kt", "val b = PINNER.build()\nval c = PINNER.add(HERE, \"OWN\"); val d = PINNER.add(HERE, \"OTHER\")"),
        ("notes.md", "Old: `CertificatePinner`\n.add(HERE, \"OWN\") New: .add(HERE, \"OTHER\")"),
    ]) func callsWithSomethingBetweenThemAreApart(name: String, text: String) throws {
        let source = try PinnerSource(text, in: name)
        #expect(source.pins == ["v.example.com": [first, second]])
        #expect(source.notes.contains(PinnerSource.apart(2, from: 2)), "\(source.notes)")
    }

    @Test func aCarriageReturnEndsACommentOfASource() throws {
        let text = "class N { void a() {\nb.add(HERE, \"OWN\"); // debug\rif (x) b.add(HERE, \"OTHER\"); } }"
        #expect(try PinnerSource(text, in: "N.java").notes.contains(PinnerSource.apart(3, from: 2)))
    }

    @Test(arguments: [
        ("A.kt", "val b = PINNER; b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER.add(HERE, \"OWN\")\n.add(HERE, \"OTHER\").build()"),
        ("A.kt", "fun a(b: B) { b.add(HERE, \"OWN\").add(HERE, \"OTHER\") }"),
        ("A.kt", "class A { val b = PINNER; init { this.b.add(HERE, \"OWN\"); this.b.add(HERE, \"OTHER\") } }"),
        ("A.kt", "val b = PINNER.apply { add(HERE, \"OWN\")\nadd(HERE, \"OTHER\") }"),
        ("A.kt", "val b = PINNER.also { b -> b.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\") }"),
        ("A.kt", "val b = PINNER.also {\n// both\nit.add(HERE, \"OWN\")\n/* and */ it.add(HERE, \"OTHER\") }"),
        ("A.kt", "var b = PINNER\nb = b.add(HERE, \"OWN\")\nb = b.add(HERE, \"OTHER\")"),
        ("A.kt", "log(x)\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        (
            "A.kt",
            "val b = PINNER\nif (x) { b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\") } else b.add(HERE, \"OTHER\", \"OWN\")"
        ),
        (
            "A.kt",
            "val a = PINNER.add(HERE, \"OWN\").add(HERE, \"OTHER\")\nval b = PINNER.add(HERE, \"OTHER\").add(HERE, \"OWN\")"
        ), ("A.kt", "val c = OkHttpClient.Builder()\nval b = PINNER.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val a = x { b: CertificatePinner.Builder -> b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\") }"),
        (
            "N.java",
            "class N { void a() { CertificatePinner.Builder b = new PINNER.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\"); } }"
        ), ("A.kt", "val b: CertificatePinner.Builder = PINNER.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "if (debug) Log.d(x)\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val level = if (debug) 1 else 2\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val b = PINNER\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")\nget(\"/health\") { }"),
        (
            "N.java",
            "class N { B a() { var b = new PINNER; b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\"); return get(b); } }"
        ), ("A.kt", "val release = !DEBUG\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val n = a && !c\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "fun f(b: B) { if (!enabled) return\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\") }"),
        ("A.kt", "fun f(b: B) { while (x) break\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\") }"),
        ("A.kt", "val c = this@App.name\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val p = PINNER.apply { if (x) return@apply\nadd(HERE, \"OWN\")\nadd(HERE, \"OTHER\") }"),
        ("A.kt", "@Suppress(\"x\") val c = f(1)\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val l: MutableList<Map<A, B?>>\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val l = c as List<String>\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "var c: String?\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "if (x) y++\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val b: B? = x()\nb!!.add(HERE, \"OWN\")\nb!!.add(HERE, \"OTHER\")"),
        ("A.kt", "val b: B? = x()\na.b?.add(HERE, \"OWN\")\na.b?.add(HERE, \"OTHER\")"),
        ("A.kt", "val p = a to c\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val p = a() to c.d\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val p = a as C\nb.add(HERE, \"OWN\")\nb.add(HERE, \"OTHER\")"),
        ("A.kt", "val a = x { (k, v) -> b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\") }"),
        (
            "N.java",
            "class N { void a() { final CertificatePinner.Builder b = new PINNER.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\"); } }"
        ),
        (
            "N.java",
            "class N { void a() { switch (x) { case \"a\", B: b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\"); } } }"
        ),
        ("N.java", "class N { void a() { switch (x) { case A.B: b.add(HERE, \"OWN\"); b.add(HERE, \"OTHER\"); } } }"),
        ("N.java", "class N { void a() {\nb.add(HERE, \"OWN\");\nb.add(HERE, \"OTHER\"); } }"),
        ("N.java", "class N { void a() { x(c -> { c.add(HERE, \"OWN\"); c.add(HERE, \"OTHER\"); }); } }"),
    ]) func pinsOfCallsThatFollowEachOtherAreAddedUp(name: String, text: String) throws {
        let source = try PinnerSource(text, in: name)
        #expect(Set(source.pins["v.example.com"] ?? []) == [first, second])
        #expect(source.notes.filter { $0.contains("put together") } == [])
    }
}
