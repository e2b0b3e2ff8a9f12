/// What TrustKit for Android reads of a `<domain-config>` that has or inherits pins.
///
/// It has a reader of its own: the last `<domain>` counts, names are taken and compared as they are written, and what a nested
/// element does not say it inherits, subdomains and expiration included (`TrustKitConfigurationParser`).
public struct TrustKitAndroidDomain: Sendable, Hashable {
    /// The name as it is written, white space included.
    public let name: String
    /// `includeSubdomains`.
    public let includesSubdomains: Bool
    /// `enforcePinning`: without it a mismatch is only reported.
    public let enforcesPinning: Bool
    /// The moment from which on the pins no longer apply: midnight in the device's time zone.
    public let expiration: Timestamp?
    /// The first `digest` that is another text than `SHA-256`.
    public let unknownDigest: String?

    /// A domain with what it says or inherits.
    public init(
        name: String, includesSubdomains: Bool = false, enforcesPinning: Bool = false, expiration: Timestamp? = nil,
        unknownDigest: String? = nil
    ) {
        self.name = name
        self.includesSubdomains = includesSubdomains
        self.enforcesPinning = enforcesPinning
        self.expiration = expiration
        self.unknownDigest = unknownDigest
    }

    /// A rule that a domain breaks, so that TrustKit throws an exception for the whole file when the app starts.
    public enum Violation: Sendable, Hashable {
        /// The name is none to TrustKit's validator.
        case invalidName
        /// A digest is written otherwise than `SHA-256`.
        case unknownDigest(String)
        /// So many different pins are enforced, fewer than two.
        case tooFewPins(Int)

        /// What is wrong with the domain called `name`, in one line.
        public func message(_ name: String) -> String {
            switch self {
            case .invalidName:
                "'\(name)' is not a domain to it: write letters, digits and hyphens below a registered top-level domain, "
                    + "without white space"
            case .unknownDigest(let digest): "it does not know the digest '\(digest)' of '\(name)': write SHA-256"
            case .tooFewPins(let count):
                "'\(name)' has \(count == 1 ? "1 pin" : "\(count) different pins") and needs 2 to be enforced: add a backup pin"
            }
        }
    }

    /// The rules that the domain breaks, in the order in which TrustKit looks at them.
    ///
    /// - Parameters:
    ///   - pins: the pins of the domain.
    ///   - suffixes: the public suffix list, which knows the top-level domains.
    /// - Returns: the rules, none for a domain that TrustKit takes.
    public func violations(pins: [Pin], suffixes: some PublicSuffixList) -> [Violation] {
        var violations: [Violation] = []
        if let unknownDigest { violations.append(.unknownDigest(unknownDigest)) }
        if !Self.isValid(name, suffixes) { violations.append(.invalidName) }
        let count = Set(pins.map(\.spkiSHA256)).count
        if enforcesPinning, count < 2 { violations.append(.tooFewPins(count)) }
        return violations
    }

    /// Whether TrustKit's `DomainValidator` takes `name`: labels of letters, digits and inner hyphens below a known top-level domain.
    private static func isValid(_ name: String, _ suffixes: some PublicSuffixList) -> Bool {
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.count > 1, let top = labels.last, top.first?.isLetter == true, labels.allSatisfy(isLabel) else {
            return false
        }
        return suffixes.publicSuffix(of: "a.b.\(top.lowercased())") != nil
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard let first = label.first, let last = label.last, first != "-", last != "-" else { return false }
        // Letters outside ASCII become A-labels before they are looked at.
        return label.utf8.count <= 63 && label.allSatisfy { $0.isLetter || $0.isWholeNumber || $0 == "-" }
    }
}

extension HostEntry {
    /// The entry as TrustKit for Android has it, `nil` where it has none.
    var forTrustKitAndroid: HostEntry? {
        guard let domain = trustKitAndroid else { return nil }
        var entry = self
        entry.hosts = HostPattern(text: domain.name, domain.includesSubdomains ? .anyNumber : .exact)
        entry.enforcesPinning = domain.enforcesPinning
        entry.expiration = domain.expiration
        return entry
    }
}
