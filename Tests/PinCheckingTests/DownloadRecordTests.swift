import Testing
import TLSProbe

@testable import PinChecking

/// What is known of an unfinished document.
@Suite struct DownloadRecordTests {
    private func head(_ fields: [(String, String)]) -> TransferHead {
        TransferHead(status: 200, fields: fields.compactMap { HTTPField($0.0, $0.1) })
    }

    @Test func aRecordIsReadAsItWasWritten() {
        let record = DownloadRecord(
            url: "https://dl.example.com/a?b=c", entityTag: "\"v 1\"", lastModified: "Sun, 22 Nov 2026 10:00:00 GMT",
            total: 80_000, acceptance: "00ff")
        #expect(DownloadRecord(bytes: record.bytes) == record)
        let least = DownloadRecord(url: "https://dl.example.com/")
        #expect(DownloadRecord(bytes: least.bytes) == least && least.validator == nil)
    }

    @Test(arguments: [
        "", "pincheck download 1\n", "pincheck download 2\nurl https://a.example/\n", "url https://a.example/\n",
        "pincheck download 1\nurl ftp://a.example/\n", "pincheck download 1\nurl\n",
        "pincheck download 1\nurl https://a.example/\netag\n", "\u{0}", "<html>",
    ]) func anythingElseIsNoRecord(text: String) { #expect(DownloadRecord(bytes: Array(text.utf8)) == nil) }

    @Test func aRecordThatWasTamperedWithSendsNoLineOfItsOwn() throws {
        let text =
            "pincheck download 1\nurl https://a.example/\netag \"a\r\nCookie: b\"\nlast-modified a\tb\nlength -1\n"
        let record = DownloadRecord(bytes: Array(text.utf8))
        #expect(record.map { $0.validator == nil && $0.total == nil } ?? true)
        #expect(DownloadRecord(bytes: [0xFF] + Array("pincheck download 1\n".utf8)) == nil)
    }

    @Test(
        arguments: [
            ([("ETag", "\"a\"")], "\"a\""), ([("ETag", "W/\"a\"")], nil), ([("ETag", "a")], nil),
            ([("ETag", "\"")], nil), ([("ETag", "\"a\""), ("etag", "\"b\"")], nil), ([("Last-Modified", "x")], nil),
            ([("Last-Modified", "x"), ("Date", "x")], nil), ([("Last-Modified", "x"), ("Date", "y")], "x"),
            ([("ETag", "W/\"a\""), ("Last-Modified", "x"), ("Date", "y")], "x"), ([], nil),
            ([("ETag", "\"a\""), ("Content-Encoding", "gzip")], nil),
            ([("ETag", "\"a\""), ("Content-Encoding", "identity")], "\"a\""),
        ] as [([(String, String)], String?)]) func onlyWhatTellsADocumentFromAnotherIsAValidator(
            fields: [(String, String)], validator: String?
        )
    { #expect(DownloadRecord(head(fields), url: "https://a.example/", acceptance: nil).validator == validator) }

    @Test func aDocumentIsTheSameOnlyWhereItSaysSo() {
        let tagged = DownloadRecord(url: "https://a.example/", entityTag: "\"a\"")
        #expect(tagged.isOf(head([("ETag", "\"a\"")])) && !tagged.isOf(head([])))
        #expect(!tagged.isOf(head([("ETag", "\"b\"")])))
        #expect(!tagged.isOf(head([("ETag", "\"a\""), ("etag", "\"a\"")])))
        let dated = DownloadRecord(url: "https://a.example/", lastModified: "x")
        #expect(dated.isOf(head([("Last-Modified", "x")])) && !dated.isOf(head([("ETag", "\"x\"")])))
    }
}
