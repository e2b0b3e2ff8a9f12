package import Pinning

/// How long a verdict will last: until when the pins match, what is left when they do not, and what runs out.
///
/// A forecast, not a verdict: an authority can change its certificates on any day, and a server its key.
package struct Outlook: Sendable, Hashable {
    /// What a pin comes to.
    package struct PinStanding: Sendable, Hashable {
        /// The position of the pin among those configured.
        package let index: Int
        /// The position on the path of the certificate it matches, nearest to the leaf; `nil` when it matches none.
        package let depth: Int?
        /// The last moment at which it can match as things are, `nil` when nothing limits it or it does not match.
        package let until: Timestamp?
        /// Whether the client compares it at all.
        package let isCompared: Bool
    }

    /// Why the pins that match now stop to.
    package enum End: String, Sendable, Hashable {
        /// The server's certificate is renewed: with a new key, or at all where the certificate is pinned.
        case leafRenewal = "leaf-renewal"
        /// The intermediate is replaced.
        case intermediateExpiry = "intermediate-expiry"
        /// The root is replaced.
        case rootExpiry = "root-expiry"
    }

    /// Every pin in the order of configuration.
    package let pins: [PinStanding]
    /// The last moment at which one of the pins that match now can match, `nil` when none does.
    package let pinsMatchUntil: Timestamp?
    /// What happens then.
    package let end: End?
    /// Whether the pin that lasts longest is a certificate, which no other certificate satisfies.
    package let endsWithCertificate: Bool
    /// The last moment at which any configured pin can match, `nil` when a backup has no end, or nothing is pinned.
    package let noPinAfter: Timestamp?
    /// The positions of pins that match nothing yet, still can, and are for a key that is not in use.
    package let backups: [Int]
    /// The moment from which on the client ignores its pins and takes any trusted chain, `nil` for never.
    package let pinsExpire: Timestamp?
    /// The certificate of the path that ends first; `nil` without a path.
    package let firstExpiry: Expiry?
    /// When servers of this certificate's lifetime are usually renewed at the latest.
    package let renewalPoint: Timestamp?
    /// What the user should know, worst first.
    package let findings: [Finding]

    /// The gravest level of all findings.
    package var level: Finding.Level { findings.map(\.level).max() ?? .info }

    /// The end of a certificate's validity.
    package struct Expiry: Sendable, Hashable {
        /// The position on the path, 0 for the leaf.
        package let depth: Int
        /// The last second of validity.
        package let time: Timestamp
    }

    /// Something worth telling.
    package struct Finding: Sendable, Hashable {
        /// How much it matters.
        package enum Level: String, Sendable, Hashable, Comparable {
            /// Good to know.
            case info
            /// Needs attention soon.
            case warn
            /// Below a limit that was set.
            case fail

            /// Whether `left` matters less.
            package static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

            private var rank: Int { self == .info ? 0 : self == .warn ? 1 : 2 }
        }

        /// A stable word for machines.
        package let id: String
        /// How much it matters.
        package let level: Level
        /// One line; it may quote a certificate.
        package let message: String
    }
}
