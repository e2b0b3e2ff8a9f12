import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct ProxyTests {
    static let speeches: [ProxySettings.Speech] = [.http, .socks5]
    static let name = "api.example.com"
    private let address = IPAddress("203.0.113.7")!

    private func settings(_ speech: ProxySettings.Speech, _ change: (inout ProxySettings) -> Void = { _ in })
        -> ProxySettings
    { ProxySettings(speech, to: TLSServerSettings(presenting: served)).with(change) }

    private func proxy(_ settings: ProxySettings, at server: LoopbackServer, _ user: (String, String)? = nil) throws
        -> Proxy
    {
        let kind: Proxy.Kind = settings.speech == .socks5 ? .socks5h : settings.tls == nil ? .http : .https
        return try proxy(
            kind, at: server.port, user.flatMap { ProxyCredentials(user: $0.0.bytes, password: $0.1.bytes, for: kind) })
    }

    private func proxy(_ kind: Proxy.Kind, at port: UInt16, _ credentials: ProxyCredentials? = nil) throws -> Proxy {
        Proxy(kind, host: .ip(loopback), port: port, credentials: credentials, origin: "--proxy")
    }

    private func probe(
        through settings: ProxySettings, delivery: ServerBehavior.Delivery = .immediate,
        as user: (String, String)? = nil, to destination: ProbeRequest.Destination = .resolve(host: name),
        timeout: Duration = .seconds(60), judging objection: ServiceObjection? = nil
    ) async throws -> (result: Result<Handshake, ProbeError>, seen: ConnectionObservation) {
        try await LoopbackServer.serving(.proxy(settings, delivery: delivery)) { server in
            let request = ProbeRequest(
                to: destination, serverNameIndication: Self.name, proxy: try proxy(settings, at: server, user),
                timeout: timeout)
            let prober = Prober(judgingProxiesBy: objection)
            let found = await outcome(of: request, by: prober)
            await prober.shutdown()
            return (found, try #require(await server.connections(ended: 1).first, "\(found)"))
        }
    }

    private func failure(
        of settings: ProxySettings, delivery: ServerBehavior.Delivery = .immediate, as user: (String, String)? = nil,
        timeout: Duration = .seconds(60)
    ) async throws -> ProbeError {
        let result = try await probe(through: settings, delivery: delivery, as: user, timeout: timeout).result
        return try #require(result.failure, "\(result)")
    }

    private func open(_ speech: ProxySettings.Speech) -> [UInt8] {
        speech == .http ? "HTTP/1.1 200 OK\r\n\r\n".bytes : [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    }

    @Test(arguments: speeches) func theServerBehindAProxyIsSeen(speech: ProxySettings.Speech) async throws {
        let (result, seen) = try await probe(through: settings(speech))
        let served = try result.get()
        #expect(served.presented.encodings == [pki.leaf.der, pki.interA.der])
        #expect(served.peer == nil && served.proxy?.address.port != nil && served.proxy?.tls == nil)
        #expect(served.timings.resolve == nil || served.timings.proxy != nil)
        #expect(seen.proxiedPlaces == ["api.example.com:443"] && seen.serverName == Self.name)
    }

    @Test(arguments: speeches) func anAddressIsAskedForAsItIs(speech: ProxySettings.Speech) async throws {
        let (result, seen) = try await probe(through: settings(speech), to: .address(address))
        #expect(try result.get().peer == PeerAddress(ip: address, port: 443))
        #expect(seen.proxiedPlaces == ["203.0.113.7:443"])
    }

    @Test(arguments: speeches) func aUserIsLetThrough(speech: ProxySettings.Speech) async throws {
        let guarded = settings(speech) { $0.user = ("alice", "open: sesame") }
        #expect(try await probe(through: guarded, as: ("alice", "open: sesame")).result.failure == nil)
        #expect(try await failure(of: guarded, as: ("alice", "other")).reason == .proxy(.credentialsRefused))
        #expect(try await failure(of: guarded).reason == .proxy(.credentialsMissing))
    }

    @Test func aNameIsLookedUpHereForAProxyThatIsGivenAddresses() async throws {
        let settings = settings(.socks5)
        try await LoopbackServer.serving(.proxy(settings)) { server in
            let place = PeerAddress(ip: IPAddress("192.0.2.1")!, port: 1_080)
            let network = StagedNetwork(names: [Self.name: [address]], ports: [place: server.port], loopback: loopback)
            let prober = Prober(in: network)
            let request = ProbeRequest(
                to: .resolve(host: Self.name),
                proxy: Proxy(.socks5, host: .ip(place.ip), port: place.port, origin: "--proxy"))
            let result = try await prober.probe(request)
            #expect(result.peer == PeerAddress(ip: address, port: 443) && result.proxy?.address == place)
            #expect(server.connections.first?.proxiedPlaces == ["203.0.113.7:443"])
            var unknown = request
            unknown.destination = .resolve(host: "nowhere.example")
            let error = try #require(await outcome(of: unknown, by: prober).failure)
            #expect(error.phase == .resolve && error.reason == .nameNotFound)
            await prober.shutdown()
        }
    }

    @Test(arguments: speeches) func anAcceptedServerIsAskedThroughTheProxy(speech: ProxySettings.Speech) async throws {
        let answer = "HTTP/1.1 200 Fine\r\n\r\n".bytes
        for isProtected in [false, true] where speech == .http || !isProtected {
            let settings = settings(speech) {
                $0.server.application = .answers(answer)
                if isProtected { $0.tls = TLSServerSettings(presenting: [pki.leaf2]) }
            }
            try await LoopbackServer.serving(.proxy(settings)) { server in
                let request = ProbeRequest(to: .resolve(host: Self.name), proxy: try proxy(settings, at: server))
                let prober = Prober(judgingProxiesBy: { _, _ in nil })
                let asked = HTTPRequest(try HTTPPath("/"), host: .dns(Self.name), port: 443)
                let (_, _, answer) = try await prober.probe(request) { _ in ((), exchange: HTTPExchange(asked)) }
                #expect(try answer?.get().status == 200)
                await prober.shutdown()
            }
        }
    }

    @Test func aProxysOwnChainIsJudgedApart() async throws {
        let protected = settings(.http) { $0.tls = TLSServerSettings(presenting: [pki.rogue, pki.rogueI]) }
        let (result, seen) = try await probe(through: protected) { shown, name in
            shown.presented.leaf.der == pki.rogue.der && "\(name)" == "127.0.0.1" ? nil : ("it is another", nil)
        }
        let served = try result.get()
        #expect(served.presented.leaf.der == pki.leaf.der)
        #expect(served.proxy?.tls?.presented.leaf.der == pki.rogue.der && served.proxy?.tls?.facts.version == .tls13)
        #expect(seen.proxiedPlaces == ["api.example.com:443"])
        let (refused, other) = try await probe(through: protected) { _, _ in ("nobody knows it", "ask somebody") }
        #expect(refused.failure?.reason == .proxy(.untrusted("nobody knows it", remedy: "ask somebody")))
        #expect(other.proxiedPlaces.isEmpty && other.applicationOpening.isEmpty)
    }

    @Test func aProxyThatChangesKeysForEverIsLeftAndToldFromOneThatHangsUp() async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf2]).with { $0.application = .greets([], .renewsKeys) }
        try await LoopbackServer.serving(.tls(settings)) { server in
            let request = ProbeRequest(to: .resolve(host: Self.name), proxy: try proxy(.https, at: server.port))
            let prober = Prober(judgingProxiesBy: { _, _ in nil })
            let error = try #require(await outcome(of: request, by: prober).failure)
            #expect(error.reason == .proxy(.broken(TLSConnection.tooTalkative)))
            await prober.shutdown()
        }
    }

    @Test(arguments: speeches) func aSilentProxyIsToldFromASilentServer(speech: ProxySettings.Speech) async throws {
        let timeout = Duration.milliseconds(500)
        let silent = try await failure(of: settings(speech) { $0.answer = .silence(after: []) }, timeout: timeout)
        #expect(silent.phase == .proxy && silent.reason == .deadlineExceeded(timeout: timeout))
        #expect(silent.id == "proxy-timeout")
        let open = open(speech)
        let behind = try await failure(of: settings(speech) { $0.answer = .silence(after: open) }, timeout: timeout)
        #expect(behind.phase == .handshake && behind.id == "timeout")
        #expect("\(behind)".contains("through the proxy '"))
    }

    @Test(arguments: speeches) func aClosingProxyIsToldFromAClosingServer(speech: ProxySettings.Speech) async throws {
        let open = open(speech)
        let greeting = speech == .http ? 0 : 2
        for length in 0..<open.count {
            let settings = settings(speech) { $0.answer = .refusal(Array(open.prefix(length))) }
            let error = try await failure(of: settings)
            #expect(error.phase == .proxy && error.reason == .proxy(.closedEarly(received: greeting + length)))
            #expect(error.id == "proxy-closed")
        }
        let behind = try await failure(of: settings(speech) { $0.answer = .refusal(open) })
        #expect(behind.phase == .handshake && behind.reason == .closedEarly(received: 0))
    }

    @Test(arguments: speeches, [0, 1, 2, 3]) func proxyResets(speech: ProxySettings.Speech, bytes: Int) async throws {
        let error = try await failure(of: settings(speech), delivery: .resets(afterBytes: bytes))
        #expect(error.phase == .proxy, "\(error)")
    }

    static let answers: [(ProxySettings.Speech, String, String)] = [
        (.http, "HTTP/1.1 407 Auth\r\n\r\n", "proxy-authentication"),
        (.http, "HTTP/1.1 502 Bad Gateway\r\n\r\n", "proxy-refused"), (.http, "garbage\r\n\r\n", "proxy-protocol"),
        (.socks5, "\u{5}\u{1}\u{0}\u{1}", "proxy-refused"), (.socks5, "garbage", "proxy-protocol"),
    ]

    @Test(arguments: 0..<answers.count) func anAnswerThatIsNoWayThroughIsTheProxys(index: Int) async throws {
        let (speech, text, id) = Self.answers[index]
        for isClosing in [false, true] {
            let settings = settings(speech) {
                $0.answer = isClosing ? .refusal(text.bytes) : .silence(after: text.bytes)
            }
            let error = try await failure(of: settings)
            #expect(error.phase == .proxy && error.id == id, "\(error)")
        }
    }

    @Test(arguments: [ServerBehavior.garbage(), .ssh, .smtp, .tarpit, .closes, .resets, .plainHTTP])
    func whatIsNoProxyIsToldSo(behavior: ServerBehavior) async throws {
        try await LoopbackServer.serving(behavior) { server in
            for kind in Proxy.Kind.allCases {
                let proxy = try proxy(kind, at: server.port)
                let request = ProbeRequest(to: .address(address), proxy: proxy, timeout: .milliseconds(500))
                let error = try #require(await withProber { await outcome(of: request, by: $0) }.failure)
                #expect(error.phase == .proxy && error.id.hasPrefix("proxy-"), "\(error)")
                #expect("\(error)".contains("proxy '\(proxy.url)'"), "\(error)")
            }
        }
    }

    @Test func aProxyThatIsNotThereIsNotAServerThatIsNotThere() async throws {
        try await DeadPort.refusing { refusing in
            let request = ProbeRequest(to: .resolve(host: Self.name), proxy: try proxy(.http, at: refusing))
            let error = try #require(await withProber { await outcome(of: request, by: $0) }.failure)
            #expect(error.phase == .proxy && error.id == "proxy-unreachable")
            #expect(
                "\(error)".hasPrefix("cannot connect to the proxy 'http://127.0.0.1:\(refusing)': connection refused"))
        }
    }
}
