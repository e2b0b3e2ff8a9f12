internal import Base
internal import PinFormats
internal import Pinning

/// What is judged as one: a file, a directory, or the certificates and keys that were named one by one.
struct LintSource {
    /// What it is called in messages.
    let name: String
    /// One inspection, or those of files that count together.
    let inspections: [PinReading]
    /// The sets of pins in it: that for whatever host first, then those of the configurations.
    let sets: [PinnedSet]
    /// Every pattern of its configurations once, in the order of the files.
    let patterns: [HostPattern]
    private let index: HostIndex<(PinConfiguration.Kind, HostEntry)>

    private init(_ name: String, _ inspections: [PinReading]) {
        self.name = name
        self.inspections = inspections
        let members = inspections.flatMap { inspection in
            inspection.pins.map { PinnedSet.Member(pin: $0, place: inspection.lintPlace($0.origin, in: name)) }
        }
        var sets: [PinnedSet] = []
        if let first = members.first {
            let isDirectory = inspections.count == 1 && inspections[0].isDirectory
            sets.append(
                PinnedSet(
                    kind: nil, entries: [], members: members,
                    place: isDirectory ? LintPlace(.file(inspections[0].text), in: name) : first.place,
                    isIncomplete: inspections.contains { !$0.problems.isEmpty }))
        }
        for inspection in inspections {
            for configuration in inspection.configurations {
                sets += Self.sets(of: configuration, inspection, in: name)
            }
        }
        self.sets = sets
        let entries = inspections.flatMap(\.configurations).flatMap { configuration in
            configuration.entries.map { (configuration.kind, $0) }
        }
        index = HostIndex(entries.map { ($0.1.hosts, $0) })
        var seen: Set<HostPattern> = []
        patterns = entries.compactMap(\.1.hosts).filter { seen.insert($0).inserted }
    }

    /// The place of the source as a whole.
    var place: LintPlace {
        guard let inspection = inspections.first, !inspection.isArgument else { return LintPlace(.option, in: name) }
        return LintPlace(.at(inspection.text), in: name)
    }

    /// The place of a configuration's entry; files that count together are none.
    func place(ofOrigin origin: String) -> LintPlace {
        inspections.first.map { $0.lintPlace(origin, in: name) } ?? place
    }

    /// The entries of one kind that cover `host`.
    func entries(of kind: PinConfiguration.Kind, covering host: String) -> [HostEntry] {
        index.covering(host).filter { $0.0 == kind }.map(\.1)
    }

    /// What is said of `host`, by the rules of each kind's own client.
    func policies(
        for host: String, suffixes: some PublicSuffixList
    ) -> [(kind: PinConfiguration.Kind, policy: HostPolicy)] {
        let entries = Dictionary(grouping: index.covering(host), by: \.0)
        return PinConfiguration.Kind.allCases.compactMap { kind in
            guard let own = entries[kind] else { return nil }
            return PinConfiguration(kind, entries: own.map(\.1)).policy(for: host, suffixes: suffixes).map {
                (kind, $0)
            }
        }
    }

    /// The sources of a call: certificates, keys and pins that were named one by one count together.
    static func sources(_ inspections: [PinReading]) -> [LintSource] {
        let loose = inspections.filter(\.isLoose)
        var sources: [LintSource] = []
        var isWaiting = loose.count > 1
        for inspection in inspections {
            if !inspection.isLoose || loose.count == 1 {
                sources.append(LintSource(inspection.isArgument ? "command line" : inspection.text, [inspection]))
            } else if isWaiting {
                isWaiting = false
                sources.append(LintSource(name(ofLoose: loose), loose))
            }
        }
        return sources
    }

    private static func name(ofLoose inspections: [PinReading]) -> String {
        let files = inspections.filter { !$0.isArgument }
        guard !files.isEmpty else { return "command line" }
        let isPair = inspections.count == 2 && files.count == 2
        return listed(files.prefix(isPair ? 2 : 1).map(\.text), of: inspections.count)
    }

    /// The sets of a configuration: entries for the same hosts make one where the client takes the union.
    private static func sets(
        of configuration: PinConfiguration, _ inspection: PinReading, in name: String
    ) -> [PinnedSet] {
        func set(_ entries: [HostEntry]) -> PinnedSet {
            PinnedSet(
                kind: configuration.kind, entries: entries,
                members: entries.flatMap(\.pins).map {
                    PinnedSet.Member(pin: $0, place: inspection.lintPlace($0.origin, in: name))
                }, place: inspection.lintPlace(entries.first?.origin ?? "", in: name),
                isIncomplete: entries.contains { inspection.incompleteEntries.contains($0.origin) })
        }
        guard configuration.kind.lookup == .union else { return configuration.entries.map { set([$0]) } }
        let groups = Dictionary(grouping: configuration.entries, by: \.hosts)
        var seen: Set<HostPattern?> = []
        return configuration.entries.map(\.hosts).filter { seen.insert($0).inserted }.map { set(groups[$0] ?? []) }
    }
}

/// Pins that stand in for each other: those for whatever host, or those of the entries for one host.
struct PinnedSet {
    /// One pin and its place.
    struct Member {
        let pin: Pin
        let place: LintPlace
        var kind: String { pin.certificate == nil ? "pin" : "certificate" }
    }

    /// Whose configuration it is from, `nil` for pins that are for whatever host.
    let kind: PinConfiguration.Kind?
    /// The entries, none for pins that are for whatever host.
    let entries: [HostEntry]
    /// Its pins, in their order.
    let members: [Member]
    /// Where it begins.
    let place: LintPlace
    /// Whether pins of it could not be read, so that their number says nothing.
    let isIncomplete: Bool

    /// The hosts, `nil` for whatever host.
    var hosts: HostPattern? { entries.first?.hosts }
    /// The hosts as text.
    var host: String? { hosts?.short }
    /// The hosts for the middle of a sentence, with the space before them.
    var forHost: String { host.map { " for \(shortened($0))" } ?? "" }
    /// The different keys, in their order.
    var keys: [SHA256Digest] {
        var seen: Set<SHA256Digest> = []
        return members.map(\.pin.spkiSHA256).filter { seen.insert($0).inserted }
    }
    /// The certificates among the pins.
    var certificates: [(certificate: Certificate, place: LintPlace)] {
        members.compactMap { member in member.pin.certificate.map { ($0, member.place) } }
    }
    /// Whether the client that reads it is TrustKit.
    var isTrustKits: Bool { kind == .trustKit || kind == .reactNative }
    /// Whether the entry exempts its hosts from pinning.
    var isExcluded: Bool { entries.contains(where: \.isExcluded) }
}

extension PinReading {
    /// The place of an origin, as findings have it.
    func lintPlace(_ origin: String, in source: String) -> LintPlace { LintPlace(place(ofOrigin: origin), in: source) }

    /// Whether the source is a certificate, a key or a written-out pin, of which several make a set.
    fileprivate var isLoose: Bool {
        guard !isDirectory, !isArgument || problems.isEmpty, configurations.isEmpty else { return false }
        return isArgument
            || !pins.isEmpty && pins.allSatisfy { $0.certificate != nil || publicKeys[$0.spkiSHA256] != nil }
    }
}
