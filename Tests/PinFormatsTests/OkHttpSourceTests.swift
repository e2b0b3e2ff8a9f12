import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinFormats

/// What is read of Kotlin and Java with OkHttp's pinner: one chain with everything written out, or nothing.
@Suite(.timeLimit(.minutes(5))) struct OkHttpSourceTests {
    private static let rows: [(name: String, expected: String, text: String)] = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "pinners.txt")
        let table = try? String(contentsOf: path, encoding: .utf8)
        return (table ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return (fields[0], fields[1], unescaped(fields[2]))
        }
    }()

    private static func unescaped(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.popFirst() else {
                result.append(character)
                continue
            }
            result += ["n": "\n", "r": "\r", "t": "\t"][next] ?? String(next)
        }
        return filled(result)
    }

    private static func filled(_ text: String) -> String {
        text.replacing("OWN64", with: first.base64).replacing("OTHER64", with: second.base64).replacing(
            "OWN", with: "sha256/\(first.base64)"
        ).replacing("OTHER", with: "sha256/\(second.base64)").replacing("PINNER", with: "CertificatePinner.Builder()")
            .replacing("HERE", with: "\"v.example.com\"")
    }

    /// As the table has it: each host with its pins, or the line of what is wrong.
    private static func told(_ outcome: Result<PinReading, Problem>) -> String {
        switch outcome {
        case .success(let reading):
            let hosts = reading.configurations.flatMap(\.entries).map { entry in
                let pins = entry.pins.map { $0.spkiSHA256 == first ? "OWN" : "OTHER" }
                return "\(entry.hosts?.description ?? "")=\(pins.joined(separator: ","))"
            }
            return (hosts + reading.pins.map { _ in "a pin for any host" }).joined(separator: " ")
        case .failure(let error): if case .line(let line, _) = error.place { return "\(line)" } else { return "0" }
        }
    }

    @Test func everySourceIsReadWholeOrRefusedAtItsLine() throws {
        #expect(Self.rows.count > 500)
        let files = try TemporaryDirectory()
        for row in Self.rows {
            let path = try files.write(row.text, to: row.name)
            #expect(Self.told(outcome(path)) == row.expected, "\(row.name): \(row.text)")
            #expect(PinSource(path).inspect().problems.isEmpty == (Int(row.expected) == nil))
        }
    }

    /// Whatever a file is made of, each of its texts that is a pin is among what is read, or nothing is.
    @Test(arguments: Seeds.sample(3)) func noPinOfASourceIsLost(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // What is in comments is no text of the source's, and cannot be told by a search.
        let texts = Self.rows.map(\.text).filter { !$0.contains("//") && !$0.contains("/*") }
        let read = Self.rows.filter { Int($0.expected) == nil }.map(\.text)
        let files = try TemporaryDirectory()
        for _ in 0..<400 {
            var text = try #require((Bool.random(using: &random) ? read : texts).randomElement(using: &random))
            if Bool.random(using: &random) { text += "\n" + (texts.randomElement(using: &random) ?? "") }
            let isDamaged = Bool.random(using: &random)
            let bytes = isDamaged ? text.bytes.damaged(most: 2, using: &random) : text.bytes
            let damaged = String(decoding: bytes, as: UTF8.self)
            guard !damaged.contains("//"), !damaged.contains("/*"), damaged.contains("CertificatePinner"),
                case .success(let reading) = outcome(try files.write(bytes, to: "A.kt"))
            else { continue }
            let pins = Set(
                reading.configurations.flatMap(\.entries).flatMap(\.pins).map { "sha256/\($0.spkiSHA256.base64)" })
            for match in damaged.matches(of: /"(sha256\/[^"\n]*)"/) {
                #expect(pins.contains(String(match.1)), "\(damaged)")
            }
        }
    }

    @Test func theLinesThatWereUnderstoodCanBePasted() throws {
        let text = Self.filled(
            """
            val pinner = PINNER
                .add(HERE, "OWN", "OTHER")
                .add("*.example.net", "OWN", BuildConfig.BACKUP)
                .add(host, "OTHER")
                .build()
            """)
        let error = try failure(ofFile: "A.kt", text)
        #expect("\(error.place ?? .option)".hasSuffix("A.kt:3"))
        #expect(error.reason == "an argument of this add(…) is not a literal text")
        #expect(error.advice?.hasSuffix("lines such as: host sha256/…") == true)
        #expect(error.lines == [Self.filled("# v.example.com OWN OTHER"), Self.filled("# *.example.net OWN")])
        let own = Self.filled("val p = listOf(\"OTHER\")\nval b = PINNER.add(HERE, \"OWN\").add(h, *p).build()")
        #expect(try failure(ofFile: "A.kt", own).lines == ["# v.example.com OWN", "# HOST OTHER"].map(Self.filled))
    }

    @Test func aPinOutsideOfATextIsRefused() throws {
        let text = Self.filled("val a = PINNER.add(HERE, \"OWN\").build()\nb.ad=\"d(HERE, \"OTHER\")\"\n")
        let error = try failure(ofFile: "A.kt", text)
        #expect("\(error.place ?? .option)".hasSuffix("A.kt:2"))
        #expect(error.reason == "a pin here does not belong to the pinner")
    }

    @Test func aLargeSourceIsRefused() throws {
        let comment = "/*" + String(repeating: " ", count: PinLines.mostBytes) + "*/"
        let error = try failure(
            ofFile: "Net.kt", Self.filled("val b = PINNER.add(HERE, \"OTHER\").build()\n\(comment)"))
        #expect(error.reason == "is a source of more than 1 MiB")
    }
}
