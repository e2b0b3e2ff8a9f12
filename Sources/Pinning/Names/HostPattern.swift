/// Which hosts an entry of a configuration is for.
///
/// Each client has patterns and rules of its own.
public struct HostPattern: Sendable, Hashable {
    /// How many labels may stand before ``name``.
    public enum Depth: Sendable, Hashable {
        /// None: the name itself.
        case exact
        /// Exactly one: `*.example.com` in OkHttp.
        case oneLabel
        /// None or one: `NSIncludesSubdomains` in Apple's NSPinnedDomains.
        case upToOneLabel
        /// Any number, none included: `**.example.com` in OkHttp, include-subdomains elsewhere.
        case anyNumber
    }

    /// The name in lower case without wildcard or trailing dot.
    public let name: String
    /// How many labels may stand before it.
    public let depth: Depth

    /// A pattern for `name` and, by `depth`, names below it.
    ///
    /// - Throws: ``ServerNameError`` when the text is no host name, or is an address.
    public init(_ name: String, _ depth: Depth) throws(ServerNameError) {
        guard case .dns(let name) = try ServerName(name) else {
            throw ServerNameError(text: name, problem: .numericLastLabel)
        }
        self.name = name
        self.depth = depth
    }

    /// Whether the pattern covers `host`; addresses are never covered.
    public func covers(_ host: ServerName) -> Bool {
        guard case .dns(let host) = host else { return false }
        guard host != name else { return depth != .oneLabel }
        guard host.hasSuffix("." + name) else { return false }
        let prefix = host.dropLast(name.count + 1)
        return switch depth {
        case .exact: false
        case .oneLabel, .upToOneLabel: !prefix.contains(".")
        case .anyNumber: true
        }
    }
}

/// What a client needs to know of the public suffix list (publicsuffix.org).
public protocol PublicSuffixList: Sendable {
    /// The public suffix of `name`, as in `co.uk` for `www.example.co.uk`; `nil` when no rule of the list covers it.
    func publicSuffix(of name: String) -> String?
}
