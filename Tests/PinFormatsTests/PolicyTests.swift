import LoopbackLab
@testable import PinFormats
import Pinning
import Testing

/// Policy files: what is read, and what is said of those that are wrong.
@Suite struct PolicyTests {
    private func reading<Value>(_ text: String, _ body: (String) throws -> Value) throws -> Value {
        try TemporaryDirectory.scoped { files in try body(try files.write(text, to: "pins.json5")) }
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
            let policy = try PolicyReader.policy(at: path)
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
        try TemporaryDirectory.scoped { files in
            try files.write("x", to: "a.pem")
            let path = try files.write("{ hosts: { 'a.example': { pins: ['a.pem', 'b.pem'] } } }", to: "pins.json5")
            let pins = try #require(PolicyReader.policy(at: path).hosts.first).pins()
            #expect(pins.map(\.text) == ["\(files.path)/a.pem", "b.pem"])
        }
    }

    @Test(arguments: [
        (
            "{ hosts: { 'a.example': { pin: ['x'] } } }", 1, "unknown-key",
            "a host has no key 'pin'; did you mean 'pins'?"
        ), ("{ host: {} }", 1, "unknown-key", "a policy has no key 'host'; did you mean 'hosts'?"),
        ("{ hosts: { 'a.example': { quux: 1 } } }", 1, "unknown-key", "a host has no key 'quux'; known are pins, "),
        (
            "{ version: 2, hosts: { 'a.example': {} } }", 1, "wrong-value",
            "'version' is 2, and this pincheck reads version 1"
        ), ("{ defaults: {} }", nil, "missing-value", "has no 'hosts'; list them as in "),
        ("{ hosts: {} }", 1, "no-hosts", "'hosts' has no host; name at least one"),
        ("{ hosts: [] }", 1, "wrong-value", "'hosts' is not a dictionary"),
        ("{ hosts: { 'a.example': {}, 'a.example': {} } }", 1, "duplicate", "the key 'a.example' is given twice"),
        ("{ hosts: { 'a.example': {} ", 1, "broken-document", "is not JSON"),
        ("<?xml version='1.0'?><plist/>", nil, "broken-document", "is not a policy: a policy is JSON5 with hosts"),
        ("-----BEGIN CERTIFICATE-----", nil, "broken-document", "is not a policy: a policy is JSON5 with hosts"),
    ]) func aMistakeIsAnErrorWithItsPlace(text: String, line: Int?, problem: String, message: String) throws {
        try reading(text) { path in
            let error = #expect(throws: PinFormatError.self) { try PolicyReader.policy(at: path) }
            #expect(error?.problem.rawValue == problem)
            let place = line.map { "\(path):\($0)" } ?? path
            #expect(error?.place.description == place)
            #expect(error?.description.contains(message) == true, "\(String(describing: error))")
        }
    }

    @Test func aPolicyTakesNoPinsFromAnotherOneWhenItIsReadAsPins() throws {
        try TemporaryDirectory.scoped { files in
            let path = try files.write("{ hosts: { 'a.example': { pins: 'pins.json5' } } }", to: "pins.json5")
            let error = #expect(throws: PinFormatError.self) { try PinSource(path).read() }
            #expect(error?.problem == .otherKind)
        }
    }

    @Test func aPolicyAsASourceOfPinsHasThoseOfItsHostsAndOfTheConfigurationsItNames() throws {
        let pin = "sha256/czqAStwt/WEayHj5xhyjazo6zfxAgFz9fdWVOwMOx0c="
        try TemporaryDirectory.scoped { files in
            try files.write("*.example.org \(pin)\n", to: "okhttp.txt")
            let path = try files.write(
                "{ hosts: { 'a.example': { pins: ['\(pin)', 'okhttp.txt'] } } }", to: "pins.json5")
            let reading = try PinSource(path).read()
            #expect(Set(reading.configurations.map(\.kind)) == [.policy, .okHttp])
            let own = try #require(reading.configurations.first { $0.kind == .policy })
            #expect(own.entries.map { $0.pins.map(\.spkiSHA256.description) } == [[pin]])
            #expect(own.entries.first?.pins.first?.origin == "\(path):1")
        }
    }
}
