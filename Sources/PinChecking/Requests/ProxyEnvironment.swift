package import Pinning
package import TLSProbe

/// What environment variables say of proxies, as curl reads them for an https URL.
package struct ProxyEnvironment: Hashable, Sendable {
    /// The proxy of `https_proxy`, `HTTPS_PROXY`, `all_proxy` or `ALL_PROXY`, the first that is not empty.
    package let proxy: Proxy?
    /// The hosts of `no_proxy` or `NO_PROXY` that no proxy is for, wherever it is named.
    package let exceptions: ProxyExceptions?

    /// The variables that say something, the first of each list that does not say nothing.
    package static let proxyVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    /// Those with the hosts that no proxy is for.
    package static let exceptionVariables = ["no_proxy", "NO_PROXY"]

    /// Reads the environment, `nil` where it says nothing of proxies.
    package init?(_ environment: [String: String], namesProxy: Bool = true) throws(RequestError) {
        func first(_ names: [String]) -> (name: String, value: String)? {
            for name in names { if let value = environment[name], !value.isEmpty { return (name, value) } }
            return nil
        }
        let named = namesProxy ? first(Self.proxyVariables) : nil
        let excepted = first(Self.exceptionVariables)
        guard named != nil || excepted != nil else { return nil }
        exceptions = excepted.map { ProxyExceptions($0.value) }
        guard let named else {
            proxy = nil
            return
        }
        do {
            guard case .through(let proxy) = try ProxyChoice.named(named.value, by: named.name) else { return nil }
            self.proxy = proxy
        } catch { throw .variable(named.name, error) }
    }
}

/// A list of hosts that are connected to without a proxy, as curl reads `NO_PROXY`.
package struct ProxyExceptions: Hashable, Sendable {
    private enum Rule: Hashable, Sendable {
        /// The host itself, and whatever is below it.
        case domain(String)
        /// Addresses that begin with so many bits of this one.
        case network([UInt8], bits: Int)
    }

    private let rules: [Rule]
    private let coversAll: Bool

    /// Reads a list with commas or white space between its entries; `*` alone is every host.
    package init(_ text: String) {
        coversAll = text == "*"
        rules = text.split { $0 == "," || $0.isWhitespace }.compactMap { Self.rule($0) }
    }

    private static func rule(_ entry: Substring) -> Rule? {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        if let address = IPAddress(parts[0]) {
            let all = address.bytes.count * 8
            // As in curl, no bits are all bits, and too many match nothing.
            let given = parts.count > 1 ? Int(parts[1].prefix { $0.isASCII && $0.isNumber }) ?? 0 : 0
            guard given <= all else { return nil }
            return .network(address.bytes, bits: given == 0 ? all : given)
        }
        var name = entry.lowercased()[...]
        if name.hasSuffix(".") { name = name.dropLast() }
        if name.hasPrefix(".") { name = name.dropFirst() }
        return name.isEmpty ? nil : .domain(String(name))
    }

    package func covers(_ host: ServerName) -> Bool {
        coversAll
            || rules.contains { rule in
                switch (rule, host) {
                case (.domain(let domain), .dns(let name)): name == domain || name.hasSuffix("." + domain)
                case (.network(let bytes, let bits), .ip(let address)):
                    bytes.count == address.bytes.count && Self.agree(bytes, address.bytes, on: bits)
                default: false
                }
            }
    }

    private static func agree(_ left: [UInt8], _ right: [UInt8], on bits: Int) -> Bool {
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard left.prefix(whole) == right.prefix(whole) else { return false }
        return rest == 0 || (left[whole] ^ right[whole]) >> (8 - rest) == 0
    }
}

extension CheckRequest.Connection {
    /// The proxy for a target, `nil` for none.
    ///
    /// A proxy that is named counts before the one of the environment; `NO_PROXY` holds for both, as in curl.
    func proxy(for host: ServerName) -> Proxy? {
        guard proxy != .direct, environmentProxies?.exceptions?.covers(host) != true else { return nil }
        var found = environmentProxies?.proxy
        if case .through(let named)? = proxy { found = named }
        return found
    }
}
