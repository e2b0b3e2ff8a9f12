internal import Base
package import Pinning

/// What a source holds: pins, and what the user should know about it.
package struct PinReading: Sendable, Hashable {
    /// The pins that are for whatever host is checked, in their order, repetitions kept.
    ///
    /// Empty only beside ``configurations``.
    package let pins: [Pin]
    /// What files that configure hosts say.
    package let configurations: [PinConfiguration]
    /// What configurations of Android apps say of trust, one for each file.
    package let networkSecurity: [NetworkSecurityConfiguration]
    /// What the Info.plist of apps says of App Transport Security, one for each file.
    package let transportSecurity: [TransportSecurity]
    /// What is no error but should not go unsaid.
    package let notes: [PinNote]
}

/// Something about a pin source that the user should know although it does not stop the reading.
package struct PinNote: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of notes, as stable words for machines.
    package enum ID: String, Sendable, Hashable, CaseIterable {
        /// AFNetworking would not load these files from a bundle.
        case notLoadedByAFNetworking = "not-loaded-by-afnetworking"
        /// Which certificate files of an app which client loads.
        case loadedFromBundle = "loaded-from-bundle"
        /// A file in a directory of pins that holds none.
        case notAPinFile = "not-a-pin-file"
        /// A certificate request, of which the key is pinned.
        case request
        /// A part of a file or header that plays no role for pins.
        case ignored = "ignored"
        /// A host is configured so that no certificate can match.
        case pinnedToNothing = "pinned-to-nothing"
        /// A part of a configuration that pincheck does not follow.
        case notFollowed = "not-followed"
        /// A host that is configured and has no key for pins at all.
        case hostNotPinned = "host-not-pinned"
        /// A host is pinned by a name that its client never finds equal to that of a URL.
        case hostNeverMatches = "host-never-matches"
        /// A key that the client does not read.
        case unknownKey = "unknown-key"
        /// Anchors whose paths are exempt from pinning.
        case pinsOverridden = "pins-overridden"
        /// An element whose anchors are none, so that nothing is trusted.
        case trustsNothing = "trusts-nothing"
        /// A part of a configuration that only debuggable builds read.
        case debugOverrides = "debug-overrides"
        /// A part of a configuration that only debuggable builds read, and end for.
        case debugBuildThrows = "debug-build-throws"
        /// A set of pins without a pin, which switches pinning off.
        case emptyPinSet = "empty-pin-set"
    }

    /// Which kind of note it is.
    package let id: ID
    /// Where what it is about stands, `nil` where ``text`` says that too.
    package let place: PinPlace?
    /// One line without the place; text from outside in it is shortened, and escaped in ``message``.
    package let text: String

    /// The place and the text.
    package var message: String { TerminalText.escaped((place.map { "\($0): " } ?? "") + text) }

    /// The message.
    package var description: String { message }
}
