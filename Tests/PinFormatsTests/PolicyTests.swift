import Base
import LoopbackLab
import Pinning
import Testing

@testable import PinFormats

/// Policy files: what is read, and what is said of those that are wrong.
@Suite struct PolicyTests {
    private func reading<Value>(_ text: String, _ body: (String) throws -> Value) throws -> Value {
        let files = try TemporaryDirectory()
        return try body(try files.write(text, to: "pins.json5"))
    }

    @Test func hostsHaveTheirOwnSettingsAndTheDefaultsForTheRest() throws {
        try reading(
            """
            {
              // JSON5
              version: 1,
              defaults: { client: 'okhttp', timeout: 2.5, sni: false },
              hosts: {
                "a.example.com": { client: ["curl", "dane"], pins: "sha256/x", andSystem: true, },
                "b.example.com:8443": { ports: [443, 8443] },
              },
            }
            """
        ) { path in
            let policy = try PolicyReader.policy(PinFile.load(path))
            try #require(policy.hosts.map(\.name) == ["a.example.com", "b.example.com:8443"])
            #expect(policy.hosts.map { $0.place.description } == ["\(path):6", "\(path):7"])
            let keys = policy.hosts.map { $0.settings.map(\.key) }
            #expect(
                keys == [["timeout", "sni", "client", "pins", "andSystem"], ["client", "timeout", "sni", "ports"]])
            let clients = policy.hosts.map { host in host.settings.first { $0.key == "client" }?.value }
            #expect(clients[0]?.elements?.compactMap(\.string) == ["curl", "dane"])
            #expect(clients[1]?.string == "okhttp" && clients[1]?.place == .line(4, of: path))
            #expect(try policy.hosts[0].pins().map(\.text) == ["sha256/x"])
            #expect(try policy.hosts[1].pins().isEmpty)
        }
    }

    @Test func pathsAreRelativeToThePolicyWhereSomethingIsThere() throws {
        let files = try TemporaryDirectory()
        try files.write("x", to: "a.pem")
        let path = try files.write("{ hosts: { 'a.example': { pins: ['a.pem', 'b.pem'] } } }", to: "pins.json5")
        let pins = try #require(PolicyReader.policy(PinFile.load(path)).hosts.first).pins()
        #expect(pins.map(\.text) == ["\(files.path)/a.pem", "b.pem"])
    }

    private static let mistakes = """
        { hosts: { 'a.example': { pin: ['x'] } } } | 1 | unknown-key | a host has no key 'pin'; did you mean 'pins'?
        { host: {} } | 1 | unknown-key | a policy has no key 'host'; did you mean 'hosts'?
        { hosts: { 'a.example': { port: 8443 } } } | 1 | unknown-key | a host has no key 'port'; write a list: ports
        { hosts: { 'a.example': { quux: 1 } } } | 1 | unknown-key | a host has no key 'quux'; known are pins,
        { version: 2, hosts: { 'a.example': {} } } | 1 | wrong-value | 'version' is 2, and this pincheck reads version 1
        { defaults: {} } |  | missing-value | has no 'hosts'; list them as in
        { hosts: {} } | 1 | no-hosts | 'hosts' has no host; name at least one
        { hosts: [] } | 1 | wrong-value | 'hosts' is not a dictionary
        { hosts: { 'a.example': {}, 'a.example': {} } } | 1 | duplicate | the key 'a.example' is given twice
        { hosts: { 'a.example': {}  | 1 | broken-document | is not JSON
        <?xml version='1.0'?><plist/> |  | broken-document | is not a policy: a policy is JSON5 with hosts
        -----BEGIN CERTIFICATE----- |  | broken-document | is not a policy: a policy is JSON5 with hosts
        """

    @Test(arguments: table(mistakes)) func aMistakeIsAnErrorWithItsPlace(row: [String]) throws {
        try reading(row[0]) { path in
            let error = try #require(throws: Problem.self) {
                for host in try PolicyReader.policy(PinFile.load(path)).hosts {
                    if let problem = host.problem { throw problem }
                }
            }
            #expect(error.id?.word == row[2])
            #expect("\(error.place ?? .option)" == (row[1].isEmpty ? path : "\(path):\(row[1])"))
            #expect(error.description.contains(row[3]), "\(error)")
        }
    }

    @Test func aPolicyInYAMLIsNamedForWhatItIs() throws {
        let files = try TemporaryDirectory()
        let path = try files.write("hosts:\n  a.example:\n", to: "pins.yaml")
        let error = #expect(throws: Problem.self) { try PolicyReader.policy(PinFile.load(path)) }
        #expect(error?.reason == "is YAML, which is not read")
    }

    @Test func aPolicyTakesNoPinsFromAnotherOneWhenItIsReadAsPins() throws {
        let files = try TemporaryDirectory()
        let path = try files.write("{ hosts: { 'a.example': { pins: 'pins.json5' } } }", to: "pins.json5")
        let error = #expect(throws: Problem.self) { try PinSource(path).read() }
        #expect(error?.id == .otherKind)
    }

    @Test func aPolicyAsASourceOfPinsHasThoseOfItsHostsAndOfTheConfigurationsItNames() throws {
        let pin = "sha256/czqAStwt/WEayHj5xhyjazo6zfxAgFz9fdWVOwMOx0c="
        let files = try TemporaryDirectory()
        try files.write("*.example.org \(pin)\n", to: "okhttp.txt")
        let path = try files.write("{ hosts: { 'a.example': { pins: ['\(pin)', 'okhttp.txt'] } } }", to: "pins.json5")
        let reading = try PinSource(path).read()
        #expect(Set(reading.configurations.map(\.kind)) == [.policy, .okHttp])
        let own = try #require(reading.configurations.first { $0.kind == .policy })
        #expect(own.entries.map { $0.pins.map(\.spkiSHA256.description) } == [[pin]])
        #expect(own.entries.first?.pins.first?.origin == "\(path):1")
    }
}

struct ThresholdTests {
    @Test(
        arguments: [
            ("30d", .seconds(2_592_000), "30d"), ("12h", .seconds(43_200), "12h"), ("2w", .seconds(1_209_600), "14d"),
            ("24h", .seconds(86_400), "1d"), ("0d", .seconds(0), "0d"), ("33%", .percent(33), "33%"),
            ("0%", .percent(0), "0%"), ("100%", .percent(100), "100%"),
        ] as [(String, Threshold, String)]) func readsAndWrites(text: String, expected: Threshold, written: String)
        throws
    {
        #expect(try Threshold(text) == expected)
        #expect(expected.description == written)
    }

    @Test(arguments: [
        "", "d", "30", "-1d", "+3d", "3.5d", "30 d", "101%", "1y", "6m", "30D", "1234567d", "३d", "%", "1dd",
    ]) func refusesAnythingElse(text: String) {
        let error = #expect(throws: Problem.self) { try Threshold(text) }
        #expect(error?.description.contains("is not a threshold: write ") == true)
        #expect(error?.description.contains("'\(text)'") == true)
    }

    @Test func aBareNumberIsToldItsUnit() {
        #expect(
            #expect(throws: Problem.self) { try Threshold("30") }?.description
                == "'30' is not a threshold: write 30d for days, or 33% of the lifetime")
    }

    @Test(
        arguments: [
            ("30d", 60, false), ("30d", 30, false), ("30d", 29, true), ("30d", -1, true), ("0d", 0, false),
            ("0d", -1, true), ("33%", 33, false), ("33%", 32, true), ("100%", 100, false), ("100%", 99, true),
        ] as [(String, Int64, Bool)]) func isReachedBelow(text: String, daysLeft: Int64, isReached: Bool) throws
    {
        let start = Timestamp(secondsSinceEpoch: 1_000_000)
        let end = start.advanced(bySeconds: 100 * 86_400)
        let time = end.advanced(bySeconds: -daysLeft * 86_400)
        #expect(try Threshold(text).isReached(at: time, from: start, to: end) == isReached)
    }

    @Test func extremesDoNotOverflow() throws {
        let first = Timestamp(secondsSinceEpoch: .min)
        let last = Timestamp(secondsSinceEpoch: .max)
        #expect(try !Threshold("100%").isReached(at: first, from: first, to: last))
        #expect(try Threshold("50%").isReached(at: last, from: first, to: last))
        #expect(try !Threshold("999999w").isReached(at: first, from: first, to: last))
        #expect(try Threshold("1d").isReached(at: last, from: first, to: first))
    }
}
