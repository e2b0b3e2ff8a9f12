internal import Pinning

/// What becomes of pin data that is wrong.
enum BadPins: Sendable {
    /// The first ends the reading.
    case refused
    /// Everything that is wrong is gathered, and the reading goes on where it can.
    case gathered
}

/// Gathers pins and notes from the readers and decides what a bad pin means: the end, a note, or one problem of several.
struct PinCollector {
    /// A file of nothing but bad lines must not fill the memory with problems.
    private static let mostProblems = 1_000

    private let badPins: BadPins
    /// Whether a policy is read as the pins of its hosts.
    let readsPolicies: Bool
    private(set) var pins: [Pin] = []
    private(set) var configurations: [PinConfiguration] = []
    /// What configurations of Android apps say of trust.
    private(set) var networkSecurity: [NetworkSecurityConfiguration] = []
    /// What the Info.plist of apps says of App Transport Security.
    private(set) var transportSecurity: [TransportSecurity] = []
    private(set) var notes: [PinNote] = []
    /// The whole keys behind pins, where the source has them; kept while problems are gathered only.
    private(set) var publicKeys: [SHA256Digest: PublicKey] = [:]
    /// What was gathered, at most ``mostProblems``.
    private(set) var problems: [PinFormatError] = []
    /// The number of all problems.
    private(set) var problemCount = 0
    /// Where entries stand that lack something because it was wrong.
    private(set) var incompleteEntries: Set<String> = []

    init(_ badPins: BadPins, readsPolicies: Bool = true) {
        self.badPins = badPins
        self.readsPolicies = readsPolicies
    }

    /// An empty collector for a source within what this one reads, by the same rules.
    func nested() -> PinCollector { PinCollector(badPins, readsPolicies: false) }

    /// Adds all that another collector holds but its pins.
    mutating func addAllButPins(of other: PinCollector) {
        configurations += other.configurations
        networkSecurity += other.networkSecurity
        transportSecurity += other.transportSecurity
        notes += other.notes
        publicKeys.merge(other.publicKeys) { $1 }
        problems += other.problems.prefix(Self.mostProblems - min(problems.count, Self.mostProblems))
        problemCount += other.problemCount
        incompleteEntries.formUnion(other.incompleteEntries)
    }

    /// Adds all that another collector holds.
    mutating func add(_ other: PinCollector) {
        pins += other.pins
        addAllButPins(of: other)
    }

    mutating func add(_ material: Pin.Material, at place: PinPlace) {
        pins.append(Pin(material, origin: place.description))
    }

    /// Adds the pin of a whole key.
    mutating func add(_ key: PublicKey, at place: PinPlace) {
        add(.publicKey(key.spkiSHA256), at: place)
        if badPins == .gathered { publicKeys[key.spkiSHA256] = key }
    }

    mutating func add(_ configuration: PinConfiguration) { configurations.append(configuration) }

    mutating func add(_ configuration: NetworkSecurityConfiguration) { networkSecurity.append(configuration) }

    mutating func add(_ settings: TransportSecurity) { transportSecurity.append(settings) }

    mutating func note(_ id: PinNote.ID, at place: PinPlace, _ text: String) {
        notes.append(PinNote(id: id, place: place, text: text))
    }

    /// Takes note of a pin that is wrong, as of anything else.
    mutating func skip(_ error: PinFormatError) throws(PinFormatError) { try gather(error) }

    /// Takes note of `error` where all that is wrong is gathered, and throws it where it is not.
    mutating func gather(_ error: PinFormatError) throws(PinFormatError) {
        guard badPins == .gathered else { throw error }
        problemCount += 1
        if problems.count < Self.mostProblems { problems.append(error) }
    }

    /// Reads one entry of a configuration.
    ///
    /// - Returns: the entry, `nil` when it is wrong as a whole and that was gathered.
    mutating func entry(
        _ read: (inout PinCollector) throws(PinFormatError) -> HostEntry
    ) throws(PinFormatError) -> HostEntry? {
        let before = problemCount
        do throws(PinFormatError) {
            let entry = try read(&self)
            if problemCount > before { incompleteEntries.insert(entry.origin) }
            return entry
        } catch {
            try gather(error)
            return nil
        }
    }

    /// Says that the entry at `origin` lacks something that was wrong.
    mutating func markIncomplete(_ origin: String) { incompleteEntries.insert(origin) }

    /// Whether the reading goes on after whatever is wrong.
    var isGathering: Bool { badPins == .gathered }

    /// Whether there is no pin and no host.
    private var hasNoPins: Bool { pins.isEmpty && configurations.allSatisfy(\.entries.isEmpty) }

    /// Whether there is no pin, no host, and nothing that decides whom the app trusts.
    var isEmpty: Bool {
        hasNoPins && networkSecurity.allSatisfy(\.isEmpty) && transportSecurity.allSatisfy { !$0.isStated }
    }

    /// Whether there is neither a pin nor a word about one that is wrong.
    var isUntouched: Bool { isEmpty && problemCount == 0 }

    /// Everything gathered.
    ///
    /// - Throws: `absence` when there is nothing.
    func reading(orThrow absence: PinFormatError) throws(PinFormatError) -> PinReading {
        guard !isEmpty else { throw absence }
        return PinReading(
            pins: pins, configurations: configurations, networkSecurity: networkSecurity,
            transportSecurity: transportSecurity, notes: notes)
    }
}
