import Base
import Pinning
package import TLSProbe

package enum ProxyChoice: Hashable {
    /// No proxy, even if the environment names one.
    case direct
    case through(Proxy)

    /// Reads a proxy as curl does: `[scheme://][user[:password]@]host[:port]`; errors show no name and no password.
    package static func named(_ text: String, by origin: String) throws(Problem) -> ProxyChoice {
        // Text before an `@` is not a scheme.
        let start = text.firstRange(of: "://").flatMap { text[..<$0.lowerBound].contains("@") ? nil : $0 }
        let scheme = start.map { text[..<$0.lowerBound].lowercased() }
        let rest = start.map { text[$0.upperBound...] } ?? text[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let at = authority.lastIndex(of: "@")
        // A slash in a password ends the host part too early: text before the last `@` is never shown.
        let visible = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        let given = GivenText(
            "proxy",
            (scheme.map { "\($0)://" } ?? "") + (at == nil ? withoutWords(inPlaceOfPort: visible) : visible[...]))
        let badUser = given.wrong(
            "has a user that it cannot be told: write user:password@ with %40 for '@', %2F for '/' and %25 for '%'")
        guard !text.isEmpty else { throw given.wrong("is empty: name a host, as in 'api.example.com'") }
        guard at != nil || !rest.contains("@") else { throw badUser }
        guard let kind = Proxy.Kind(rawValue: scheme ?? Proxy.Kind.http.rawValue) else {
            throw given.wrong(
                "is of no kind that is known: write http://, https://, socks5:// or socks5h:// before the host")
        }
        let place = try Target(at.map { authority[authority.index(after: $0)...] } ?? authority, of: given)
        var credentials: ProxyCredentials?
        if let user = at.map({ authority[..<$0] }), !user.isEmpty {
            let parts = user.parts(at: ":", atMost: 2)
            guard let name = parts[0].percentDecoded, let password = (parts.count > 1 ? parts[1] : "").percentDecoded
            else { throw badUser }
            credentials = ProxyCredentials(user: name, password: password, for: kind)
            guard credentials != nil else { throw badUser }
        }
        return .through(
            Proxy(
                kind, host: place.host, port: UInt16(place.port ?? kind.defaultPort), credentials: credentials,
                origin: origin))
    }

    /// Hides text in the port's place that is not a number: it may be a password whose host is missing.
    private static func withoutWords(inPlaceOfPort text: Substring) -> Substring {
        guard !text.hasPrefix("["), let colon = text.firstIndex(of: ":") else { return text }
        let port = text[text.index(after: colon)...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return port.allSatisfy(\.isNumber) ? text : text[...colon] + "…"
    }
}

/// The proxies in environment variables, read as curl does for an https URL.
package struct ProxyEnvironment: Hashable {
    /// The proxy in the first variable that is not empty.
    let proxy: Proxy?
    /// The hosts of `no_proxy` or `NO_PROXY`: names with all names below, addresses, networks; `nil` means every host.
    private let exceptions: [String]?

    package init?(_ environment: [String: String], namesProxy: Bool = true) throws(Problem) {
        func first(_ names: [String]) -> (name: String, value: String)? {
            names.lazy.compactMap { name in environment[name].map { (name, $0) } }.first { !$0.1.isEmpty }
        }
        let named = namesProxy ? first(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]) : nil
        let list = first(["no_proxy", "NO_PROXY"])?.value
        exceptions = list == "*" ? nil : (list ?? "").split { $0 == "," || $0.isWhitespace }.map { $0.lowercased() }
        var proxy: Proxy?
        if let named {
            do {
                if case .through(let found) = try ProxyChoice.named(named.value, by: named.name) { proxy = found }
            } catch { throw .usage("\(named.name): \(error.message)") }
        }
        self.proxy = proxy
        if proxy == nil, list == nil { return nil }
    }

    func excepts(_ host: ServerName) -> Bool { exceptions?.contains { Self.names($0, host) } ?? true }

    private static func names(_ entry: String, _ host: ServerName) -> Bool {
        let parts = entry.parts(at: "/", atMost: 2)
        if let network = IPAddress(parts[0]) {
            guard case .ip(let address) = host else { return false }
            let all = network.bytes.count * 8
            // As in curl, a network of 0 bits means all bits, and one of too many bits matches no host.
            let given = parts.count > 1 ? Int(parts[1].prefix { $0.isASCII && $0.isNumber }) ?? 0 : 0
            return given <= all && address.begins(with: given == 0 ? all : given, of: network)
        }
        guard case .dns(let name) = host else { return false }
        var domain = entry[...]
        if domain.hasSuffix(".") { domain = domain.dropLast() }
        if domain.hasPrefix(".") { domain = domain.dropFirst() }
        return !domain.isEmpty && (name == domain || name.hasSuffix("." + domain))
    }
}

extension CheckRequest.Connection {
    /// The proxy for a target: a given one before the environment's; `NO_PROXY` exempts from both, as in curl.
    func proxy(for host: ServerName) -> Proxy? {
        guard proxy != .direct, environmentProxies?.excepts(host) != true else { return nil }
        return if case .through(let named)? = proxy { named } else { environmentProxies?.proxy }
    }
}
