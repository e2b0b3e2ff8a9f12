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
        case isOfAnother
    }

    package var giving: Giving
    /// Whether the chain is one of a file, which no server sent.
    package let isOfFile: Bool
    /// Whether the issuer could be a root of the user's own, since none was given.
    package let mayBeOwnRoot: Bool
}
