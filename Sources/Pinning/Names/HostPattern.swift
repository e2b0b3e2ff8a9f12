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

    /// The name without wildcard, as the client compares it with hosts: text, which no host need ever equal.
    public let name: String
    /// How many labels may stand before it.
    public let depth: Depth
    /// The name as OkHttp has it, which reads some files beside another client: A-labels in lower case.
    public let canonicalName: String

    /// A pattern for the host or address `name` and, by `depth`, names below it.
    ///
    /// - Throws: ``ServerNameError`` when the text is neither.
    public init(_ name: String, _ depth: Depth) throws(ServerNameError) {
        self.init(text: try ServerName(name).description, depth)
    }

    /// A pattern for hosts that equal `text`, or end in a dot and `text`, whatever it is.
    public init(text: String, canonicalName: String? = nil, _ depth: Depth) {
        name = text
        self.depth = depth
        self.canonicalName = canonicalName ?? text
    }

    /// The pattern with the name as OkHttp has it.
    public var canonical: HostPattern { HostPattern(text: canonicalName, depth) }

    /// Whether the pattern covers `host`; an address counts as the text it is.
    public func covers(_ host: ServerName) -> Bool { covers(host.description) }

    /// Whether the pattern covers a host as text.
    public func covers(_ host: String) -> Bool {
        guard host != name else { return depth != .oneLabel }
        guard !name.isEmpty, host.hasSuffix("." + name) else { return false }
        let prefix = host.utf8.dropLast(name.utf8.count + 1)
        return switch depth {
        case .exact: false
        case .oneLabel, .upToOneLabel: !prefix.contains(UInt8(ascii: "."))
        case .anyNumber: true
        }
    }
}

/// What a client needs to know of the public suffix list (publicsuffix.org).
public protocol PublicSuffixList: Sendable {
    /// The public suffix of `name`, as in `co.uk` for `www.example.co.uk`; `nil` when no rule of the list covers it.
    func publicSuffix(of name: String) -> String?
}
