package import Pinning

/// What a source holds: pins, and what the user should know about it.
package struct PinReading: Sendable, Hashable {
    /// The pins in their order, repetitions kept; never empty.
    package let pins: [Pin]
    /// What is no error but should not go unsaid.
    package let notes: [PinNote]
}

/// Something about a pin source that the user should know although it does not stop the reading.
package struct PinNote: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of notes, as stable words for machines.
    package enum ID: String, Sendable, Hashable, CaseIterable {
        /// AFNetworking would not load these files from a bundle.
        case notLoadedByAFNetworking = "not-loaded-by-afnetworking"
        /// A file in a directory of pins that holds none.
        case notAPinFile = "not-a-pin-file"
        /// A part of a file or header that plays no role for pins.
        case ignored = "ignored"
        /// A bad pin that was skipped because the user asked for it.
        case skippedBadPin = "skipped-bad-pin"
    }

    /// Which kind of note it is.
    package let id: ID
    /// One line; text from outside in it is shortened, not escaped.
    package let message: String

    /// The message.
    package var description: String { message }
}
