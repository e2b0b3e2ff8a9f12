import Pinning
import Testing

@testable import PinChecking

@Suite struct ExpectedStatusTests {
    @Test(arguments: [
        ("200", [200], [199, 201, 100, 599]), ("2xx", [200, 204, 299], [199, 300]), ("5XX", [500, 599], [499, 600]),
        ("200-204", [200, 202, 204], [199, 205]), ("2xx-3xx", [200, 300, 399], [199, 400]),
        ("204-3xx", [204, 399], [203, 400]), ("2xx-404", [200, 404], [405]), ("200-200", [200], [201]),
        ("200,304", [200, 304], [201, 303]), ("200,3xx,404", [200, 302, 404], [403]), ("1xx", [101], [200]),
    ]) func aTextAllowsWhatItNames(text: String, allowed: [Int], others: [Int]) throws {
        let expected = try ExpectedStatus(text)
        #expect(allowed.filter { !expected.includes($0) }.isEmpty)
        #expect(others.filter { expected.includes($0) }.isEmpty)
        #expect(expected.texts == text.lowercased().split(separator: ",").map(String.init))
    }

    @Test func everyStatusIsOfItsClassAlone() throws {
        let classes = try (1...5).map { try ExpectedStatus("\($0)xx") }
        for status in 100...599 { #expect(classes.map { $0.includes(status) } == (1...5).map { $0 == status / 100 }) }
    }

    @Test(arguments: [
        "", "2", "20", "2xx,", "2x5", "x00", "300-200", "200-", "-", "600", "099", "200 ", "２xx", "2000", "xxx", "6xx",
        "0xx", "-200", "4xx-2xx", "200-300-400", "200 204", "OK", "+20", "2xx\u{301}", "200,,204",
    ]) func aTextThatIsNoStatusIsRefused(text: String) {
        let error = #expect(throws: Problem.self) { try ExpectedStatus("200,\(text)") }
        #expect(error?.description.contains("is not an HTTP status: write 204") == true)
    }
}
