import Testing
import TLSProbe

@testable import PinChecking

/// What is known of an unfinished document.
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
        ] as [([(String, String)], String?)]) func onlyAStrongTagOfWhatIsNotEncodedCounts(
            fields: [(String, String)], tag: String?
        )
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
