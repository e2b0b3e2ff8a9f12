internal import Pinning

/// Gathers pins and notes from the readers and decides what a bad pin means: the end, or a note.
struct PinCollector {
    /// A file of nothing but bad lines must not fill the memory with notes.
    private static let mostNotesOfSkipping = 50

    private let skipsBadPins: Bool
    private(set) var pins: [Pin] = []
    private(set) var configurations: [PinConfiguration] = []
    private(set) var notes: [PinNote] = []
    private var skipped = 0
    private var firstSkipped: PinFormatError?

    init(skipsBadPins: Bool) {
        self.skipsBadPins = skipsBadPins
    }

    mutating func add(_ material: Pin.Material, at place: PinPlace) {
        pins.append(Pin(material, origin: place.description))
    }

    mutating func add(_ configuration: PinConfiguration) {
        configurations.append(configuration)
    }

    mutating func note(_ id: PinNote.ID, _ message: String) {
        notes.append(PinNote(id: id, message: message))
    }

    /// Takes note of `error` where bad pins are skipped, and throws it where they are not.
    ///
    /// A private key is never skipped: whoever ships one with the pins has to hear of it.
    mutating func skip(_ error: PinFormatError) throws(PinFormatError) {
        guard skipsBadPins, error.problem != .privateKey else { throw error }
        skipped += 1
        firstSkipped = firstSkipped ?? error
        if skipped <= Self.mostNotesOfSkipping { note(.skippedBadPin, "skipped: \(error)") }
    }

    /// Everything gathered.
    ///
    /// - Throws: `absence` when there is no pin, or an error about what was skipped when that is why.
    func reading(orThrow absence: @autoclosure () -> PinFormatError) throws(PinFormatError) -> PinReading {
        let isEmpty = pins.isEmpty && configurations.allSatisfy(\.entries.isEmpty)
        if isEmpty, let firstSkipped {
            throw PinFormatError(
                .nothingLeft,
                at: firstSkipped.place,
                skipped == 1
                    ? "the only pin was skipped: \(firstSkipped.reason)"
                    : "all \(skipped) pins were skipped, the first because: \(firstSkipped.reason)",
                remedy: firstSkipped.remedy
            )
        }
        guard !isEmpty else { throw absence() }
        var notes = notes
        if skipped > Self.mostNotesOfSkipping {
            notes.append(PinNote(id: .skippedBadPin, message: "skipped: \(skipped) bad pins in all"))
        }
        return PinReading(pins: pins, configurations: configurations, notes: notes)
    }
}
