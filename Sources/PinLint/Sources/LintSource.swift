internal import Base
internal import PinFormats
internal import Pinning

/// What is judged as one: a file, a directory, or the certificates and keys that were named one by one.
struct LintSource {
    /// What it is called in messages.
    let name: String
    /// One inspection, or those of files that count together.
    let inspections: [PinInspection]
    /// The sets of pins in it: that for whatever host first, then those of the configurations.
    let sets: [PinnedSet]
    /// The configurations, by host.
    let index: HostIndex

    private init(_ name: String, _ inspections: [PinInspection]) {
        self.name = name
        self.inspections = inspections
        var sets: [PinnedSet] = []
        let members = inspections.flatMap { inspection in
            inspection.pins.map { PinnedSet.Member(pin: $0, place: inspection.lintPlace($0.origin, in: name)) }
        }
        if let first = members.first {
            let place =
                inspections.count == 1 && inspections[0].isDirectory
                ? LintPlace(.file(inspections[0].text), in: name) : first.place
            let isIncomplete = inspections.contains { !$0.problems.isEmpty }
            sets.append(PinnedSet(kind: nil, entries: [], members: members, place: place, isIncomplete: isIncomplete))
        }
        for inspection in inspections {
            for configuration in inspection.configurations {
                sets += Self.sets(of: configuration, inspection, in: name)
            }
        }
        self.sets = sets
        index = HostIndex(inspections.flatMap(\.configurations))
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

    /// The sources of a call: certificates, keys and pins that were named one by one count together.
    static func sources(_ inspections: [PinInspection]) -> [LintSource] {
        let loose = inspections.indices.filter { inspections[$0].isLoose }
        var sources: [LintSource] = []
        for (index, inspection) in inspections.enumerated() {
            if index == loose.first, loose.count > 1 {
                sources.append(LintSource(name(ofLoose: loose.map { inspections[$0] }), loose.map { inspections[$0] }))
            } else if !loose.contains(index) || loose.count == 1 {
                sources.append(LintSource(inspection.isArgument ? "command line" : inspection.text, [inspection]))
            }
        }
        return sources
    }

    private static func name(ofLoose inspections: [PinInspection]) -> String {
        let files = inspections.filter { !$0.isArgument }
        guard !files.isEmpty else { return "command line" }
        let isPair = inspections.count == 2 && files.count == 2
        return listed(files.prefix(isPair ? 2 : 1).map(\.text), of: inspections.count)
    }

    /// The sets of a configuration: entries for the same hosts make one where the client takes the union.
    private static func sets(
        of configuration: PinConfiguration, _ inspection: PinInspection, in name: String
    ) -> [PinnedSet] {
        var order: [HostPattern?] = []
        var groups: [HostPattern?: [HostEntry]] = [:]
        var sets: [PinnedSet] = []
        func set(_ entries: [HostEntry]) -> PinnedSet {
            PinnedSet(
                kind: configuration.kind, entries: entries,
                members: entries.flatMap(\.pins).map {
                    PinnedSet.Member(pin: $0, place: inspection.lintPlace($0.origin, in: name))
                }, place: inspection.lintPlace(entries.first?.origin ?? "", in: name),
                isIncomplete: entries.contains { inspection.incompleteEntries.contains($0.origin) })
        }
        for entry in configuration.entries {
            guard configuration.kind.lookup == .union else {
                sets.append(set([entry]))
                continue
            }
            if groups[entry.hosts] == nil { order.append(entry.hosts) }
            groups[entry.hosts, default: []].append(entry)
        }
        return sets + order.map { set(groups[$0] ?? []) }
    }
}

extension PinInspection {
    /// The place of an origin, as findings have it.
    func lintPlace(_ origin: String, in source: String) -> LintPlace { LintPlace(place(ofOrigin: origin), in: source) }

    /// Whether the source is a certificate, a key or a written-out pin, of which several make a set.
    fileprivate var isLoose: Bool {
        guard !isDirectory, !isArgument || problems.isEmpty else { return false }
        guard configurations.isEmpty else { return false }
        return isArgument
            || !pins.isEmpty && pins.allSatisfy { $0.certificate != nil || publicKeys[$0.spkiSHA256] != nil }
    }
}
