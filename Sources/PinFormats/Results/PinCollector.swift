internal import Pinning

/// What becomes of pin data that is wrong.
enum BadPins: Sendable {
    /// The first ends the reading.
    case refused
    /// Bad pins become notes; everything else that is wrong ends the reading.
    case skipped
    /// Everything that is wrong is gathered, and the reading goes on where it can.
    case gathered
}

/// Gathers pins and notes from the readers and decides what a bad pin means: the end, a note, or one problem of several.
struct PinCollector {
    /// A file of nothing but bad lines must not fill the memory with notes.
    private static let mostNotesOfSkipping = 50
    /// Nor with problems.
    private static let mostProblems = 1_000

    private let badPins: BadPins
    /// Whether what is wrong with one host is kept for who asks for it.
    private let defersHosts: Bool
    private(set) var unreadHosts: [UnreadHost] = []
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
    private var skipped = 0
    private var firstSkipped: PinFormatError?

    init(_ badPins: BadPins, readsPolicies: Bool = true, defersHosts: Bool = false) {
        self.badPins = badPins
        self.defersHosts = defersHosts
        self.readsPolicies = readsPolicies
    }

    /// An empty collector for a source within what this one reads, by the same rules; the source may have bad pins skipped.
    func nested(skipsBadPins: Bool) -> PinCollector {
        PinCollector(skipsBadPins && badPins == .refused ? .skipped : badPins, readsPolicies: false)
    }

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
        unreadHosts += other.unreadHosts
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

    /// Takes note of `error` where bad pins are skipped or gathered, and throws it where they are not.
    ///
    /// A private key is never skipped: whoever ships one with the pins has to hear of it.
    mutating func skip(_ error: PinFormatError) throws(PinFormatError) {
        guard badPins == .skipped, error.problem != .privateKey else { return try gather(error) }
        skipped += 1
        firstSkipped = firstSkipped ?? error
        if skipped <= Self.mostNotesOfSkipping {
            notes.append(PinNote(id: .skippedBadPin, place: nil, text: "skipped: \(error)"))
        }
    }

    /// Keeps what is wrong with one host where that is no matter of others, and treats it as a bad pin where it is.
    mutating func refuse(_ host: UnreadHost) throws(PinFormatError) {
        guard defersHosts, badPins == .refused else { return try skip(host.error) }
        unreadHosts.append(host)
    }

    /// Keeps why the pins of a host are not known for who asks for it; it is no bad pin, which could be skipped.
    mutating func leaveUnread(_ host: UnreadHost) throws(PinFormatError) {
        guard defersHosts, badPins != .gathered else { return try gather(host.error) }
        unreadHosts.append(host)
    }

    /// Keeps that all pins of a host were skipped for who asks for it: without them any key would do.
    mutating func leaveUnread(skipping host: UnreadHost) {
        if defersHosts, badPins == .skipped { unreadHosts.append(host) }
    }

    /// Refuses a host whose pins are others in two places of which each client has one; whoever asks for no host in particular is
    /// told that both are read.
    mutating func refuse(_ hosts: HostPattern, port: Int?, in places: TwoPlaces) {
        // No pin of them is a bad one, which could be skipped.
        guard defersHosts else {
            return note(
                .notFollowed, at: places.place, "\(places.note): they are put together here, though \(places.rule)")
        }
        let error = PinFormatError(
            .wrongValue, at: places.place,
            "the pins of \(hosts) are others here than in line \(places.other), and \(places.rule)",
            remedy: places.remedy)
        unreadHosts.append(UnreadHost(hosts: hosts, port: port, error: error))
    }

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
    var isUntouched: Bool { isEmpty && firstSkipped == nil && problemCount == 0 }

    /// Everything gathered.
    ///
    /// - Throws: `absence` when there is no pin, or an error about what was skipped when that is why.
    func reading(orThrow absence: PinFormatError) throws(PinFormatError) -> PinReading {
        // What the app says of trust beside its pins does not stand for them.
        if hasNoPins, let firstSkipped {
            throw PinFormatError(
                .nothingLeft, at: firstSkipped.place,
                skipped == 1
                    ? "the only pin was skipped: \(firstSkipped.reason)"
                    : "\(skipped == 2 ? "both" : "all \(skipped)") pins were skipped, the first because: \(firstSkipped.reason)",
                remedy: firstSkipped.remedy)
        }
        if hasNoPins, let first = unreadHosts.first { throw first.error }
        guard !isEmpty else { throw absence }
        var notes = notes
        if skipped > Self.mostNotesOfSkipping {
            notes.append(PinNote(id: .skippedBadPin, place: nil, text: "skipped: \(skipped) bad pins in all"))
        }
        return PinReading(
            pins: pins, configurations: configurations, networkSecurity: networkSecurity,
            transportSecurity: transportSecurity, notes: notes, unreadHosts: unreadHosts)
    }
}

/// Two places of a file that say different things of a host.
struct TwoPlaces {
    /// The later one.
    let place: PinPlace
    /// The line of the other.
    let other: Int
    /// What the later one is to the other.
    let note: String
    /// Why both cannot count.
    let rule: String
    /// What to do.
    let remedy: String
}
