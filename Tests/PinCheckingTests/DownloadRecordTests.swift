import TLSProbe
import Testing

@testable import PinChecking

@Suite struct DownloadRecordTests {
    private func head(_ fields: [(String, String)]) -> HTTPResponse {
        HTTPResponse(status: 200, fields: fields.compactMap { HTTPField($0.0, $0.1) })
    }

    @Test func aRecordIsReadAsItWasWritten() {
        let record = DownloadRecord(
            url: "https://dl.example.com/a?b=c", entityTag: "\"v 1\"", total: 80_000, acceptance: "00ff")
        #expect(DownloadRecord(bytes: record.bytes) == record && record.isResumable)
        let least = DownloadRecord(url: "https://dl.example.com/")
        #expect(DownloadRecord(bytes: least.bytes) == least && !least.isResumable)
    }

    @Test(arguments: [
        "", "pincheck download 1\n", "pincheck download 2\nurl https://a.example/\n", "url https://a.example/\n",
        "pincheck download 1\nurl ftp://a.example/\n", "pincheck download 1\nurl\n",
        "pincheck download 1\nurl https://a.example/\netag\n", "\u{0}", "<html>",
    ]) func anythingElseIsNoRecord(text: String) { #expect(DownloadRecord(bytes: Array(text.utf8)) == nil) }

    @Test func aRecordThatWasTamperedWithSendsNoLineOfItsOwn() throws {
        let text = "pincheck download 1\nurl https://a.example/\netag \"a\r\nCookie: b\"\nlength -1\n"
        let record = DownloadRecord(bytes: Array(text.utf8))
        #expect(record.map { $0.entityTag == nil && $0.total == nil } ?? true)
        #expect(DownloadRecord(bytes: [0xFF] + Array("pincheck download 1\n".utf8)) == nil)
    }

    @Test(
        arguments: [
            ([("ETag", "\"a\"")], "\"a\""), ([("ETag", "W/\"a\"")], nil), ([("ETag", "a")], nil),
            ([("ETag", "\"")], nil), ([("ETag", "\"a\""), ("etag", "\"b\"")], nil), ([("Last-Modified", "x")], nil),
            ([], nil), ([("ETag", "\"a\""), ("Content-Encoding", "gzip")], nil),
            ([("ETag", "\"a\""), ("Content-Encoding", "identity"), ("content-encoding", "gzip")], nil),
            ([("ETag", "\"a\""), ("Content-Encoding", "identity")], "\"a\""),
        ] as [([(String, String)], String?)]) func onlyAStrongTagCounts(fields: [(String, String)], tag: String?)
    {
        let record = DownloadRecord(head(fields), url: "https://a.example/", acceptance: "00")
        #expect(record.entityTag == tag && record.isResumable == (tag != nil))
        #expect(!DownloadRecord(head(fields), url: "https://a.example/", acceptance: nil).isResumable)
    }

    @Test func aDocumentIsTheSameOnlyWhereItSaysSo() {
        let tagged = DownloadRecord(url: "https://a.example/", entityTag: "\"a\"")
        #expect(tagged.isOf(head([("ETag", "\"a\"")])) && !tagged.isOf(head([])))
        #expect(!tagged.isOf(head([("ETag", "\"b\"")])))
        #expect(!tagged.isOf(head([("ETag", "\"a\""), ("etag", "\"a\"")])))
    }
}

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
