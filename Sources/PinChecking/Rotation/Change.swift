/// One difference between what a server served and what it serves.
package struct Change: Sendable, Hashable {
    package let kind: Kind
    /// What was, in words; `nil` where there was nothing.
    package let old: String?
    /// What is, in words; `nil` where there is nothing.
    package let new: String?

    package var oldCertificate: Snapshot.Certificate? = nil
    package var newCertificate: Snapshot.Certificate? = nil

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
        case renewed
        case rekeyed
        case keyTypeChanged = "key-type-changed"
        case issuerChanged = "issuer-changed"
        case rootChanged = "root-changed"
        case namesAdded = "names-added"
        case namesRemoved = "names-removed"
        case intermediateMissing = "intermediate-missing"
        /// Another order, a certificate that was not sent or led nowhere, the root sent or no longer.
        case chainChanged = "chain-changed"
        case expiresEarlier = "expires-earlier"
        case targetAdded = "target-added"
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

        package static func < (left: Kind, right: Kind) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }
}
