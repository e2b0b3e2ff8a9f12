import LoopbackLab
import Pinning
import Synchronization
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct AddressResolverTests {
    private let name = "api.example.com"

    private func response(_ body: String, status: String = "200 OK", headers: String = "") -> [UInt8] {
        "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".bytes
    }

    private func ask(_ behavior: ServerBehavior, family: AddressFamily = .ipv4, timeout: Duration = .seconds(20))
        async throws -> (result: Result<HostAddresses, ProbeError>, request: String)
    {
        try await LoopbackServer.serving(behavior) { server in
            let service = try AddressService(httpdns: "http://127.0.0.1:\(server.port)/d?dn={name}&ttl=1")
            let result = await resolve(service, family: family, timeout: timeout) { _, _ in ("never judged", nil) }
            let opening = try #require(await server.connections(ended: 1).first).opening
            return (result, String(decoding: opening, as: UTF8.self))
        }
    }

    private func resolve(
        _ service: AddressService, family: AddressFamily, timeout: Duration = .seconds(20),
        objection: @escaping ServiceObjection
    ) async -> Result<HostAddresses, ProbeError> {
        let prober = Prober()
        let resolver = AddressResolver(service, prober: prober, objection: objection)
        let result: Result<HostAddresses, ProbeError>
        do throws(ProbeError) {
            result = .success(try await resolver.addresses(of: name, family: family, timeout: timeout))
        } catch { result = .failure(error) }
        await prober.shutdown()
        return result
    }

    @Test func aServiceIsAskedOnceAndItsAddressesAreTaken() async throws {
        let (result, request) = try await ask(.script(response("192.0.2.2;192.0.2.1,60")))
        #expect(try result.get().addresses.map(\.description) == ["192.0.2.1", "192.0.2.2"])
        #expect(request.hasPrefix("GET /d?dn=api.example.com&ttl=1 HTTP/1.1\r\nHost: 127.0.0.1:"))
        #expect(request.hasSuffix("\r\n\r\n"))
    }

    @Test func anAnswerThatEndsWithTheConnectionIsTaken() async throws {
        let answer = "HTTP/1.1 200 OK\r\n\r\n192.0.2.1".bytes
        #expect(try await ask(.script(answer)).result.get().addresses.count == 1)
    }

    @Test(arguments: ["0", "2001:db8::1"]) func noAddressesAreNoFailureOfTheService(body: String) async throws {
        let (result, _) = try await ask(.script(response(body)))
        #expect(result.failure?.reason == .noAddress(.ipv4) && result.failure?.phase == .resolve)
    }

    @Test func anAddressOfThisMachineLeavesItsFamilyUnknown() async throws {
        for body in ["192.0.2.1;0.0.0.0", "192.0.2.1;::"] {
            let answer = try await ask(.script(response(body)), family: .any).result.get()
            #expect(answer.addresses.map(\.description) == ["192.0.2.1"])
            #expect(answer.others.values.map { $0?.id } == ["no-address"])
        }
        let (alone, _) = try await ask(.script(response("0.0.0.0")))
        #expect(alone.failure?.reason == .addressesFiltered)
    }

    @Test(arguments: [
        ("no", "200 OK", "", "its answer cannot be used: line 1: 2 characters that are not an address"),
        ("no", "404 Not Found", "", "it answers with HTTP status 404"),
        (
            "192.0.2.1", "302 Found", "Location: http://evil.example/\r\n",
            "it redirects to 'http://evil.example/', which"
        ), ("192.0.2.1", "301 Moved", "", "it redirects, which is not followed"),
        (
            #"{"host":"other.example","ips":["192.0.2.1"]}"#, "200 OK", "",
            "its answer is for another name, 'other.example'"
        ), (String(repeating: " ", count: 300_000), "200 OK", "", "its answer is larger than 256 KiB"),
    ]) func whatIsWrongWithAnAnswerIsSaid(body: String, status: String, headers: String, words: String) async throws {
        let (result, _) = try await ask(.script(response(body, status: status, headers: headers)))
        let error = try #require(result.failure, "\(result)")
        #expect(error.id == "resolver-failed")
        #expect(error.service?.hasPrefix("the HTTPDNS service 127.0.0.1:") == true)
        #expect(error.description.contains(": " + words), "\(error)")
    }

    @Test(arguments: [
        (ServerBehavior.closes, "closed the connection before its answer"),
        (.script("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n192".bytes), "closed the connection before"),
        (.smtp, "does not speak HTTP"), (.garbage(), "does not speak HTTP"),
    ]) func aServiceThatIsNoneIsSaidToBeNone(behavior: ServerBehavior, words: String) async throws {
        let error = try #require(try await ask(behavior).result.failure)
        #expect(error.description.contains(words), "\(error)")
    }

    @Test(arguments: ["1\r\n \r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
    func anAnswerInCountlessPiecesIsLeftBeforeTheyAreAllTakenApart(piece: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let pieces = String(repeating: piece, count: 200_000)
        let text = piece.hasPrefix("HTTP") ? pieces : head + pieces
        let (result, _) = try await ask(.script(text.bytes, stalls: true))
        #expect(result.failure?.description.contains("its answer is larger than 256 KiB") == true, "\(result)")
    }

    @Test func aServiceThatDripsOrStallsIsLeftAtTheDeadline() async throws {
        // Long enough to reach the service on a busy machine.
        let timeout = Duration.seconds(1)
        for bytes in ["".bytes, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n192".bytes] {
            let (result, _) = try await ask(.script(bytes, stalls: true), timeout: timeout)
            #expect(result.failure?.reason == .deadlineExceeded(timeout: timeout))
        }
    }

    private func json(_ type: Int, _ addresses: [String], status: Int = 0) -> Responder {
        let records = addresses.map { #"{"name":"\#(name).","type":\#(type),"TTL":60,"data":"\#($0)"}"# }
        let question = #"{"Status":\#(status),"Question":[{"name":"\#(name).","type":\#(type)}],"#
        return .answers(response(question + #""Answer":[\#(records.joined(separator: ","))]}"#))
    }

    private func serving<Value: Sendable>(
        _ application: Responder, upTo version: ServerVersion = .tls13,
        _ use: (AddressService, LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let settings = serverSettings([pki.leaf], upTo: version) { $0.application = application }
        return try await LoopbackServer.serving(.tls(settings)) { server in
            try await use(try AddressService(dnsOverHTTPS: "https://127.0.0.1:\(server.port)/resolve"), server)
        }
    }

    @Test func bothFamiliesAreAskedOverTLSAfterTheChainWasJudged() async throws {
        try await serving(json(1, ["192.0.2.1"])) { service, server in
            let judged = Mutex<[[UInt8]]>([])
            let result = await resolve(service, family: .any) { chain, host in
                judged.withLock { $0.append(chain.presented.leaf.der) }
                return host == .ip(loopback) ? nil : ("another host", nil)
            }
            let found = try result.get()
            #expect(found.addresses.map(\.description) == ["192.0.2.1"])
            #expect(judged.withLock { $0 } == [pki.leaf.der, pki.leaf.der])
            let requests = await server.connections(ended: 2).map {
                String(decoding: $0.applicationOpening, as: UTF8.self).prefix { $0 != "\r\n" }
            }
            #expect(
                Set(requests) == [
                    "GET /resolve?name=api.example.com&type=A HTTP/1.1",
                    "GET /resolve?name=api.example.com&type=AAAA HTTP/1.1",
                ])
        }
    }

    @Test func aServiceThatIsNotTrustedIsAskedNothing() async throws {
        try await serving(json(1, ["192.0.2.1"])) { service, server in
            let result = await resolve(service, family: .ipv4) { _, _ in ("unknown issuer", nil) }
            let error = try #require(result.failure, "\(result)")
            #expect(error.description.contains("its certificate is not trusted: unknown issuer"))
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.applicationOpening.isEmpty)
            #expect(seen.receivedCloseNotify)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true), ("HTTP/1.1 302 Found\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n", false), ("no HTTP\r\n\r\n", true),
    ]) func aServiceIsToldThatNothingMoreComes(answer: String, isAnswered: Bool) async throws {
        let application = isAnswered ? Responder.answers(answer.bytes) : .greets(answer.bytes)
        for version in versions {
            try await serving(application, upTo: version) { service, server in
                let timeout = isAnswered ? Duration.seconds(30) : .milliseconds(500)
                _ = await resolve(service, family: .ipv4, timeout: timeout) { _, _ in nil }
                let seen = try #require(await server.connections(ended: 1).first)
                #expect(seen.completedHandshake && seen.receivedCloseNotify, "\(version) \(answer)")
            }
        }
    }

    @Test func aNameThatDoesNotExistIsSaidToBeMissing() async throws {
        try await serving(json(1, [], status: 3)) { service, _ in
            #expect(await resolve(service, family: .any) { _, _ in nil }.failure?.reason == .nameNotFound)
        }
        try await serving(json(1, [], status: 2)) { service, _ in
            let error = try #require(await resolve(service, family: .ipv4) { _, _ in nil }.failure)
            #expect(error.description.contains("the DNS response code is 2 (SERVFAIL"))
        }
    }

    @Test func aServiceWithoutTLSIsSaidToHaveNone() async throws {
        try await LoopbackServer.serving(.plainHTTP) { server in
            let service = try AddressService(dnsOverHTTPS: "https://127.0.0.1:\(server.port)/")
            let error = try #require(await resolve(service, family: .ipv4) { _, _ in nil }.failure)
            #expect(error.id == "resolver-failed")
        }
    }
}
