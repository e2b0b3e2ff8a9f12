/// One difference between what a server served and what it serves.
package struct Change: Sendable, Hashable {
    package let kind: Kind
    /// What was, in words; `nil` where there was nothing.
    package let old: String?
    /// What is, in words; `nil` where there is nothing.
    package let new: String?

    package let oldCertificate: Snapshot.Certificate?
    package let newCertificate: Snapshot.Certificate?

    package init(
        _ kind: Kind, old: String?, new: String?, from oldCertificate: Snapshot.Certificate? = nil,
        to newCertificate: Snapshot.Certificate? = nil
    ) {
        (self.kind, self.old, self.new, self.oldCertificate) = (kind, old, new, oldCertificate)
        self.newCertificate = newCertificate
    }

    /// Whether both say the same; the certificates behind it add nothing.
    package static func == (left: Change, right: Change) -> Bool {
        left.kind == right.kind && left.old == right.old && left.new == right.new
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(old)
        hasher.combine(new)
    }

    /// The kinds of differences, from harmless to grave as far as that can be said.
    ///
    /// Raw values are stable ids.
    package enum Kind: String, Sendable, Hashable, CaseIterable, Comparable {
        /// A certificate was issued again for the same key and name, by the same issuer.
        case renewed
        /// The server's certificate holds another key.
        case rekeyed
        /// The server's key is of another kind or size.
        case keyTypeChanged = "key-type-changed"
        /// Another authority, or another key of the same, issues.
        case issuerChanged = "issuer-changed"
        /// The chain leads to another root.
        case rootChanged = "root-changed"
        /// The server's certificate is for more names.
        case namesAdded = "names-added"
        /// The server's certificate is no longer for some names.
        case namesRemoved = "names-removed"
        /// A certificate that leads on to the root is no longer sent.
        case intermediateMissing = "intermediate-missing"
        /// Another order, a certificate that was not sent or led nowhere, the root sent or no longer.
        case chainChanged = "chain-changed"
        /// A new certificate ends before the old one did.
        case expiresEarlier = "expires-earlier"
        case targetAdded = "target-added"
        /// The target is only in the baseline.
        case targetMissing = "target-missing"

        package var summary: String {
            switch self {
            case .renewed: "a new certificate for the same key and name"
            case .rekeyed: "the server has a new key"
            case .keyTypeChanged: "the server's key is of another kind or size"
            case .issuerChanged: "another authority, or another key of it, issued"
            case .rootChanged: "the chain leads to another root"
            case .namesAdded: "the certificate is for more names"
            case .namesRemoved: "the certificate is no longer for some names"
            case .intermediateMissing: "a certificate on the way to the root is no longer sent"
            case .chainChanged: "other certificates are sent beside the leaf, or in another order"
            case .expiresEarlier: "a new certificate ends more than a day before the old one"
            case .targetAdded: "the target is not in the baseline"
            case .targetMissing: "the target is only in the baseline"
            }
        }

        /// Whether `left` comes first in the list of kinds.
        package static func < (left: Kind, right: Kind) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }
}
