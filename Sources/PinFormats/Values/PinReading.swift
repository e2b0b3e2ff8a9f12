package import Base
package import Pinning

/// The contents of a source, with its notes and problems.
///
/// Readers report a problem and go on if they can; the caller decides what the problem means.
package struct PinReading {
    /// The form of a pin for any host.
    package enum Form {
        /// Certificates in DER, as AFNetworking loads them.
        case certificates
        /// curl's notation, with two slashes, or the value of its option.
        case curl
        case other
    }

    /// The limit of problems, so that a file of bad lines does not fill the memory.
    private static let mostProblems = 1_000

    package let text: String
    private let kind: FileKind
    let readsPolicies: Bool
    /// The pins for any host, in their order, with repetitions.
    package private(set) var pins: [Pin] = []
    package private(set) var forms: [Form] = []
    package private(set) var publicKeys: [SHA256Digest: PublicKey] = [:]
    package private(set) var configurations: [PinConfiguration] = []
    /// The trust settings of Android apps, one for each file.
    package internal(set) var networkSecurity: [NetworkSecurityConfiguration] = []
    /// App Transport Security in the Info.plist of apps, one for each file.
    package internal(set) var transportSecurity: [TransportSecurity] = []
    package private(set) var notes: [Finding] = []
    package private(set) var problems: [Problem] = []
    package private(set) var omittedProblemCount = 0
    /// The pins in the code and the assets of built apps, one for each app.
    package internal(set) var code: [CodePins] = []
    /// Unread files of a directory that contain pins, or code that makes a pinner.
    package internal(set) var unread: [(problem: Problem, pins: [Pin])] = []
    /// The clients whose framework is in an app.
    package internal(set) var frameworks: Set<String> = []
    /// The subdirectories with first-party code.
    var subdirectories: [String] = []
    /// The policies in a directory, which name pins but are not pins.
    var policies: [String] = []
    /// The files that are policies: the source itself, or those in its directory.
    package var policyFiles: [String] { configurations.contains { $0.kind == .policy } ? [text] : policies }
    /// The origins of entries in which something was wrong and left out.
    package internal(set) var incompleteEntries: Set<PinPlace> = []

    package init(of text: String = "", _ kind: FileKind = .absent, readsPolicies: Bool = true) {
        (self.text, self.kind, self.readsPolicies) = (text, kind, readsPolicies)
    }

    package var isDirectory: Bool { kind == .directory }

    /// `true` if no file has that name, so that the text itself is the pins.
    package var isArgument: Bool { kind == .absent }

    var isEmpty: Bool {
        pins.isEmpty && configurations.allSatisfy(\.entries.isEmpty) && networkSecurity.allSatisfy(\.isEmpty)
            && transportSecurity.allSatisfy { !$0.isStated } && !notes.contains { $0.kind == .nothingPinned }
    }

    var concernsPins: Bool {
        !isEmpty || !notes.isEmpty || !unread.isEmpty || problems.contains { $0.id != .noPinsInDirectory }
    }

    /// `true` if AFNetworking loads all pins for any host, except for curl's.
    package var areCertificates: Bool {
        forms.allSatisfy { $0 != .other } && !notes.contains { $0.kind == .notLoadedByAFNetworking }
    }

    var problemCount: Int { problems.count + omittedProblemCount }

    /// The reading itself; throws its first problem, because a check must not judge by a part of the pins.
    func orThrow() throws(Problem) -> PinReading {
        if let first = problems.first ?? unread.first?.problem { throw first }
        return self
    }

    /// Adds problems from another reader of the source, except at places that already have one.
    package mutating func report(_ problems: [Problem]) {
        for problem in problems where !self.problems.contains(where: { $0.place == problem.place }) { report(problem) }
    }

    mutating func report(_ error: Problem) {
        if problems.count < Self.mostProblems { problems.append(error) } else { omittedProblemCount += 1 }
    }

    mutating func report(_ id: FindingID, at place: PinPlace, _ reason: String, _ remedy: String? = nil) {
        report(Problem(id, at: place, reason, remedy))
    }

    mutating func note(
        _ kind: FindingID, _ level: Finding.Level? = nil, at place: PinPlace?, _ text: String, remedy: Remedy? = nil
    ) {
        notes.append(Finding(kind, level ?? kind.levels[0], text, at: place, remedy: remedy))
    }

    /// Returns the result of `read`, or reports its problem and returns `nil`.
    @discardableResult mutating func attempt<Value>(_ read: (inout PinReading) throws(Problem) -> Value) -> Value? {
        do { return try read(&self) } catch {
            report(error)
            return nil
        }
    }

    /// Reads one entry of a configuration, and remembers if it is incomplete; `nil` if it is wrong as a whole.
    mutating func entry(_ read: (inout PinReading) throws(Problem) -> HostEntry) -> HostEntry? {
        let before = problemCount
        let entry = attempt(read)
        if let entry, problemCount > before { incompleteEntries.insert(entry.origin) }
        return entry
    }

    mutating func add(_ material: Pin.Material, at place: PinPlace, as form: Form = .other) {
        pins.append(Pin(material, at: place))
        forms.append(form)
    }

    mutating func add(_ key: PublicKey, at place: PinPlace, as form: Form = .other) {
        add(.publicKey(key.spkiSHA256), at: place, as: form)
        publicKeys[key.spkiSHA256] = key
    }

    mutating func add(_ kind: PinConfiguration.Kind, _ entries: [HostEntry], isSource: Bool = false) {
        configurations.append(PinConfiguration(kind, entries: entries, isSource: isSource))
    }

    /// Removes the notes about subdirectories that were not searched, because the caller searches them.
    mutating func lookBelow() {
        let places = Set(subdirectories.map { PinPlace.at($0) })
        notes.removeAll { $0.kind == .notAPinFile && $0.place.map(places.contains) == true }
    }

    /// Adds another reading; without its pins if a policy assigns them to its hosts.
    package mutating func add(_ other: PinReading, withPins: Bool = true) {
        if withPins {
            pins += other.pins
            forms += other.forms
        }
        frameworks.formUnion(other.frameworks)
        configurations += other.configurations
        networkSecurity += other.networkSecurity
        transportSecurity += other.transportSecurity
        code += other.code
        unread += other.unread
        notes += other.notes
        publicKeys.merge(other.publicKeys) { $1 }
        for problem in other.problems { report(problem) }
        omittedProblemCount += other.omittedProblemCount
        incompleteEntries.formUnion(other.incompleteEntries)
    }
}
