package import Pinning

/// What a configuration says of a host beside its pins, as far as another format may be able to say it too.
package struct PinRules: Sendable, Hashable {
    /// Where on the path a pin has to match.
    package enum Position: String, Sendable, Hashable, CaseIterable {
        /// Anywhere.
        case anywhere
        /// The server's own key.
        case leaf
        /// The key of an authority.
        case authority
        /// One of the server's and one of an authority's, both of them.
        case both
    }

    /// Whose configuration it is, `nil` for pins that are for whatever host.
    package var kind: PinConfiguration.Kind?
    /// How many labels may stand before the host.
    package var depth: HostPattern.Depth
    /// Where on the path a pin has to match.
    package var position: Position
    /// Whether a mismatch blocks the connection, `nil` where nothing is said.
    package let enforcesPinning: Bool?
    /// The moment from which on the pins no longer apply.
    package let expiration: Timestamp?
    /// Whether the hosts are exempt from what is said of their parent domain.
    package let isExcluded: Bool
    /// Whether paths to some anchors are exempt from pinning.
    package let hasExemptAnchors: Bool
    /// Where mismatches are reported to.
    package let reportURIs: [String]

    init(_ kind: PinConfiguration.Kind?, _ entry: HostEntry) {
        self.kind = kind
        depth = entry.hosts?.depth ?? .exact
        switch entry.identities {
        case .anywhere: position = .anywhere
        case .positions(let leaf, let authorities):
            position = leaf != nil && authorities != nil ? .both : authorities != nil ? .authority : .leaf
        }
        enforcesPinning = entry.enforcesPinning
        expiration = entry.expiration
        // Android has no word for it: a domain without pins is not pinned, whatever is said of its parent.
        isExcluded = entry.isExcluded || kind == .android && entry.pins.isEmpty
        hasExemptAnchors = entry.hasExemptAnchors
        reportURIs = entry.reportURIs
    }

    /// Whether it says anything else of the host than `other`; what kind it is of plays no part.
    func differs(from other: PinRules) -> Bool {
        enforcesPinning != other.enforcesPinning || expiration != other.expiration || position != other.position
    }
}
