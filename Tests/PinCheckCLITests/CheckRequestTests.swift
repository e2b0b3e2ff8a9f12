import LoopbackLab
import PinFormats
import Pinning
import TLSProbe
import Testing

@testable import PinCheckCLI
@testable import PinChecking

@Suite(.endsSomeTime) struct CheckRequestTests {
    private static let commands: [(command: Command, required: [String])] = [
        (.check, []), (.verify, ["chain.pem"]), (.pins, []), (.snapshot, []), (.diff, ["old.json"]),
    ]

    /// Options of the request that are no key of a policy, set to something else than they are without; `DIR` is a directory.
    private static let flags = [
        "--header Host:a.example", "--connect-to ::192.0.2.1:", "--resolve *:443:192.0.2.1", "--no-sni", "-6",
        "--jobs 2", "--groups P-256", "--ciphers TLS_AES_128_GCM_SHA256", "--sigalgs rsa_pss_rsae_sha256", "--no-proxy",
        "--pinnedpubkey sha256//\(pin.dropFirst(7))", "--at 2027-03-01", "--addresses DIR/addresses.txt",
    ]

    /// The options that are about the call and say nothing of what is asked of servers.
    private static let others: Set = [
        "--help", "--version", "--targets", "--policy", "--baseline", "--allow", "--update", "--next", "--state",
        "--format", "--output", "--explain", "--quiet", "--color", "--position", "--save", "--from", "--recommend",
        "--verbose",
    ]

    private static let pin = "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    private static let context = Context.lab()

    private func request(_ command: Command, _ arguments: [String]) throws -> CheckRequest {
        try Arguments([command.name] + arguments).settings().connectingRequest(in: Self.context)
    }

    private func request(_ arguments: [String]) throws -> CheckRequest { try request(.check, arguments) }

    /// The request of a policy's only host on its only port, below that of the flags.
    private func request(policy: String, defaults: String = "", _ arguments: [String] = []) throws -> CheckRequest {
        let flags = try request(arguments)
        let files = try TemporaryDirectory()
        let path = try files.write(
            "{ defaults: { \(defaults) }, hosts: { 'a.example': { \(policy) } } }", to: "pins.json5")
        let hosts = try PolicyHosts([path], in: Self.context)
        try BadEntries.refuse(hosts.bad)
        let targets = try hosts.targets(named: [], flags)
        return try #require(targets.count == 1 ? targets[0].get().request : nil)
    }

    private static func writeClient(to files: TemporaryDirectory) throws {
        let client = try pki.interA.issue(.leaf("client.example.com"))
        try files.write(client.pem, to: "client.pem")
        try files.write(try client.key.privateKeyPEM(), to: "client.key")
        try files.write(try client.pem + client.key.privateKeyPEM(), to: "both.pem")
    }

    @Test func everyFlagOfTheTableChangesTheRequest() throws {
        let files = try TemporaryDirectory()
        try Self.writeClient(to: files)
        try files.write("192.0.2.1\n", to: "addresses.txt")
        let requested = Dictionary(
            uniqueKeysWithValues: (Self.flags + Self.keys.values.map(\.flags)).map { flags in
                (String(flags.prefix { $0 != " " && $0 != "=" }), flags)
            })
        var seen: Set<String> = []
        for (command, required) in Self.commands {
            let name = command.name
            let ordinary = try request(command, required)
            #expect(ordinary == CheckRequest(), "\(name)")
            for (number, option) in command.options.map(\.flag).enumerated() where !Self.others.contains(option) {
                // Commands share groups of options, which they pass on as a whole: some of each group are enough.
                if seen.contains(option), number % 3 > 0 { continue }
                // `pins` has a flag of the same name for another thing.
                if name == "pins", option == "--key" { continue }
                let line = try #require(requested[option], "'\(name)' has \(option), and no test sets it")
                let words = line.replacing("DIR", with: files.path).split(separator: " ").map(String.init)
                #expect(try request(command, required + words) != ordinary, "\(name) \(option)")
                seen.insert(option)
            }
        }
        #expect(seen == Set(requested.keys), "\(Set(requested.keys).subtracting(seen))")
    }

    private static let keys: [String: (value: String, flags: String)] = [
        "pins": ("['\(pin)']", "--pins \(pin)"),
        "client": ("['okhttp', 'trustkit:no-enforce']", "--client okhttp,trustkit:no-enforce"),
        "mode": ("'certificate'", "--mode certificate"),
        "allowInvalidCertificates": ("true", "--allow-invalid-certificates"),
        "validatesDomainName": ("false", "--no-validate-domain-name"),
        "anchors": ("'/nonexistent/ca.pem'", "--anchors /nonexistent/ca.pem"), "andSystem": ("true", "--and-system"),
        "extraRoots": ("['/nonexistent/a', '/b']", "--extra-root=/nonexistent/a --extra-root=/b"),
        "intermediates": ("['/nonexistent/a']", "--intermediate=/nonexistent/a"),
        "device": ("['ios-17', 'android-9']", "--device ios-17,android-9"),
        "deviceData": ("'/nonexistent/devices.json'", "--device-data /nonexistent/devices.json"),
        "ports": ("[8443]", "--port 8443"),
        "connect": ("['192.0.2.1', '[2001:db8::1]:8443']", "--connect=192.0.2.1 --connect=[2001:db8::1]:8443"),
        "sni": ("'b.example'", "--sni b.example"), "verifyName": ("'b.example'", "--verify-name b.example"),
        "host": ("'b.example'", "--host b.example"), "ipVersion": ("4", "-4"),
        "warnBefore": ("'30d'", "--warn-before 30d"), "failBefore": ("'33%'", "--fail-before 33%"),
        "minPinLife": ("'12h'", "--min-pin-life 12h"), "timeout": ("2.5", "--timeout 2.5"),
        "ignore": ("'private-root'", "--ignore private-root"), "retries": ("3", "--retries 3"),
        "minTLS": ("'1.3'", "--min-tls 1.3"), "maxTLS": ("1.2", "--max-tls 1.2"),
        "alpn": ("['h2', 'http/1.1']", "--alpn h2,http/1.1"),
        "proxy": ("'http://u:p@proxy.example:3128'", "--proxy http://u:p@proxy.example:3128"),
        "request": ("'/health'", "--request /health"), "expectStatus": ("[204, '3xx']", "--expect-status 204,3xx"),
        "allAddresses": ("true", "--all-addresses"), "keyTypes": ("['rsa', 'ecdsa']", "--key-types rsa,ecdsa"),
        "thorough": ("true", "--thorough"), "httpdns": ("'tencent'", "--httpdns tencent"),
        "doh": ("'https://dns.example/resolve'", "--doh https://dns.example/resolve"),
        "failOn": ("'warn'", "--fail-on warn"), "cert": ("'DIR/both.pem'", "--cert DIR/both.pem"),
        "key": ("'DIR/client.key', cert: 'DIR/client.pem'", "--key DIR/client.key --cert DIR/client.pem"),
    ]

    @Test(arguments: [
        ("allAddresses: true", "allAddresses: false"), ("thorough: true", "thorough: false"),
        ("keyTypes: 'rsa'", "keyTypes: false"), ("httpdns: 'tencent'", "httpdns: false"),
        ("doh: 'https://dns.example/resolve'", "doh: false"), ("failOn: 'warn'", "failOn: false"),
        ("cert: '/nonexistent/c.pem', key: '/nonexistent/k'", "cert: false, key: false"),
        ("doh: 'https://dns.example/resolve'", "doh: false, httpdns: false"),
    ]) func falseInAHostTakesBackADefault(defaults: String, own: String) throws {
        #expect(try request(policy: own, defaults: defaults) == CheckRequest())
    }

    @Test(arguments: [
        ("keyTypes: []", "is an empty list"), ("allAddresses: 'yes'", "is not true or false"),
        ("failOn: 'error'", "write --fail-on warn"),
        ("doh: 'https://dns.example/', httpdns: 'tencent'", "each say where the host is"),
        ("doh: 'https://dns.example/', connect: '192.0.2.1'", "each say where the host is"),
        ("key: '/nonexistent/k'", "needs the certificate that goes with it: give 'cert' FILE"),
        ("cert: '/nonexistent/c.pem'", "c.pem"),
    ]) func aKeyThatCannotHoldIsRefusedAtItsPlace(policy: String, words: String) throws {
        let problem = #expect(throws: Problem.self) { try request(policy: policy) }
        #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
        #expect(problem?.description.contains("pins.json5") == true, "\(problem?.description ?? "")")
    }

    @Test func aServiceOfTheFlagsDoesNotPassOverAnAddressOfThePolicy() throws {
        let problem = #expect(throws: Problem.self) {
            try request(policy: "connect: '192.0.2.1'", ["--httpdns", "tencent"])
        }
        #expect(problem?.description.contains("has 'connect'") == true)
    }

    @Test(arguments: PolicyReader.keys) func aKeyOfAPolicyAsksForWhatItsFlagAsksFor(key: String) throws {
        let (value, line) = try #require(Self.keys[key], "no test sets it")
        let files = try TemporaryDirectory()
        try Self.writeClient(to: files)
        let flags = line.replacing("DIR", with: files.path).split(separator: " ").map(String.init)
        var fromPolicy = try request(policy: "\(key): \(value.replacing("DIR", with: files.path))")
        var fromFlags = try request(flags)
        #expect(fromPolicy != CheckRequest())
        guard !flags.contains("--cert") else {
            // Two identities of the same files are not equal.
            #expect(fromPolicy.connection.clientIdentity != nil && fromFlags.connection.clientIdentity != nil)
            (fromPolicy.connection.clientIdentity, fromFlags.connection.clientIdentity) = (nil, nil)
            #expect(fromPolicy == fromFlags)
            return
        }
        // An address of a policy is its host's; one of the command line is for all targets.
        if key == "connect" { fromPolicy.connection.addresses.isOfOneTarget.toggle() }
        #expect(fromPolicy == fromFlags)
        // Once more by flag, it makes no difference.
        #expect(try request(flags).merged(over: fromPolicy) == fromFlags)
    }

    private static let words = [
        "connect=192.0.2.1", "sni=b.example", "no-sni", "host=b.example", "verify-name=b.example", "pins=\(pin)",
        "client=okhttp,curl", "device=ios-17", "request=/health", "expect-status=2xx", "no-proxy",
        "proxy=http://192.0.2.1:3128",
    ]

    @Test func aWordOfALineAsksForWhatItsFlagAsksFor() throws {
        for word in Self.words {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            let option = try #require(Option.ofLists.first { $0.word == parts[0] })
            var context = Self.context
            context.readStandardInput = { "a.example \(word)\n".bytes }
            var list = try TargetList("-", in: context)
            let entry = list.next()
            var line = try #require(entry).get().request
            if word.hasPrefix("connect") { line.connection.addresses.isOfOneTarget.toggle() }
            #expect(line == (try request([option.flag] + parts.dropFirst())), "\(word)")
        }
        #expect(Set(Self.words.map { String($0.prefix { $0 != "=" }) }) == Set(Option.ofLists.map(\.word)))
    }

    @Test func noServerNameInAPolicyIsNoSNI() throws {
        #expect(try request(policy: "sni: false") == request(["--no-sni"]))
        #expect(try request(policy: "sni: false", ["--sni", "c.example"]) == request(["--sni", "c.example"]))
    }

    @Test(arguments: [
        ("timeout: 5", ["--timeout", "2"]), ("minTLS: '1.0', maxTLS: '1.1'", ["--min-tls", "1.2", "--max-tls", "1.3"]),
        ("sni: 'b.example'", ["--no-sni"]), ("host: 'b.example'", ["--header", "Host: c.example"]),
        ("ipVersion: '6'", ["-4"]), ("ports: [8443, 9443]", ["--port", "444"]),
        ("connect: '192.0.2.1'", ["--connect", "192.0.2.2"]),
        // Anchors of the command line are all that is trusted.
        ("anchors: '/nonexistent/ca.pem', andSystem: true", ["--anchors", "ca.pem"]),
    ]) func flagsGoBeforeThePolicy(policy: String, flags: [String]) throws {
        #expect(try request(policy: policy, flags) == request(flags))
    }

    @Test func whatFlagsLeaveOpenThePolicySays() throws {
        let merged = try request(
            policy: "anchors: '/nonexistent/ca.pem', connect: '192.0.2.1', pins: '\(Self.pin)'",
            ["--and-system", "--resolve", "b.example:443:192.0.2.2"])
        #expect(merged.judging.trust == .init(anchors: ["/nonexistent/ca.pem"], includesSystem: true))
        #expect(merged.connection.addresses.all.map(\.onlyForHost) == [nil, .dns("b.example")])
        #expect(merged.connection.addresses.isOfOneTarget)
    }

    @Test func anAddressOfALineMakesUpForAllAddressesOfTheFlags() throws {
        let flags = try request(["--connect", "192.0.2.1", "--resolve", "a.example:443:192.0.2.2"])
        var line = CheckRequest()
        line.connection.addresses.given = try ConnectAddress.readAny("192.0.2.3")
        line.connection.addresses.isOfOneTarget = true
        #expect(line.merged(over: flags) == line)
        #expect(CheckRequest().merged(over: flags) == flags)
        #expect(flags.merged(over: CheckRequest()) == flags)
    }
}
