import Base
package import PinFormats
package import Pinning

package struct OutlookRules: Hashable {
    package var warnBefore: Threshold?
    package var failBefore: Threshold?
    /// The time for which a pin must be able to match, in seconds or as a part of the leaf's lifetime.
    package var minPinLife: Threshold?
    package var failsOnWarning = false
    package var ignored: Set<FindingID> = []

    package init() {}

    func check() throws(Problem) {
        if let warning = warnBefore, let failure = failBefore, warning.isAlwaysBelow(failure) {
            throw .usage(
                "the warning before \(warning) never comes, since less than \(failure) fails earlier: warn before the larger of the two"
            )
        }
    }

    func merged(over other: OutlookRules) -> OutlookRules {
        var merged = self
        merged.warnBefore = warnBefore ?? other.warnBefore
        merged.failBefore = failBefore ?? other.failBefore
        merged.minPinLife = minPinLife ?? other.minPinLife
        merged.failsOnWarning = failsOnWarning || other.failsOnWarning
        merged.ignored = ignored.union(other.ignored)
        return merged
    }
}

/// The forecast of a verdict, for one client or the worst of several; CAs can change their certificates on any day, and
/// servers their keys.
package struct Outlook {
    package struct PinStanding {
        /// The depth of the certificate that the pin matches, the nearest to the leaf; `nil` if it matches none.
        package var depth: Int?
        /// The last moment at which the pin is sure to match, or the end of a backup's certificate; `nil` if neither.
        package var until: Timestamp?
        package var isCompared: Bool
        /// `true` if the pin has no match and satisfies the client in a future chain.
        package var isBackup = false
        /// The reason, `nil` if the pin is a backup or in use.
        package var noBackup: NoBackup?
    }

    /// The reason why a pin is not a backup: an id, and words that follow the pin's number.
    package typealias NoBackup = (id: String, words: String)

    /// The reason why pins that match now stop matching, the soonest first.
    package enum End: String, CaseIterable {
        /// The renewal of the leaf: with a new key, or with any key if the certificate is pinned.
        case leafRenewal = "leaf-renewal"
        case intermediateExpiry = "intermediate-expiry"
        case rootExpiry = "root-expiry"
        /// Devices learn a root below the pinned one, or lose the pinned one.
        case rootChange = "root-change"
    }

    package let pins: [PinStanding]
    /// The last moment at which the pins that match now are sure to match; `nil` if they do not satisfy the client.
    package let pinsMatchUntil: Timestamp?
    package let end: End?
    /// The moment after which no pin is sure to match; `nil` if a backup has no end, or nothing is pinned.
    package let noPinAfter: Timestamp?
    /// `true` if every condition of the client has a backup.
    package let hasBackup: Bool
    /// The moment after which the client ignores its pins and accepts any trusted chain; `nil` if it never does.
    package let pinsExpire: Timestamp?
    /// The first end of a certificate on the paths that the client needs; `nil` if the client ignores dates.
    package let validUntil: Timestamp?
    package let renewalPoint: Timestamp?
    package internal(set) var findings: [Finding]
    /// `false` if pins do not decide: the client has no backup and needs none.
    let comparesPins: Bool

    package var backups: [Int] { pins.indices.filter { pins[$0].isBackup } }
    package var level: Finding.Level { findings.map(\.level).max() ?? .note }
    /// The finding that the result's reason already contains.
    package internal(set) var told: Finding?

    func without(_ ids: Set<FindingID>) -> Outlook {
        var outlook = self
        outlook.findings.removeAll { $0.level != .fail && ids.contains($0.kind) }
        return outlook
    }
}

extension [Finding] { var worstFirst: [Finding] { sorted { $0.level > $1.level } } }

extension Finding {
    func comes(before other: Finding) -> Bool {
        if level != other.level { return level > other.level }
        guard let date, let otherDate = other.date, date != otherDate else { return message < other.message }
        return date < otherDate
    }
}
