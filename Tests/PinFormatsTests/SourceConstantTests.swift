import Pinning
import Testing

@testable import PinFormats

/// Hosts and pins that a source has in constants.
@Suite struct SourceConstantTests {
    @Test(arguments: [
        "object Config { const val H = HERE; const val P = \"OWN\" }\nval a = PINNER.add(Config.H, Config.P)",
        "class A { val a = PINNER.add(Companion.H, A.P); companion object { const val H = HERE; const val P = \"OWN\" } }",
        "class A { companion object Pins { const val P = \"OWN\" } }\nval a = PINNER.add(HERE, A.Pins.P)",
        "object Dev { const val P = \"OTHER\" }\nobject Prod { const val P = \"OWN\" }\nval a = PINNER.add(HERE, Prod.P)",
        "object A { object B { val P: String = \"OWN\" } }\nobject C { var B = x() }\nval a = PINNER.add(HERE, \"${A.B.P}\")",
        "interface Config { companion object { const val P = \"OWN\" } }\nfun a(P: String) = PINNER.add(HERE, Config.P)",
        "const val X = \"sha256/\"\nconst val P = X + \"OWN64\"\nval a = PINNER.add(HERE, P)",
        "object C { const val X = \"sha256\"; const val P = \"$X/OWN64\" }\nval a = PINNER.add(HERE, C.P)",
        "object C { const val X = \"sha256/\" }\nobject D { const val P = C.X +\n\"OWN64\" }\nval a = PINNER.add(HERE, D.P)",
        "const val D = \"example.com\"\nconst val H = \"v.$D\"\nval a = PINNER.add(H, \"OWN\")",
        "val PINS = arrayOf(\"OWN\")\nval a = PINNER.add(HERE, *PINS)",
        "val PINS: Array<out String> = arrayOf<String>(\"OWN\",)\nval a = PINNER.add(HERE, pins = PINS)",
        "val PINS = listOf(\"OWN\")\nval a = PINNER.add(HERE, *PINS.toTypedArray())",
        "val PINS = listOf(\"OWN\").toTypedArray()\nval a = PINNER.add(pattern = HERE, pins = PINS)",
        "object C { val P = \"OWN\"; val PINS = setOf(P) }\nval a = PINNER.add(HERE, *C.PINS.toTypedArray())",
        "val a = PINNER.add(HERE, *listOf(\"OWN\").toTypedArray())",
    ]) func constantsOfTheFileAreFollowed(text: String) throws {
        let source = try PinnerSource(text.replacing("OWN64", with: first.base64))
        #expect(source.pins == ["v.example.com": [first]])
        #expect(source.notes == [])
    }

    @Test(arguments: [
        "class Net { static final String P = \"OWN\"; } class N { Object a = new PINNER.add(HERE, Net.P).build(); }",
        "interface Net { String P = \"OWN\"; } class N { Object a = new PINNER.add(HERE, Net.P).build(); }",
        "class N { private static final String X = \"sha256/\", Y = \"y\"; static final String P = X + \"OWN64\"; Object a = new PINNER.add(HERE, P).build(); }",
        "class N { private static final String[] PINS = {\"OWN\"}; Object a = new PINNER.add(HERE, PINS).build(); }",
        "class N { static final String PINS[] = new String[] {\"OWN\"}; Object a = new PINNER.add(HERE, N.PINS).build(); }",
        "class N { static final List<String> PINS = List.of(\"OWN\"); Object a = new PINNER.add(HERE, PINS.toArray(new String[0])).build(); }",
        "class N { static final List<String> PINS = Arrays.asList(\"OWN\"); Object a = new PINNER.add(HERE, PINS.toArray(String[]::new)).build(); }",
        "class N { Object a = new PINNER.add(HERE, new String[] {\"OWN\"}).build(); }",
    ]) func constantsOfAFileOfJavaAreFollowed(text: String) throws {
        for name in ["N.java", "N"] {
            let source = try PinnerSource(text.replacing("OWN64", with: first.base64), in: name)
            #expect(source.pins == ["v.example.com": [first]])
            #expect(source.notes == [])
        }
    }

    @Test func severalPinsOfOneListAreAllThere() throws {
        let source = try PinnerSource("val PINS = arrayOf(\"OWN\", \"OTHER\")\nval a = PINNER.add(HERE, *PINS)")
        #expect(source.pins == ["v.example.com": [first, second]])
    }

    @Test(arguments: [
        ("val a = PINNER.add(HERE, P)", "'P' is not in this file"),
        ("val a = PINNER.add(HERE, BuildConfig.PIN)", "'BuildConfig.PIN' is not in this file"),
        ("import com.example.P\nval a = PINNER.add(HERE, P)", "'P' is not in this file"),
        ("val a = PINNER.add(HERE, \"sha256/$P\")", "'P' is not in this file"),
        ("object C { const val X = \"OWN\" }\nval a = PINNER.add(HERE, C.P)", "'C.P' stands for what is not followed"),
        ("var P = \"OWN\"\nfun f() { P = x(); PINNER.add(HERE, P) }", "'P' is set more than once"),
        (
            "object C { var P = \"OWN\" }\nfun f() { C.P = x(); PINNER.add(HERE, C.P) }",
            "'C.P' stands for what is not followed"
        ), ("fun f(P: String) = PINNER.add(HERE, P)", "'P' stands for what is not followed"),
        ("val P = x()\nval a = PINNER.add(HERE, P)", "'P' stands for what is not followed"),
        ("val P = Q\nval Q = P\nval a = PINNER.add(HERE, P)", "'P' stands for what is not followed"),
        ("object C { val P get() = x() }\nval a = PINNER.add(HERE, C.P)", "'C.P' stands for what is not followed"),
        (
            "object C { val P = \"OWN\"\nget() = x() }\nval a = PINNER.add(HERE, C.P)",
            "'C.P' stands for what is not followed"
        ),
        (
            "object C { val P = \"OWN\" }\nobject B { object C { val P = \"OWN\" } }\nval a = PINNER.add(HERE, C.P)",
            "'C.P' stands for what is not followed"
        ),
        (
            "import com.example.C\nobject C { val P = \"OWN\" }\nval a = PINNER.add(HERE, C.P)",
            "'C.P' stands for what is not followed"
        ),
        (
            "object C { val P = \"OWN\"; get() = x() }\nval a = PINNER.add(HERE, C.P)",
            "'C.P' stands for what is not followed"
        ),
        (
            "object C { val P = \"OWN\"\n@JvmName(\"p\") inline get() = x() }\nval a = PINNER.add(HERE, C.P)",
            "'C.P' stands for what is not followed"
        ), ("val it = \"OWN\"\nval a = x { PINNER.add(HERE, it) }", "'it' stands for what is not followed"),
        ("val P = arrayOf(\"OWN\")\nfun f() { P[0] = x(); PINNER.add(HERE, *P) }", nil),
        ("val P = mutableListOf(\"OWN\")\nval a = PINNER.add(HERE, *P.toTypedArray())", nil),
        ("val P = listOf(\"OWN\") + x()\nval a = PINNER.add(HERE, *P.toTypedArray())", nil),
        ("val P = listOf(\"OWN\", x())\nval a = PINNER.add(HERE, *P.toTypedArray())", nil),
        ("val P = \"OWN\"\nval a = PINNER.add(HERE, P.x())", nil),
    ]) func whyANameIsNotFollowedIsSaid(text: String, why: String?) throws {
        let start = "a pin of v.example.com is not written out"
        let mistake = try PinnerSource.mistake(text).split(separator: ": ", maxSplits: 1).last
        if let why { #expect(mistake ?? "" == "\(start): \(why)") } else { #expect(mistake?.hasPrefix(start) == true) }
    }

    @Test(arguments: [
        ("A.kt", "l.add(1, \"sha256/foo\")"), ("A.kt", "val l = mutableListOf<String>(); l.add(i, \"OTHER\")"),
        ("A.kt", "fun f(l: MutableList<String>) { l.add(i, \"OTHER\") }"),
        ("N.java", "void a() { List<String> l = new ArrayList<>(); l.add(i, \"OTHER\"); }"),
        ("N.java", "void a(java.util.List<String> l) { l.add(0x1F, \"OTHER\"); }"),
    ]) func whatIsAddedToAListIsNoPin(name: String, text: String) throws {
        let pinner = name == "A.kt" ? "val a = PINNER" : "Object a = new PINNER"
        let source = try PinnerSource("class N {\n\(pinner).add(HERE, \"OWN\").build();\n\(text)\n}", in: name)
        #expect(source.pins == ["v.example.com": [first]])
        #expect(source.notes == [])
    }

    @Test(.timeLimit(.minutes(1))) func listsAndConstantsCostNoMoreThanTheyAreWorth() throws {
        let pins = Array(repeating: "\"OWN\"", count: 150).joined(separator: ",")
        let calls = String(repeating: ".add(HERE, *P)", count: 5_000)
        let list = try PinnerSource.mistake("val P = arrayOf(\(pins))\nval a = PINNER\(calls)")
        #expect(list == "2: a pin of v.example.com is not written out: 'P' stands for what is not followed")
        let doubled = (1...5_000).map { "val A\($0) = A\($0 - 1) + A\($0 - 1)\n" }.joined()
        let empty = try PinnerSource.mistake("val A0 = \"\"\n\(doubled)val a = PINNER.add(HERE, A5000)")
        #expect(empty == "5002: a pin of v.example.com is not written out: 'A5000' stands for what is not followed")
    }

    @Test func furtherNamesOfOneDeclarationOfJavaAreFollowed() throws {
        let source = try PinnerSource(
            """
            class N {
                private static final String P = "OWN", Q = "OTHER", R = Q;
                Object a = new PINNER.add(HERE, P, Q).add("w.example.com", R).add("x.example.com", N.Q).build();
            }
            """, in: "N.java")
        #expect(
            source.pins == ["v.example.com": [first, second], "w.example.com": [second], "x.example.com": [second]])
    }

    @Test(arguments: [
        (
            "A.kt",
            """
            class A { companion object { const val P = "OWN" }
            fun p() = PINNER.add(HERE, P).build() }
            class B { companion object { const val P = "OTHER"; fun p() = PINNER.add("w.example.com", P).build() } }
            """
        ),
        (
            "A.kt",
            """
            class A { private val p = "OWN"; val a = PINNER.add(HERE, p).build() }
            class B { private val p = "OTHER"; val a = PINNER.apply { add("w.example.com", p) }.build() }
            """
        ),
        (
            "N.java",
            """
            class A { static final String P = "OWN"; Object a = new PINNER.add(HERE, P).build();
            static class B { static final String P = "OTHER"; Object a = new PINNER.add("w.example.com", P).build(); } }
            """
        ),
    ]) func constantsOfSeveralTypesAreThoseOfTheTypeAround(name: String, text: String) throws {
        #expect(try PinnerSource(text, in: name).pins == ["v.example.com": [first], "w.example.com": [second]])
    }

    @Test(arguments: [
        "open class A { val P = \"OWN\" }\nclass B : A() { private val P = \"OTHER\"; val a = PINNER.add(HERE, P) }",
        "class A { companion object { const val P = \"OWN\" } }\nclass B { companion object { const val P = \"OTHER\" } }; val a = PINNER.add(HERE, P)",
        "class A { private val P = \"OWN\"; class B : C() { val a = PINNER.add(HERE, P) } }\nclass D { private val P = \"OTHER\" }",
        "class A { private val P = \"OWN\"; fun a() { val P = \"OTHER\"; PINNER.add(HERE, P) } }",
        "class A { private var P = \"OWN\"; val a = PINNER.add(HERE, P) }\nclass D { private val P = \"OTHER\" }",
        "class A { private val P = \"OWN\"; val o = object : D() { val a = PINNER.add(HERE, P) } }\nclass D { private val P = \"OTHER\" }",
    ]) func constantsOfSeveralTypesThatMayBeAnotherTypesAreAMistake(text: String) throws {
        #expect(
            try PinnerSource.failure(text).reason
                == "a pin of v.example.com is not written out: 'P' is set more than once")
    }
}
