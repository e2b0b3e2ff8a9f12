import PinCheckCLI
import LoopbackLab
import Testing
import Base

/// What a request is read as: the place, the question, and the time there is.
@Suite struct RequestReadingTests {
    @Test(arguments: [
        ("/probe", "/probe", []), ("/probe?", "/probe", []), ("/probe?target=a", "/probe", ["target", "a"]),
        ("/probe?target=a&module=b", "/probe", ["target", "a", "module", "b"]),
        // As Go's url.Values writes them.
        ("/probe?target=%5B2001%3Adb8%3A%3A1%5D%3A443", "/probe", ["target", "[2001:db8::1]:443"]),
        ("/probe?target=a+b%20c", "/probe", ["target", "a b c"]),
        ("/probe?target=%E4%BE%8B.example", "/probe", ["target", "例.example"]),
        ("/probe?target=a=b", "/probe", ["target", "a=b"]), ("/probe?&&target=&", "/probe", ["target", ""]),
        ("/probe?target", "/probe", ["target", ""]), ("/probe?target=a?b", "/probe", ["target", "a?b"]),
        ("/probe?target=%00%0a", "/probe", ["target", "\u{0}\n"]),
        // A URL of this server, which RFC 9112 (3.2.2) asks servers to take.
        ("http://127.0.0.1:9719/probe?target=a", "/probe", ["target", "a"]),
        ("HTTP://exporter/metrics", "/metrics", []),
        // A path is compared as it is.
        ("/%70robe", "/%70robe", []), ("//probe", "//probe", []),
    ]) func aPlaceIsAPathWithParameters(text: String, path: String, parameters: [String]) throws {
        let place = try RequestPlace(text)
        #expect(place.path == path)
        #expect(place.parameters.flatMap { [$0.name, $0.value] } == parameters)
    }

    @Test(arguments: [
        ("", RequestProblem.noPath), ("probe", .noPath), ("*", .noPath), ("http://host", .noPath),
        ("ftp://host/probe", .noPath), ("/probe?target=a#b", .noPath), ("/probe?target=%", .badEscape),
        ("/probe?target=%4", .badEscape), ("/probe?target=%zz", .badEscape), ("/probe?%+1=a", .badEscape),
        ("/probe?target=%ff", .notText), ("/probe?%c3=a", .notText),
        // An overlong form of a slash, and half of a pair.
        ("/probe?target=%c0%af", .notText), ("/probe?target=%ed%a0%80", .notText),
        ("/probe?" + String(repeating: "a=b&", count: 17), .tooMany(limit: 16)),
        ("/probe?target=" + String(repeating: "a", count: 4_096), .tooLong(limit: 4_096)),
    ]) func whatIsNoPlaceIsRefused(text: String, problem: RequestProblem) {
        #expect(throws: problem) { try RequestPlace(text) }
    }

    @Test(
        arguments: [
            ("/probe?target=a", "a", nil), ("/probe?module=b&target=a", "a", "b"),
            ("/probe?module=&target=a", "a", nil),
        ] as [(String, String, String?)]) func aQuestionHasATargetAndPerhapsAModule(
            text: String, target: String, module: String?
        ) throws
    {
        let question = try ProbeQuestion(RequestPlace(text))
        #expect(question.target == target && question.module == module)
    }

    @Test(arguments: [
        ("/probe", RequestProblem.missing("target")), ("/probe?target=", .missing("target")),
        ("/probe?target=a&target=a", .repeated("target")), ("/probe?target=a&module=b&module=", .repeated("module")),
        // Misspelt, the target would be judged by another module.
        ("/probe?target=a&modul=b", .unknown("modul")), ("/probe?Target=a", .unknown("Target")),
    ]) func whatIsNoQuestionIsRefused(text: String, problem: RequestProblem) throws {
        let place = try RequestPlace(text)
        #expect(throws: problem) { try ProbeQuestion(place) }
    }

    @Test(
        arguments: [
            ("10", .milliseconds(9_500)), ("10.000000", .milliseconds(9_500)), ("1", .milliseconds(750)),
            ("0.4", .milliseconds(300)), ("0.0001", .milliseconds(1)), ("1e1", .milliseconds(9_500)),
            ("1e300", .milliseconds(86_399_500)),
        ] as [(String, Duration)]) func aScrapeLeavesTimeForTheWayBack(text: String, time: Duration) throws
    { #expect(try ScrapeTimeout.read([text]) == time) }

    @Test(arguments: [[""], ["-1"], ["0"], ["nan"], ["inf"], ["0x10"], ["10s"], ["1e999"], [" 1"], ["1", "1"], ["١"]])
    func whatIsNoTimeIsRefused(values: [String]) {
        #expect(throws: RequestProblem.noTime) { try ScrapeTimeout.read(values) }
    }

    @Test func aScrapeThatSaysNoTimeHasNoLimit() throws { #expect(try ScrapeTimeout.read([]) == nil) }

    /// Whatever comes is a question of bounded size or a problem that is one line.
    @Test(arguments: Seeds.sample(4)) func bytesOfAnySortAreReadOrRefused(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "/probe?", "target=", "module=", "&", "%", "%4", "%41", "%00", "%ff", "+", "=", "?", "#", "\r\n", "例", "//",
        ]
        for _ in 0..<500 {
            var text = Bool.random(using: &generator) ? "/probe?" : ""
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                text +=
                    Bool.random(using: &generator)
                    ? pieces.randomElement(using: &generator) ?? ""
                    : String(decoding: [UInt8.random(in: 0...255, using: &generator)], as: UTF8.self)
            }
            do throws(RequestProblem) {
                let place = try RequestPlace(text)
                #expect(place.path.utf8.first == 0x2F && !place.path.utf8.contains(0x3F), "\(text.debugDescription)")
                let length = place.parameters.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
                // What is decoded is no longer than what was written, but for what was no UTF-8 before.
                #expect(length <= text.utf8.count, "\(text.debugDescription)")
                let question = try ProbeQuestion(place)
                #expect(!question.target.isEmpty)
            } catch {
                let isOneLine = !error.message.description.contains { $0.isNewline }
                #expect(isOneLine, "\(text.debugDescription)")
            }
            _ = try? ScrapeTimeout.read([text])
        }
    }
}
