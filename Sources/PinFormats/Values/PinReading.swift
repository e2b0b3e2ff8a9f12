package import Base
package import Pinning

/// What a source holds, right and wrong.
///
/// Readers report what is wrong and go on where they can; the caller decides what a problem means.
package struct PinReading: Sendable {
    /// A file of nothing but bad lines must not fill the memory with problems.
    private static let mostProblems = 1_000

    package let text: String
    private let kind: FileKind
    let readsPolicies: Bool
    /// The pins that are for whatever host is checked, in their order, repetitions kept.
    package private(set) var pins: [Pin] = []
    /// What files that configure hosts say.
    package private(set) var configurations: [PinConfiguration] = []
    /// What configurations of Android apps say of trust, one for each file.
    package private(set) var networkSecurity: [NetworkSecurityConfiguration] = []
    /// What the Info.plist of apps says of App Transport Security, one for each file.
    package private(set) var transportSecurity: [TransportSecurity] = []
    /// What is no error but should not go unsaid.
    package private(set) var notes: [Finding] = []
    /// What is wrong or absent, in the order it was met.
    package private(set) var problems: [Problem] = []
    /// How many more there are than ``problems``.
    package private(set) var omittedProblemCount = 0
    package private(set) var publicKeys: [SHA256Digest: PublicKey] = [:]
    /// In which form a pin for whatever host is.
    package enum Form: Sendable, Hashable {
        /// Certificates in DER, as AFNetworking loads them.
        case certificates
        /// curl's notation, with two slashes, or the value of its option.
        case curl
        case other
    }

    /// The form of each of ``pins``.
    package private(set) var forms: [Form] = []
    /// What is in the code and the assets of built apps, one for each app.
    package private(set) var code: [CodePins] = []
    /// Files of a directory in which pins stand, or are put together, and that are not read.
    package private(set) var unread: [(problem: Problem, pins: [Pin])] = []
    /// The clients whose framework is in an app.
    package private(set) var frameworks: Set<String> = []
    /// The directories in a directory, as far as they are the owner's own.
    private(set) var subdirectories: [String] = []
    /// The policies in a directory, which name pins and are none.
    private(set) var policies: [String] = []
    /// The origins of entries that lack something because it was wrong.
    package private(set) var incompleteEntries: Set<String> = []

    init(of text: String = "", _ kind: FileKind = .absent, readsPolicies: Bool = true) {
        (self.text, self.kind, self.readsPolicies) = (text, kind, readsPolicies)
    }

    package var isDirectory: Bool { kind == .directory }

    /// Whether nothing stands at a path of that name, so that the text itself is the pins.
    package var isArgument: Bool { kind == .absent }

    /// Whether there is no pin, no host, and nothing that decides whom the app trusts.
    var isEmpty: Bool {
        pins.isEmpty && configurations.allSatisfy(\.entries.isEmpty) && networkSecurity.allSatisfy(\.isEmpty)
            && transportSecurity.allSatisfy { !$0.isStated } && !notes.contains { $0.kind == .nothingPinned }
    }

    var problemCount: Int { problems.count + omittedProblemCount }

    package func place(ofOrigin origin: String) -> PinPlace { PinPlace(origin: origin, source: text) }

    /// The same for a check, which judges by no part of the pins.
    ///
    /// - Throws: the first problem.
    package func orThrow() throws(Problem) -> PinReading {
        if let first = problems.first ?? unread.first?.problem { throw first }
        return self
    }

    // MARK: Readers

    mutating func report(_ error: Problem) {
        if problems.count < Self.mostProblems { problems.append(error) } else { omittedProblemCount += 1 }
    }

    /// Says what is no error but should not go unsaid.
    mutating func note(_ kind: FindingID, at place: PinPlace?, _ text: String, remedy: Remedy? = nil) {
        notes.append(Finding(kind, kind.levels[0], text, at: place, remedy: remedy))
    }

    /// Reads something, and reports why it cannot be read.
    ///
    /// - Returns: what was read, `nil` for nothing.
    mutating func attempt<Value>(_ read: (inout PinReading) throws(Problem) -> Value) -> Value? {
        do throws(Problem) { return try read(&self) } catch {
            report(error)
            return nil
        }
    }

    /// Reads one entry of a configuration.
    ///
    /// - Returns: the entry, `nil` when it is wrong as a whole.
    mutating func entry(_ read: (inout PinReading) throws(Problem) -> HostEntry) -> HostEntry? {
        let before = problemCount
        let entry = attempt(read)
        if let entry, problemCount > before { incompleteEntries.insert(entry.origin) }
        return entry
    }

    /// Says that the entry at `origin` lacks something that was wrong.
    mutating func markIncomplete(_ origin: String) { incompleteEntries.insert(origin) }

    mutating func add(_ material: Pin.Material, at place: PinPlace, as form: Form = .other) {
        pins.append(Pin(material, origin: place.description))
        forms.append(form)
    }

    /// Whether AFNetworking loads all pins for whatever host but curl's.
    package var areCertificates: Bool {
        forms.allSatisfy { $0 != .other } && !notes.contains { $0.kind == .notLoadedByAFNetworking }
    }

    mutating func add(subdirectory: String) { subdirectories.append(subdirectory) }

    mutating func add(policy: String) { policies.append(policy) }

    /// Leaves out that directories were not looked into, where they are.
    mutating func lookBelow() {
        let places = Set(subdirectories.map { PinPlace.at($0) })
        notes.removeAll { $0.kind == .notAPinFile && $0.place.map(places.contains) == true }
    }

    /// Whether there is anything to say of it.
    var concernsPins: Bool {
        !isEmpty || !notes.isEmpty || !unread.isEmpty || problems.contains { $0.id != .noPinsInDirectory }
    }

    mutating func add(framework: String) { frameworks.insert(framework) }

    mutating func add(_ key: PublicKey, at place: PinPlace, as form: Form = .other) {
        add(.publicKey(key.spkiSHA256), at: place, as: form)
        publicKeys[key.spkiSHA256] = key
    }

    mutating func add(_ configuration: PinConfiguration) { configurations.append(configuration) }

    mutating func add(_ configuration: NetworkSecurityConfiguration) { networkSecurity.append(configuration) }

    mutating func add(unread problem: Problem, _ pins: [Pin]) { unread.append((problem, pins)) }

    mutating func add(_ pins: CodePins) { code.append(pins) }

    mutating func add(_ settings: TransportSecurity) { transportSecurity.append(settings) }

    /// Adds all that another reading holds, but for its pins where a policy has them for its hosts.
    mutating func add(_ other: PinReading, withPins: Bool = true) {
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
