import Pinning
import Testing

@Suite("Names are compared by each platform's rules") struct NameRulesTests {
    struct Row: Sendable {
        let names: [SubjectAlternativeName]
        var commonName: String?
        let host: String
        /// apple, android, okhttp, curl, browser.
        let matches: [Bool]
    }

    static let all = [true, true, true, true, true]
    static let none = [false, false, false, false, false]

    static func dns(_ pattern: String, _ host: String, _ matches: [Bool]) -> Row {
        Row(names: [.dns(pattern)], host: host, matches: matches)
    }

    static let rows: [Row] = [
        dns("api.example.com", "api.example.com", all), dns("API.Example.COM", "api.example.com", all),
        dns("api.example.com", "www.example.com", none), dns("*.example.com", "api.example.com", all),
        dns("*.example.com", "a_b.example.com", all), dns("a_b.example.com", "a_b.example.com", all),
        dns("*.example.com", "a.b.example.com", none), dns("*.example.com", "example.com", none),
        dns("a*.example.com", "api.example.com", none), dns("*", "localhost", none), dns("*.*.com", "a.b.com", none),
        dns("", "api.example.com", none), dns(".", "api.example.com", none), dns("*.", "api.example.com", none),
        dns("*.co.uk", "example.co.uk", [false, true, true, true, false]),
        dns("*.com", "example.com", [false, false, true, false, false]),
        dns("*.localhost", "a.localhost", [false, false, true, false, false]),
        dns("api.example.com.", "api.example.com", [false, true, true, true, false]),
        dns("*.example.com.", "api.example.com", [false, true, true, true, false]),
        dns("api.example.com..", "api.example.com", none), dns("10.0.0.1", "10.0.0.1", none),
        Row(names: [.ip([10, 0, 0, 1])], host: "10.0.0.1", matches: all),
        Row(names: [.ip([10, 0, 0, 2])], host: "10.0.0.1", matches: none),
        Row(
            names: [.ip([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1])], host: "10.0.0.1",
            matches: [false, false, true, false, false]),
        Row(names: [.ip([10, 0, 0, 1])], host: "::ffff:10.0.0.1", matches: [false, false, true, false, false]),
        Row(
            names: [], commonName: "api.example.com", host: "api.example.com",
            matches: [false, false, false, true, false]),
        Row(
            names: [], commonName: "*.example.com", host: "api.example.com",
            matches: [false, false, false, true, false]),
        Row(
            names: [.other(kind: "email", value: "a@b.c")], commonName: "api.example.com", host: "api.example.com",
            matches: [false, false, false, true, false]),
        Row(names: [.ip([10, 0, 0, 1])], commonName: "api.example.com", host: "api.example.com", matches: none),
        Row(names: [.dns("x.example.com")], commonName: "api.example.com", host: "api.example.com", matches: none),
        Row(names: [.other(kind: "URI", value: "api.example.com")], host: "api.example.com", matches: none),
    ]

    @Test(arguments: rows) func `a certificate is for a host as the table says`(_ row: Row) throws {
        let certificate = Described(names: row.names, commonName: row.commonName).certificate()
        let name = try ServerName(row.host)
        let rules: [NameRules] = [.apple, .android, .okHttp, .curl, .browser]
        let answers = rules.map { $0.matches(certificate, name) { ["co.uk", "com", "uk"].contains($0) } }
        #expect(answers == row.matches, "\(row.names) \(row.commonName ?? "") for \(row.host)")
    }
}
