import LoopbackLab
import Pinning
import Testing

@testable import PinFormats

/// Which pins a source gives a host, and which it is not certain to give.
@Suite struct OkHttpSourceTests {
    private func pins(_ text: String, in name: String = "A.kt") throws -> [String: [SHA256Digest]] {
        let source = try PinnerSource(text, in: name)
        #expect(source.notes.isEmpty)
        return source.pins
    }

    private func error(_ text: String, in name: String = "A.kt") throws -> PinFormatError {
        try PinnerSource.failure(text, in: name)
    }

    // MARK: Names

    @Test(arguments: [
        #"object W { const val p = "OTHER" }; object A { val p = BuildConfig.P; val a = PINNER.add("v.example.com", p) }"#,
        #"class Pins(p: String) { val a = PINNER.add("v.example.com", p) }; val b = run { val p = "OTHER"; p }"#,
        #"fun a() { val p = "OTHER" }; fun b(p: String) = PINNER.add("v.example.com", p)"#,
        #"fun a(p: String = "OTHER") = PINNER.add("v.example.com", p)"#,
        #"class A(val p: String = "OTHER") { val a = PINNER.add("v.example.com", p) }"#,
        #"var p = "OTHER"; fun f() { p = env(); PINNER.add("v.example.com", p) }"#,
        #"var p = "OTHER"; fun f() { p += "x"; PINNER.add("v.example.com", p) }"#,
        #"val p = "OTHER"; all.forEach { p -> PINNER.add("v.example.com", p) }"#,
        #"val p = "OTHER"; all.forEach { (h, p) -> PINNER.add("v.example.com", p) }"#,
        #"val p = "OTHER"; for (p in all) PINNER.add("v.example.com", p)"#,
        #"val p = "OTHER"; fun f() { val (h, p) = pair(); PINNER.add("v.example.com", p) }"#,
        #"import com.example.p; object W { val p = "OTHER" }; val a = PINNER.add("v.example.com", p)"#,
        #"object W { val p = "OTHER" }; object A { val a = PINNER.add("v.example.com", p) }"#,
        "val p = \"OTHER\"\n  get() = field.drop(1)\nval a = PINNER.add(\"v.example.com\", p)",
        #"object W { val p = "OTHER" }; object A { val p by lazy { f() }; val a = PINNER.add("v.example.com", p) }"#,
    ]) func aNameThatMayStandForSomethingElseIsAMistake(text: String) throws {
        let error = try error(text)
        #expect(error.problem == .wrongValue)
        #expect(error.reason.hasPrefix("a pin of v.example.com is not written out: 'p"), "\(error)")
    }

    @Test(arguments: [
        #"class N { P p(String e) { String p = "OTHER"; if (e.isEmpty()) p = N.P; return new PINNER.add("v.example.com", p); } }"#,
        #"class N { void a(String p) { new PINNER.add("v.example.com", p); } void b() { String p = "OTHER"; } }"#,
        #"class N { void a() { for (String p : all) new PINNER.add("v.example.com", p); } void b() { String p = "OTHER"; } }"#,
        #"class N { String p = "OTHER"; void a() { all.forEach(p -> new PINNER.add("v.example.com", p)); } }"#,
        #"class N { String p = "OTHER"; void a() { all.forEach((h, p) -> new PINNER.add("v.example.com", p)); } }"#,
        #"class N { final String p; void a() { new PINNER.add("v.example.com", p); } } class M { String p = "OTHER"; }"#,
        #"interface M { String p = "OTHER"; } class N { void a() { new PINNER.add("v.example.com", p); } }"#,
    ]) func aNameOfJavaThatMayStandForSomethingElseIsAMistake(text: String) throws {
        #expect(try error(text, in: "N.java").reason.hasPrefix("a pin of v.example.com is not written out: 'p"))
    }

    @Test(arguments: [
        ("A.kt", #"object A { private const val P: String = "OWN"; val a = PINNER.add("v.example.com", P).build() }"#),
        (
            "A.kt",
            "private const val P = \"OWN\"\n@JvmField val H = \"v.example.com\"\nval a = PINNER.add(H, P).build()"
        ),
        (
            "A.kt",
            #"class A { val a = PINNER.add(H, P); companion object { const val H = "v.example.com"; const val P = "OWN" } }"#
        ), ("A.kt", #"val P = "OWN"; val a = PINNER.add("v.example.com", "$P").build()"#),
        ("A.kt", #"val D = "example.com"; val a = PINNER.add("v.${D}", ("OWN")).build()"#),
        (
            "A.kt",
            #"fun a() { val h = "v.example.com"; PINNER.add(h, "OWN") }; fun b() { val h = "v.example.com"; log(h) }"#
        ),
        (
            "N.java",
            #"class N { static final String P = "OWN"; Object a = new PINNER.add("v.example.com", P).build(); }"#
        ),
        (
            "N.java",
            #"class N { static final String H = "v.example.com", X = "x"; Object a = new PINNER.add(H, "OWN").build(); }"#
        ), ("N.java", #"class N { Object a = new PINNER.add("v.example.com", "OWN").build(); String d = "${x"; }"#),
        ("N", #"class N { static final String P = "OWN"; Object a = new PINNER.add("v.example.com", P).build(); }"#),
    ]) func aNameThatIsSetOnceIsItsText(name: String, text: String) throws {
        #expect(try pins(text, in: name) == ["v.example.com": [first]])
    }

    // MARK: Calls

    @Test(arguments: [
        #"PINNER.add("w.example.com", "OTHER").add("v.example.com", "${BuildConfig.PIN}").build()"#,
        #"PINNER.add("w.example.com", "OTHER").add(Config.HOST, Config.PIN).build()"#,
        #"PINNER.add("w.example.com", "OTHER").add(host, pin).build()"#,
        #"PINNER.add("w.example.com", "OTHER").add("v.example.com", "OWN", backup).build()"#,
        #"PINNER.add("w.example.com", "OTHER").add("localhost", pin).build()"#,
        #"PINNER.add("w.example.com", "OTHER").add(pattern = HOST, pins = arrayOf("OWN")).build()"#,
        #"PINNER.add("w.example.com", "OTHER").add(pattern = "v.example.com", pins = pins).build()"#,
        #"PINNER.add("w.example.com", "OTHER").add("v.example.com", *arrayOf("OWN", pin)).build()"#,
        #"PINNER.add("w.example.com", "OTHER").add("v.example.com", "sha256\u002F").build()"#,
        #"PINNER.add("w.example.com", "OTHER").apply { all.forEach { (host, pin) -> add(host, pin) } }.build()"#,
        #"PINNER.add("w.example.com", "OTHER").apply { if (x) this.add(host, pin) }.build()"#,
        #"PINNER.add("w.example.com", "OTHER").also { it.add(host, pin) }.build()"#,
        #"PINNER.add("w.example.com", "OTHER").also { b -> b.add(host, pin) }.build()"#,
        #"with(PINNER) { add("w.example.com", "OTHER"); add(host, pin); build() }"#,
        #"all.fold(PINNER.add("w.example.com", "OTHER")) { b, x -> b.add(x.host, x.pin) }.build()"#,
        #"val b = PINNER; b.add("w.example.com", "OTHER"); b.add(host, pin); b.build()"#,
        #"val b = PINNER.add("w.example.com", "OTHER"); all.forEach { b.add(it.host, it.pin) }"#,
        #"class A { val b = PINNER.add("w.example.com", "OTHER"); init { this.b.add(host, pin) } }"#,
        #"fun a(b: CertificatePinner.Builder) { b.add("w.example.com", "OTHER"); b.add(host, pin) }"#,
        #"fun a() = PINNER.add("w.example.com", "OTHER"); fun b() = a().add(host, pin).build()"#,
        #"fun CertificatePinner.Builder.all() = apply { add("w.example.com", "OTHER"); add(host, pin) }"#,
        #"fun CertificatePinner.Builder.all(): Any { add("w.example.com", "OTHER"); add(host, pin) }"#,
        #"import okhttp3.CertificatePinner as P; P.Builder().add("w.example.com", "OTHER").add(host, pin)"#,
        #"import okhttp3.CertificatePinner.Builder; Builder().add("w.example.com", "OTHER").add(host, pin)"#,
        #"PINNER.add("w.example.com", "OTHER").addAll(pins).build()"#,
        #"PINNER.add("w.example.com", "OTHER").apply(block).build()"#,
        #"val b = PINNER.add("w.example.com", "OTHER"); all.forEach(b::add)"#,
        #"Pinner.Builder().add("w.example.com", "OTHER").build()"#,
        #"PINNER.add("w.example.com", "OTHER").add("v.example.com", "OWN".also { list.add("x") }).build()"#,
        #"PINNER.add("w.example.com", "OTHER").add("v.example.com", "OWN" "#,
        "PINNER.add(\"w.example.com\", \"OTHER\").build() /* .add(\"v.example.com\", \"OWN\")",
        "PINNER.add(\"w.example.com\", \"OTHER\").build(); val t = \"\"\"\n .add(\"v.example.com\", \"OWN\")",
        "PINNER.add(\"w.example.com\", \"OTHER\").build(); val t = \" .add('v.example.com', OWN)\n",
    ]) func whatAPinnerIsGivenAndIsNotWrittenOutIsAMistake(text: String) throws {
        #expect(try error(text).problem == .wrongValue)
    }

    @Test func aPinThatIsNotWrittenOutMattersToItsHostAlone() throws {
        let text = PinnerSource.filled("PINNER.add(HERE, \"OWN\").add(\"*.example.net\", \"OTHER\", pin(c)).build()")
        try TemporaryDirectory.scoped { directory in
            let source = PinSource(try directory.write(text, to: "A.kt"), skipsBadPins: true)
            let reading = try source.read(defersHosts: true)
            #expect(reading.configurations.flatMap(\.entries).map(\.hosts?.name) == ["v.example.com"])
            #expect(reading.unreadHosts.map(\.hosts.description) == ["*.example.net"])
            #expect(reading.unreadHosts.map(\.error.reason) == ["a pin of *.example.net is not written out"])
            // Whoever asks for no host in particular needs all of them.
            #expect(throws: PinFormatError.self) { try source.read() }
        }
    }

    @Test func aHostWhosePinsAreAllSkippedIsUnread() throws {
        let text = PinnerSource.filled(
            "PINNER.add(HERE, \"sha256/AAAA\").add(\"w.example.com\", \"sha256/A\").add(\"w.example.com\", \"OWN\").build()"
        )
        try TemporaryDirectory.scoped { directory in
            let source = PinSource(try directory.write(text, to: "A.kt"), skipsBadPins: true)
            let reading = try source.read(defersHosts: true)
            #expect(reading.configurations.flatMap(\.entries).map(\.hosts?.name) == ["w.example.com"])
            #expect(reading.unreadHosts.map(\.hosts.description) == ["v.example.com"])
        }
    }

    @Test(arguments: [
        "import okhttp3.CertificatePinner.*\nfun f(b: Builder) { b.add(\"w.example.com\", \"OWN\"); b.add(HERE, C.PIN) }",
        "fun make(): PB { val b = create(); b.add(\"w.example.com\", \"OWN\"); b.add(HERE, C.PIN); return b }",
        "fun l() { val b = mutableListOf<String>(); b.add(\"OWN\") }\nfun f() { val b = make(); b.add(HERE, C.PIN) }",
        "val b = x(\"OWN\"); listOf(\"OWN\").forEach { b?.add(HERE, it) }",
        "val b = x(\"OWN\"); for (pin in C.ALL) b.add(HERE, pin)",
    ]) func aComputedPinIsSeenWhereNoBuilderIsBegun(text: String) throws {
        #expect(try error(text).reason.hasPrefix("a pin of v.example.com is not written out"))
    }

    @Test func aHostThatIsNotWrittenOutIsSaidToBeIt() throws {
        let text =
            "val b = PINNER; listOf(\"v.example.com\", \"w.example.com\").forEach { b.add(it, \"OWN\", \"OTHER\") }"
        #expect(try error(text).reason.hasPrefix("the host of this add(…) is not written out"))
    }

    /// Lists of the same name elsewhere, and the order of functions, hide no pinner.
    @Test(arguments: [
        (
            "fun l() { val b = mutableListOf<String>(); b.add(\"1.2.3.4\") }\nfun f() { val b = make(); b.add(HERE, \"OTHER\") }",
            [second]
        ), ("fun f(b: B) { b.add(HERE, \"OTHER\") }\nfun l() { val b: List<String> = x() }", [second]),
    ]) func aListOfTheSameNameHidesNoPinner(text: String, pins: [SHA256Digest]) throws {
        #expect(try self.pins("val c = CertificatePinner.Builder()\n\(text)") == ["v.example.com": pins])
    }

    @Test(arguments: [
        "fun dev(f: F) { val b = f.create(); b.add(HERE, Pins.DEV) }\nfun prod() = PINNER.add(HERE, \"OWN\")",
        "fun prod() = PINNER.add(HERE, \"OWN\")\nfun dev(f: F) { val b = f.create(); b.add(HERE, Pins.DEV) }",
    ]) func anotherPinnerIsSeenWhereverItStands(text: String) throws {
        #expect(try error(text).reason.hasPrefix("a pin of v.example.com is not written out"))
    }

    @Test(arguments: [
        #"class N { void a() { CertificatePinner.Builder b = new PINNER; b.add("w.example.com", "OTHER"); b.add(host, pin); } }"#,
        #"class N { void a(CertificatePinner.Builder b) { b.add("w.example.com", "OTHER"); b.add(host, pin); } }"#,
        #"class N { void a() { new okhttp3.PINNER.add("w.example.com", "OTHER").add(host, pin).build(); } }"#,
    ]) func whatAPinnerOfJavaIsGivenIsWrittenOut(text: String) throws {
        #expect(try error(text, in: "N.java").problem == .wrongValue)
    }

    @Test(arguments: [
        #"PINNER.add(pattern = "v.example.com", pins = arrayOf("OWN")).add("w.example.com", "OTHER").build()"#,
        #"PINNER.add(pins = arrayOf("OWN"), pattern = "v.example.com").add("w.example.com", *arrayOf("OTHER")).build()"#,
        #"val c = OkHttpClient.Builder().certificatePinner(PINNER.add("v.example.com", "OWN").add("w.example.com", "OTHER").build()).addInterceptor(i).build()"#,
        #"PINNER.apply { add("v.example.com", "OWN") }.also { it.add("w.example.com", "OTHER") }.build()"#,
        #"with(PINNER) { add("v.example.com", "OWN").add("w.example.com", "OTHER").build() }"#,
        #"val b = PINNER; try { b.add("v.example.com", "OWN") } finally { x() }; b.add("w.example.com", "OTHER"); val p = b.build(); p.check(h, c)"#,
        #"val list = mutableListOf<Any>(); val p = PINNER.add("v.example.com", "OWN").add("w.example.com", "OTHER").build(); list.add(p); list.add(0, q)"#,
        #"fun `it's "so"`() { PINNER.add("v.example.com", "OWN").add("w.example.com", "OTHER") }"#,
        "fun a() { \"${f(\n\"x\")}\"; PINNER.add(\"v.example.com\", \"OWN\").add(\"w.example.com\", \"OTHER\") }",
        #"val a = $$"${"; PINNER.add("v.example.com", "OWN").add("w.example.com", "OTHER")"#,
    ]) func whatIsWrittenOutIsRead(text: String) throws {
        #expect(try pins(text) == ["v.example.com": [first], "w.example.com": [second]])
    }

    @Test(arguments: [
        #"fun a(m: String) = FormBody.Builder().add("user.mail", m).build()"#,
        #"fun a(v: String) = Headers.Builder().add("X-App.Version", v).build()"#,
        #"fun a(v: String) = Headers.Builder().add("X-A", "b").apply { add("X-App.Version", v) }.build()"#,
        #"fun a(v: String) { val b = Headers.Builder(); b.add("X-App.Version", v) }"#,
        #"fun a(v: String, b: FormBody.Builder) = b.add("user.mail", v).encode()"#,
        #"fun a() { val b = OkHttpClient.Builder(); b.connectTimeout(x) }; fun c() { val b = PINNER; b.build() }"#,
    ]) func callsOfAnotherBuilderAddNoPin(text: String) throws {
        let pinner = #"val p = PINNER.add("v.example.com", "OWN").build()"#
        #expect(try pins("\(pinner)\n\(text)") == ["v.example.com": [first]])
        #expect(try pins("\(text)\n\(pinner)") == ["v.example.com": [first]])
    }

    @Test func quotationMarksInATextBlockOfJavaAreEscaped() throws {
        let text = """
            class N { String d = \"""
              say \\\""" ok
              \"""; Object p = new PINNER.add("v.example.com", "OWN").build();
             String e = "x"; Object o = b.add("w.example.com", "OTHER"); }
            """
        #expect(try pins(text, in: "N.java") == ["v.example.com": [first], "w.example.com": [second]])
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "{", "(", "a.", "a.add(", "\"${", "$", "\"$a", "{ a -> ", "for (a ", "val a = A.Builder(", "arrayOf(",
            "b.b", "(a, ", "val a = ", "if (a) ", "else ", "a ? b : ", "List.", "fun a(", "when { a -> ", "return ",
            "fun A.Builder.a() = ",
        ]) func nothingIsGoneThroughAgainAndAgain(part: String) throws
    {
        let start = #"PINNER.add("v.example.com", "OWN").add(h, p); "#
        let error = try error(start + String(repeating: part, count: 20_000))
        #expect(error.description.utf8.count < 2_000)
    }
}
