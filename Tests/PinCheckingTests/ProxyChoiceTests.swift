import Pinning
import TLSProbe
import Testing

@testable import PinChecking

struct ProxyChoiceTests {
    private func proxy(_ text: String) throws -> Proxy {
        guard case .through(let proxy) = try ProxyChoice.named(text, by: "--proxy") else { throw CancellationError() }
        return proxy
    }

    @Test(arguments: [
        ("proxy.example", "http://proxy.example:1080"), ("proxy.example:3128", "http://proxy.example:3128"),
        ("HTTP://Proxy.Example/", "http://proxy.example:1080"), ("https://proxy.example", "https://proxy.example:443"),
        ("socks5://192.0.2.1:9050", "socks5://192.0.2.1:9050"),
        ("socks5h://[2001:db8::1]", "socks5h://[2001:db8::1]:1080"),
        ("http://user:p%40ss@proxy.example:8080/path?x#y", "http://proxy.example:8080"),
        ("@proxy.example", "http://proxy.example:1080"), ("a@b@proxy.example:1", "http://proxy.example:1"),
    ]) func aProxyIsReadAsCurlReadsIt(text: String, url: String) throws { #expect(try proxy(text).url == url) }

    @Test func aUserIsDecoded() throws {
        let known = try #require(ProxyCredentials(user: Array("a@b".utf8), password: Array("c:d/%".utf8), for: .http))
        #expect(try proxy("http://a%40b:c:d%2f%25@proxy.example").credentials == known)
        #expect(try proxy("a@b:c:d%2F%25@proxy.example").credentials == known)
        #expect(try proxy("user@proxy.example").credentials != nil)
        #expect(try proxy("@proxy.example").credentials == nil)
    }

    @Test(arguments: [
        "", "http://", "ftp://proxy.example", "socks4://proxy.example", "socks://proxy.example",
        "http://proxy.example:0", "http://proxy.example:65536", "http://pro xy", "http://[::1",
        "http://a%zz:b@proxy.example", "http://a%3Ab:c@proxy.example", "http://a:b%0d%0aX@proxy.example",
        "http://secret/word@proxy.example", "socks5://:x@h", "http://a%4",
    ]) func whatIsNoProxyIsRefusedWithoutItsUser(text: String) {
        let error = #expect(throws: Problem.self) { try proxy(text) }
        #expect(
            error.map { !"\($0)".contains("secret") && !"\($0)".contains("b%0d") } == true,
            "\(String(describing: error))")
    }

    @Test(arguments: [
        (["HTTPS_PROXY": "a", "https_proxy": "b"], "http://b:1080", "https_proxy"),
        (["HTTPS_PROXY": "a", "https_proxy": ""], "http://a:1080", "HTTPS_PROXY"),
        (["ALL_PROXY": "a", "all_proxy": "b"], "http://b:1080", "all_proxy"),
        (["ALL_PROXY": "socks5h://a", "HTTPS_PROXY": ""], "socks5h://a:1080", "ALL_PROXY"),
        (["ALL_PROXY": "a", "HTTPS_PROXY": "c"], "http://c:1080", "HTTPS_PROXY"),
    ]) func theFirstVariableNamesTheProxy(environment: [String: String], url: String, origin: String) throws {
        let proxy = try #require(try ProxyEnvironment(environment)?.proxy)
        #expect(proxy.url == url && proxy.origin == origin)
        #expect(try ProxyEnvironment(environment, namesProxy: false) == nil)
    }

    @Test func anEnvironmentWithoutProxiesSaysNothing() throws {
        for environment in [[:], ["http_proxy": "a", "HTTP_PROXY": "b"], ["HTTPS_PROXY": "", "NO_PROXY": ""]] {
            #expect(try ProxyEnvironment(environment) == nil)
        }
    }

    @Test func aVariableThatNamesNoProxyIsNamed() {
        let error = #expect(throws: Problem.self) { try ProxyEnvironment(["ALL_PROXY": "gopher://secret:x@h"]) }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.hasPrefix("ALL_PROXY: the proxy 'gopher://h'") && !text.contains("secret"), "\(text)")
    }

    private static let exceptions: [(list: String, host: String, isCovered: Bool)] = [
        ("*", "api.example.com", true), ("*", "192.0.2.1", true), ("*,x", "api.example.com", false),
        ("example.com", "example.com", true), ("example.com", "api.example.com", true),
        ("example.com", "badexample.com", false), (".example.com", "example.com", true),
        (".example.com", "a.b.example.com", true), ("Example.COM.", "api.example.com", true),
        ("a, example.com\tb", "api.example.com", true), ("a b", "b", true), ("", "a", false), (".", "a", false),
        ("api.example.com", "example.com", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("192.0.2.0/24", "192.0.2.200", true), ("192.0.2.0/24", "192.0.3.1", false),
        ("192.0.2.0/25", "192.0.2.200", false), ("192.0.2.0/23", "192.0.3.1", true),
        ("192.0.2.1/0", "192.0.2.9", false), ("192.0.2.1/33", "192.0.2.1", false),
        ("2001:db8::/32", "2001:db8::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true), ("192.0.2.1", "a.192.0.2.1.example", false),
        ("2.0.192", "192.0.2.1", false), ("192.0.2.1", "::ffff:192.0.2.1", false),
    ]

    @Test(arguments: exceptions.indices) func hostsAreExceptedAsCurlExceptsThem(index: Int) throws {
        let (list, host, isCovered) = Self.exceptions[index]
        #expect(
            try ProxyEnvironment(["no_proxy": list])?.excepts(ServerName(host)) ?? false == isCovered, "\(list) \(host)"
        )
    }

    @Test func whatIsNamedGoesBeforeTheEnvironmentAndExceptionsHoldForBoth() throws {
        var connection = CheckRequest.Connection()
        let host = ServerName.dns("api.example.com")
        #expect(connection.proxy(for: host) == nil)
        connection.environmentProxies = try ProxyEnvironment(["HTTPS_PROXY": "env", "NO_PROXY": "other.example"])
        #expect(connection.proxy(for: host)?.url == "http://env:1080")
        #expect(connection.proxy(for: .dns("other.example")) == nil)
        connection.proxy = try .named("named", by: "--proxy")
        #expect(connection.proxy(for: host)?.url == "http://named:1080")
        #expect(connection.proxy(for: .dns("other.example")) == nil)
        connection.proxy = .direct
        #expect(connection.proxy(for: host) == nil)
    }
}
