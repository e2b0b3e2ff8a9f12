package import Pinning

/// How long a verdict will last: until when the pins match, what is left when they do not, and what runs out.
///
/// A forecast, not a verdict: an authority can change its certificates on any day, and a server its key. It is of one client, or
/// the worst of several.
package struct Outlook: Sendable, Hashable {
    /// What a pin comes to.
    package struct PinStanding: Sendable, Hashable {
        /// The position of the pin among those configured.
        package let index: Int
        /// The position on the path of the certificate it matches, nearest to the leaf; `nil` when it matches none.
        package let depth: Int?
        /// The last moment at which it is sure to match as things are, `nil` when it does not match.
        package let until: Timestamp?
        /// Whether the client compares it at all.
        package let isCompared: Bool
    }

    /// Why the pins that match now stop to, from what happens soonest to what happens last.
    package enum End: String, Sendable, Hashable, CaseIterable {
        /// The server's certificate is renewed: with a new key, or at all where the certificate is pinned.
        case leafRenewal = "leaf-renewal"
        /// The intermediate is replaced.
        case intermediateExpiry = "intermediate-expiry"
        /// The root is replaced.
        case rootExpiry = "root-expiry"
    }

    /// Every pin in the order of configuration.
    package let pins: [PinStanding]
    /// The last moment at which pins that match now are sure to; `nil` when they do not fulfil what the client demands.
    package let pinsMatchUntil: Timestamp?
    /// What happens then at the latest.
    package let end: End?
    /// After when no configured pin is sure to match, `nil` when a backup has no end, or nothing is pinned.
    package let noPinAfter: Timestamp?
    /// The positions of pins that match nothing yet, still can, and are for a key that is not in use.
    package let backups: [Int]
    /// Whether there is such a pin for everything the client demands.
    package let hasBackup: Bool
    /// The moment from which on the client ignores its pins and takes any trusted chain, `nil` for never.
    package let pinsExpire: Timestamp?
    /// The end of the certificate that ends first on the paths the client needs; `nil` for one that does not mind dates.
    package let validUntil: Timestamp?
    /// When servers of this certificate's lifetime are usually renewed at the latest.
    package let renewalPoint: Timestamp?
    /// What the user should know, worst first.
    package let findings: [Finding]
    /// How each condition of the client holds; empty where that is not of one client.
    let demands: [DemandStanding]

    /// The gravest level of all findings.
    package var level: Finding.Level { findings.map(\.level).max() ?? .info }

    /// Something worth telling.
    package struct Finding: Sendable, Hashable {
        /// How much it matters.
        package enum Level: String, Sendable, Hashable, Comparable, CaseIterable {
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

        /// What a finding is about, by which those of several clients are put together.
        enum Subject: Sendable, Hashable {
            /// A certificate, and whether the client minds when it ends.
            case certificate(SHA256Digest, isMinded: Bool)
            /// The server.
            case server
            /// Pins, which each client has its own of.
            case pins
            /// What ends the pins, and when at the latest.
            case end(End, until: Timestamp)
            /// After when no pin is sure to match.
            case pinLife(until: Timestamp)
        }

        /// A stable word for machines.
        package let id: String
        /// How much it matters.
        package let level: Level
        /// One line; it may quote a certificate.
        package let message: String
        let subject: Subject
    }
}

extension Outlook {
    /// The outlook of one client by the conditions that its pins fulfil.
    init(
        pins: [PinStanding], demands: [DemandStanding], pinsExpire: Timestamp?, validUntil: Timestamp?,
        renewalPoint: Timestamp?, findings: [Finding]
    ) {
        let holdings = demands.compactMap(\.holding)
        let areAllHeld = !demands.isEmpty && holdings.count == demands.count
        self.init(
            pins: pins, pinsMatchUntil: areAllHeld ? holdings.map(\.until).min() : nil,
            end: areAllHeld ? End.allCases.first { end in holdings.contains { $0.role == end } } : nil,
            noPinAfter: demands.compactMap(\.noPinAfter).min(), backups: Set(demands.flatMap(\.backups)).sorted(),
            hasBackup: !demands.isEmpty && demands.allSatisfy { !$0.backups.isEmpty }, pinsExpire: pinsExpire,
            validUntil: validUntil, renewalPoint: renewalPoint, findings: findings, demands: demands)
    }

    /// The same with these findings, worst first.
    func with(findings: [Finding]) -> Outlook {
        Outlook(
            pins: pins, pinsMatchUntil: pinsMatchUntil, end: end, noPinAfter: noPinAfter, backups: backups,
            hasBackup: hasBackup, pinsExpire: pinsExpire, validUntil: validUntil, renewalPoint: renewalPoint,
            findings: findings.filter { $0.level == .fail } + findings.filter { $0.level == .warn }
                + findings.filter { $0.level == .info }, demands: demands)
    }
}
