package import Pinning

/// What one client decided on one device and how long that will last.
package struct Judgement: Sendable {
    package let device: JudgedDevice
    package let client: ConfiguredClient
    package let decided: Verdict
    /// The same on the path that shows all pins which hold.
    package let shown: Verdict
    package let matches: [PinMatch]
    /// How long the verdict will last.
    package let outlook: PinChecking.Outlook
    private let facts: OutlookFacts

    package var name: String { client.entry.name }

    init(
        device: JudgedDevice, client: ConfiguredClient, decided: Verdict, shown: Verdict, matches: [PinMatch],
        facts: OutlookFacts
    ) {
        self.device = device
        self.client = client
        self.decided = decided
        self.shown = shown
        self.matches = matches
        self.facts = facts
        outlook = facts.outlook()
    }

    var keysInUse: Set<SHA256Digest> { facts.keysInUse }

    /// The same judgement, knowing of keys that are in use elsewhere: a pin for one of them is no backup.
    func knowing(keysInUse: Set<SHA256Digest>) -> Judgement {
        var facts = facts
        facts.keysInUse.formUnion(keysInUse)
        return Judgement(device: device, client: client, decided: decided, shown: shown, matches: matches, facts: facts)
    }
}

extension HostPolicy {
    /// The judgement on each decision, `nil` of a client that could not be set up.
    func judgements(_ decisions: [Decision], on observation: ServerView) -> [Judgement?] {
        decisions.map { decision in
            guard let verdict = try? decision.verdict.get(), let procedure = try? decision.client.procedure.get() else {
                return nil
            }
            return judgement(decision, procedure, verdict, on: observation)
        }
    }

    /// The judgements in the order of the devices, on each in that of the registry: nothing but the order of lines follows from that
    /// of `--client`.
    func ordered(_ judgements: [Judgement?]) -> [Judgement] {
        guard judgements.count > 1 else { return judgements.compactMap(\.self) }
        let places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1.name, $0) })
        return judgements.enumerated().compactMap { position, judgement in
            judgement.map { ($0, Rank(places[$0.device.name] ?? 0, $0.client, position)) }
        }.sorted { (left: (Judgement, Rank), right: (Judgement, Rank)) in left.1 < right.1 }.map(\.0)
    }

    /// The place of a client among others, whatever the order they were named in.
    private struct Rank: Comparable {
        private let device: Int
        private let entry: Int
        private let name: String
        private let position: Int

        init(_ device: Int, _ client: ConfiguredClient, _ position: Int) {
            self.device = device
            entry = Client.all.firstIndex { $0.name == client.entry.name } ?? .max
            name = client.words.joined(separator: ":")
            self.position = position
        }

        static func < (left: Rank, right: Rank) -> Bool {
            (left.device, left.entry, left.name, left.position) < (
                right.device, right.entry, right.name, right.position
            )
        }
    }

    private func judgement(
        _ decision: Decision, _ procedure: any ClientProcedure, _ verdict: Verdict, on observation: ServerView
    ) -> Judgement {
        let (device, client) = (decision.device, decision.client)
        let observation = observation.running(on: device.release)
        let comparison = procedure.comparison(with: client.pins, for: observation.referenceName)
        let shown = !comparison.endsPathAtPin ? verdict : reachingFarther(verdict, of: client, on: device, observation)
        let positions = positions(of: client)
        let matches = shown.matches.flatMap { match in
            (positions[match.pinIndex] ?? []).map { PinMatch(pinIndex: $0, depth: match.depth) }
        }.sorted { ($0.depth, $0.pinIndex) < ($1.depth, $1.pinIndex) }
        let restsOn =
            verdict.isAccepted || !verdict.restsOn.isEmpty
            ? verdict.restsOn.map(\.certificates) : [verdict.builtChain.certificates]
        let inUse = observation.presented.certificates + restsOn.flatMap { $0 } + shown.builtChain.certificates
        var moved = comparison
        for index in moved.conditions.indices {
            moved.conditions[index].pins = moved.conditions[index].pins.flatMap { positions[$0] ?? [] }
        }
        let facts = OutlookFacts(
            path: shown.builtChain.certificates, restsOn: restsOn, pins: setup.pins?.pins ?? [], matches: matches,
            comparison: moved, keysInUse: Set(inUse.map(\.publicKey.spkiSHA256)),
            isAcceptedForPins: verdict.isAcceptedForPins, time: observation.time, limits: outlook.limits)
        return Judgement(device: device, client: client, decided: verdict, shown: shown, matches: matches, facts: facts)
    }

    /// Where the pins of a client stand among those configured.
    private func positions(of client: ConfiguredClient) -> [Int: [Int]] {
        let configured = setup.pins?.pins ?? []
        let own = client.pins?.pins ?? []
        var byPin: [Pin: [Int]] = [:]
        for index in configured.indices { byPin[configured[index], default: []].append(index) }
        // Of equal pins the first stands for all of them, at all of their places: what holds for one holds for each.
        return Dictionary(uniqueKeysWithValues: own.indices.map { ($0, byPin.removeValue(forKey: own[$0]) ?? []) })
    }
}

extension Verdict { fileprivate var isAcceptedForPins: Bool { if case .pinMatched = reason { true } else { false } } }

extension Verdict {
    var isMissingAnchor: Bool {
        if case .untrusted(let failures) = reason { failures.contains(where: \.isMissingAnchor) } else { false }
    }
}
