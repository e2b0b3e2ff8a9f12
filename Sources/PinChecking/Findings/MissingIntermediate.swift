package import Pinning

/// What is known of an intermediate that a chain lacks.
package struct MissingIntermediate: Hashable, Sendable {
    /// What comes of giving it, as a certificate that stands for what a device would fetch.
    package enum Giving: Hashable, Sendable {
        /// The chain is judged with it.
        case helps
        /// Nothing, and none was given.
        case doesNotHelp
        /// It was given, and is not used: the certificate below names no place where it is to be had, so no device would fetch it.
        case isUnusedWithoutPlace
        /// It was given, and is not used: devices of this platform fetch none.
        case isUnusedOn(PlatformFamily)
        /// It was given, and is not used: clients such as this one fetch none.
        case isUnusedHere
        /// Another one was given.
        case isOfAnother
    }

    /// What comes of giving it.
    package var giving: Giving
    /// Whether the chain is one of a file, which no server sent.
    package let isOfFile: Bool
    /// Whether the issuer could be a root of the user's own, since none was given.
    package let mayBeOwnRoot: Bool

    private var isUnused: Bool {
        switch giving {
        case .isUnusedWithoutPlace, .isUnusedOn, .isUnusedHere: true
        case .helps, .doesNotHelp, .isOfAnother: false
        }
    }

    /// What holds of one that several clients lack; there is at least one.
    static func common(to all: [MissingIntermediate]) -> MissingIntermediate? {
        guard var common = all.first, all.contains(where: { $0 != common }) else { return all.first }
        if all.allSatisfy(\.isUnused) {
            common.giving = .isUnusedHere
        } else {
            common.giving = all.contains { $0.giving == .helps } ? .helps : .doesNotHelp
        }
        return common
    }
}

extension Remedy {
    /// What several have in common, `nil` where they differ.
    static func common(to remedies: [Remedy?]) -> Remedy? {
        let missing = remedies.compactMap { remedy in
            if case .sendIntermediate(let missing)? = remedy { missing } else { nil }
        }
        if missing.count == remedies.count, let common = MissingIntermediate.common(to: missing) {
            return .sendIntermediate(common)
        }
        guard let first = remedies.first, remedies.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
