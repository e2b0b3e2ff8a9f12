import Base
import PinFormats
import Pinning
import X509

/// A source that is judged as a whole: a file, a directory, or all certificates and keys that were named one by one.
struct LintSource {
    let name: String
    let readings: [PinReading]
    /// The sets of pins: first the one for any host, then those of the configurations.
    let sets: [PinnedSet]
    /// The hashes in code and in unread files, which are not compared because their hosts are unknown.
    let codeKeys: [SHA256Digest]
    /// The host patterns of the configurations, each once, in the order of the files.
    let patterns: [HostPattern]
    private let index: HostIndex<(PinConfiguration.Kind, HostEntry)>

    private init(_ name: String, _ readings: [PinReading]) {
        self.name = name
        self.readings = readings
        let pins = readings.flatMap(\.pins)
        var sets: [PinnedSet] = []
        if let first = pins.first {
            let isDirectory = readings.count == 1 && readings[0].isDirectory
            sets.append(
                PinnedSet(
                    kind: nil, entries: [], pins: pins,
                    place: isDirectory ? .file(readings[0].text) : first.place,
                    isIncomplete: readings.contains { !$0.problems.isEmpty }))
        }
        self.sets =
            sets
            + readings.flatMap { reading in
                reading.configurations.flatMap { Self.sets(of: $0, reading) }
            }
        let entries = readings.flatMap(\.configurations).flatMap { configuration in
            configuration.entries.map { (configuration.kind, $0) }
        }
        index = HostIndex(entries.filter { $0.1.hosts != nil }.map { ($0.1.hosts, $0) })
        patterns = entries.compactMap(\.1.hosts).distinct
        let code = readings.flatMap(\.code).flatMap(\.found) + readings.flatMap(\.unread).flatMap(\.pins)
        codeKeys = code.map(\.spkiSHA256).distinct
    }

    var place: PinPlace { readings.first.flatMap { $0.isArgument ? nil : .at($0.text) } ?? .named(name) }

    func entries(of kind: PinConfiguration.Kind, covering host: String) -> [HostEntry] {
        index.covering(host).filter { $0.0 == kind }.map(\.1)
    }

    /// The entries that clients apply to `host`, by the kind of the configuration.
    func policies(for host: String) -> [(kind: PinConfiguration.Kind, policy: [HostEntry])] {
        let entries = Dictionary(grouping: index.covering(host), by: \.0)
        return PinConfiguration.Kind.allCases.compactMap { kind in
            guard let own = entries[kind] else { return nil }
            return PinConfiguration(kind, entries: own.map(\.1)).policy(
                for: host, publicSuffix: SystemPublicSuffixList.publicSuffix
            ).map { (kind, $0) }
        }
    }

    /// The sources of a call; certificates, keys and pins that were named one by one are one source.
    static func sources(_ readings: [PinReading]) -> [Self] {
        let loose = readings.filter(\.isLoose)
        let (alone, first) = (loose.count == 1, readings.firstIndex(where: \.isLoose))
        return readings.enumerated().compactMap { index, reading in
            guard !reading.isLoose || alone else {
                return index == first ? Self(name(ofLoose: loose), loose) : nil
            }
            return Self(reading.isArgument ? "command line" : reading.text, [reading])
        }
    }

    private static func name(ofLoose readings: [PinReading]) -> String {
        let files = readings.filter { !$0.isArgument }
        guard !files.isEmpty else { return "command line" }
        let isPair = readings.count == 2 && files.count == 2
        return listed(files.prefix(isPair ? 2 : 1).map(\.text), of: readings.count)
    }

    /// The sets of a configuration; entries for the same hosts are one set if the client takes the union.
    private static func sets(of configuration: PinConfiguration, _ reading: PinReading) -> [PinnedSet] {
        func set(_ entries: [HostEntry]) -> PinnedSet {
            PinnedSet(
                kind: configuration.kind, entries: entries,
                pins: entries.flatMap(\.pins), place: entries.first?.origin ?? .option,
                isIncomplete: entries.contains { reading.incompleteEntries.contains($0.origin) })
        }
        guard configuration.kind.lookup == .union else { return configuration.entries.map { set([$0]) } }
        return configuration.entries.grouped(by: \.hosts).map { set($0.elements) }
    }
}

/// Alternative pins: all pins for any host, or those of the entries for one host.
struct PinnedSet {
    /// The kind of its configuration; `nil` if the pins are for any host.
    let kind: PinConfiguration.Kind?
    let entries: [HostEntry]
    let pins: [Pin]
    let place: PinPlace
    /// `true` if some of its pins could not be read, so that the number of pins means nothing.
    let isIncomplete: Bool

    var hosts: HostPattern? { entries.first?.hosts }
    var host: String? { hosts?.short }
    var forHost: String { host.map { " for \(shortened($0))" } ?? "" }
    var keys: [SHA256Digest] { pins.map(\.spkiSHA256).distinct }
    var certificates: [(certificate: Certificate, place: PinPlace)] {
        pins.compactMap { pin in pin.certificate.map { ($0, pin.place) } }
    }
    var isTrustKits: Bool { kind == .trustKit || kind == .reactNative }
    var isExcluded: Bool { entries.contains(where: \.isExcluded) }
}

extension PinPlace {
    func named(_ source: String) -> PinPlace { path == nil ? .named(source) : self }
}

extension PinReading {
    /// `true` if the source is a certificate, a key or a written-out pin; several of them are one set.
    fileprivate var isLoose: Bool {
        guard !isDirectory, !isArgument || problems.isEmpty, configurations.isEmpty else { return false }
        return isArgument
            || !pins.isEmpty && pins.allSatisfy { $0.certificate != nil || publicKeys[$0.spkiSHA256] != nil }
    }
}
