package import PinFormats
package import Pinning

/// Which pins to ship for a server, and why.
package struct Recommendation: Sendable {
    package enum Strategy: String, Sendable, CaseIterable {
        case caRoots = "authority-roots"
        case ownKeys = "own-keys"
        case ownRoot = "own-root"
        /// None, as long as the chain's owner is not known.
        case none
    }

    package struct Choice: Sendable {
        package let item: PinItem
        /// What the key belongs to, in a few words.
        package let owner: String
        package let reason: Reason
        /// How long it can be relied on, `nil` where nothing says so.
        package let until: Timestamp?
        package let root: CA.Root?
    }

    package let strategy: Strategy
    package let summary: String
    /// The CA, `nil` for one that is not known.
    package var ca: CA? = nil
    /// The keys, those in use first.
    package var choices: [Choice] = []
    /// The CA that issued the leaf, where it is not among them.
    package var intermediate: Choice? = nil
    /// What has yet to be added or said, `nil` for nothing.
    package var missing: Reason? = nil

    /// The first day on which one of the keys has to be looked at again.
    package var reviewDate: Timestamp? { choices.compactMap(\.until).min() }
    package var isHeldBack: Bool { strategy == .none }
    /// How many pins are to be shipped, with one that is yet to be made.
    package var count: Int { choices.count + (missing == nil || isHeldBack ? 0 : 1) }
}
