import Foundation
import LoopbackLab
import PinFormats
import Pinning
import Testing
import X509

@Suite struct LogListTests {
    private static let log = try! LabLog()

    private func list(
        state: String? = #""usable": { "timestamp": "2026-01-31T00:00:00Z" }"#, identifier: [UInt8] = Self.log.id,
        key: String = Data(Self.log.key.publicKeyInfo).base64EncodedString(), kind: String = "logs"
    ) -> String {
        let state = state.map { #", "state": { \#($0) }"# } ?? ""
        return """
            {
              "log_list_timestamp": "2026-11-20T08:00:00Z",
              "operators": [{
                "name": "Lab", "email": [],
                "\(kind)": [{
                  "description": "Lab 2026h2",
                  "log_id": "\(Data(identifier).base64EncodedString())",
                  "key": "\(key)"\(state)
                }]
              }]
            }
            """
    }

    private func read(_ text: String) throws(PinFormatError) -> TransparencyLogs {
        try LogListReader.list(Array(text.utf8), named: "logs.json")
    }

    @Test(arguments: ["logs", "tiled_logs"]) func aListSaysWhichLogsThereAreAndOfWhen(kind: String) throws {
        let read = try read(list(kind: kind))
        #expect(read.date == Timestamp(secondsSinceEpoch: 1_795_161_600))
        let log = try #require(read.logs[Hashing.sha256(Self.log.key.publicKeyInfo)])
        #expect(log.name == "Lab 2026h2" && log.key == Self.log.key.publicKeyInfo)
        #expect(log.state == .usable(since: Timestamp(secondsSinceEpoch: 1_769_817_600)))
    }

    @Test(arguments: [
        ("usable", 10, true), ("usable", 30, false), ("qualified", 10, true), ("qualified", 30, false),
        ("readonly", 10, true), ("retired", 10, false), ("retired", 16, true), ("retired", 30, true),
        ("pending", 10, false), ("rejected", 10, false), ("of another kind", 10, false),
    ]) func theStateSaysWhoseTimestampsCount(state: String, day: Int, counts: Bool) throws {
        let date = "2026-01-\(day)T00:00:00Z"
        let log = try #require(try read(list(state: #""\#(state)": { "timestamp": "\#(date)" }"#)).logs.values.first)
        // Of the 15th, judged on the 20th.
        let seconds: Int64 = 1_768_435_200
        let timestamp = SignedCertificateTimestamp(
            source: .certificate, logID: Hashing.sha256(log.key), milliseconds: UInt64(seconds) * 1_000, extensions: [],
            hashAlgorithm: 4, signatureAlgorithm: 3, signature: [1])
        #expect(log.counts(timestamp, at: Timestamp(secondsSinceEpoch: seconds + 5 * 86_400)) == counts)
    }

    @Test func aLogWithoutAStateCountsForNothing() throws {
        #expect(try read(list(state: nil)).logs.values.map(\.state) == [.unusable])
    }

    @Test func whatIsWrongIsNamedWithItsPlace() {
        let cases: [(text: String, words: String)] = [
            ("", "logs.json:1: is not JSON"), ("{ \"operators\": [", "logs.json:1: is not JSON"),
            ("{}", "logs.json:1: has no 'operators'"), ("[]", "logs.json:1: has no 'operators'"),
            ("{ \"operators\": [] }", "logs.json:1: 'operators' has no log"),
            ("{\n\"operators\": {} }", "logs.json:2: 'operators' is not an array"),
            (list(key: "AAAA"), "logs.json:7: 'operators[0].logs[0].log_id' is not the SHA-256"),
            (list(key: "A"), "logs.json:8: 'operators[0].logs[0].key' is not Base64"),
            (list(identifier: [1, 2, 3]), "logs.json:7: 'operators[0].logs[0].log_id' is not the SHA-256"),
            (list(state: #""usable": {}"#), "logs.json:8: 'operators[0].logs[0].state.usable' has no 'timestamp'"),
            (
                list(state: #""usable": { "timestamp": "soon" }"#),
                "logs.json:8: 'operators[0].logs[0].state.usable.timestamp' is not a time"
            ),
        ]
        for (text, words) in cases {
            #expect("\(words)…") { _ = try read(text) } throws: { error in
                let error = error as? PinFormatError
                return error?.kind == .malformed && error?.description.hasPrefix(words) == true
            }
        }
    }

    @Test func aFileThatIsNotThereIsMissing() {
        #expect { _ = try LogListReader.list(at: "/nonexistent/logs.json") } throws: { error in
            (error as? PinFormatError)?.kind == .missing
        }
    }
}
