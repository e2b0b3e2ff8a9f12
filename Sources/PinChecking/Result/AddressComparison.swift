import Base
package import Pinning
import TLSProbe

package struct AddressComparison {
    package private(set) var findings: [Finding] = []
    package internal(set) var addresses: Int
    private let serving: Int
    /// `true` if no finding is a warning and the verdicts are equal; `nil` if there are not two chains to compare.
    package internal(set) var isConsistent: Bool?
    /// The outcomes of counting connections: by the clients' verdicts alone, and of the whole results.
    var verdicts: [Outcome] = []
    package internal(set) var outcomes: [Outcome] = []

    package var accepted: Int { verdicts.count { $0 == .accepted } }
    package var rejected: Int { verdicts.count(where: \.isRejection) }
    package var unreachable: Int { verdicts.count { [.unreachable, .notSetUp].contains($0) } }
    package var answeringOtherwise: Int { outcomes.count { $0 == .answersOtherwise } }
    package var hasKnownDifferences: Bool {
        findings.contains { $0.level == .note && Self.differences.contains($0.kind) }
    }
    var hasWarnings: Bool { findings.contains { $0.level == .warning } }

    /// The differences between chains that a baseline can contain as well.
    private static let differences: Set<FindingID> = [.addressesDiffer, .noSNIDiffers]

    mutating func allowDifferences() {
        for index in findings.indices where Self.differences.contains(findings[index].kind) {
            findings[index].level = .note
        }
    }

    mutating func ignore(_ ids: Set<FindingID>) { findings.removeAll { ids.contains($0.kind) } }

    mutating func conclude(by results: [CheckResult], isUnchanged: Bool) {
        verdicts = results.map(\.verdict.outcome)
        outcomes = results.map(\.outcome)
        let differ = hasWarnings || !isUnchanged && accepted > 0 && rejected > 0
        isConsistent = differ || serving > 1 || isUnchanged ? !differ : nil
    }

    package let coverage: [CoveredPart]
    package let absentFamilies: [Variant]

    init(of connections: [CheckedConnection], absent families: [Variant] = []) {
        addresses = Set(connections.filter(\.hasAddress).map(\.address)).count
        serving = connections.count { $0.variant.counts && $0.served != nil }
        absentFamilies = families
        coverage =
            connections.map { connection -> CoveredPart in
                let isUnknown = connection.isOutOfTime ? Coverage.unknown(connection.verdict.reason) : nil
                return (
                    connection.variant.label ?? "ordinary", connection.hasAddress ? connection.address : nil,
                    isUnknown ?? connection.came ?? .chain
                )
            }
            + families.compactMap(\.label).map { label -> CoveredPart in
                (label, nil, .none(Reason(FindingID.familyAbsent.word, "the name has no \(label)")))
            }
        let variants = connections.map(\.variant).distinct
        let difference = variants.lazy.filter(\.counts).compactMap { Self.difference(between: connections, of: $0) }
        if let difference = difference.first { findings.append(.warning(.addressesDiffer, difference)) }
        findings += Self.turns(connections)
        let ordinary = connections.filter { $0.variant == .ordinary && $0.served != nil }
        for variant in [Variant.withoutSNI, .withSNI] {
            guard let found = Self.difference(of: variant, in: connections, from: ordinary) else { continue }
            let remedy = variant == .withoutSNI ? ordinary.first.map { Remedy.askTwice($0.place) } : nil
            findings.append(.warning(.noSNIDiffers, found, remedy: remedy))
        }
        let keys = connections.grouped(by: \.variant).compactMap { variant, alike -> String? in
            let keys = alike.compactMap { ($0.served?.presented).map(Self.key) }.distinct
            guard let keyType = variant.keyType, !keys.isEmpty else { return nil }
            return "\(keyType) " + keys.joined(separator: " or ")
        }
        if keys.count > 1 {
            let list = keys.listed
            findings.append(Finding(.keyTypesDiffer, .note, "clients get the key of the type they ask for: \(list)"))
        }
        let reasons = coverage.compactMap { part in part.came.isNone ? part.came.reason : nil }.distinct
        findings += reasons.map { reason in
            let id = reason.id == FindingID.familyAbsent.word ? FindingID.familyAbsent : .keyTypeAbsent
            let places = coverage.filter { $0.came.reason == reason }.compactMap(\.address)
            let isEverywhere = places.count == addresses || places.isEmpty
            return Finding(id, .note, isEverywhere ? reason.sentence : "\(listed(places)): \(reason.sentence)")
        }
    }

    private static let facts: [(condition: String, fact: @Sendable (PresentedChain) -> String)] = [
        ("", { "the key \(key($0))" }),
        ("the key is the same, but ", { "a certificate until \($0.leaf.notAfter) with SHA-256 \(mark($0.leaf))" }),
        (
            "the leaf is the same, but ",
            {
                let rest = $0.certificates.dropFirst().map(\.description).listed
                return rest.isEmpty ? "the leaf alone" : "the leaf with \(rest)"
            }
        ),
    ]

    private static func key(_ chain: PresentedChain) -> String { chain.leaf.spkiSHA256.description }
    private static func mark(_ leaf: Certificate) -> String { leaf.fingerprint.hexadecimal.prefix(16) + "…" }

    private static func difference(between connections: [CheckedConnection], of variant: Variant) -> String? {
        // An address that serves several chains in turn has its own finding.
        let connections = connections.filter { $0.variant == variant }.grouped(by: \.offer).map { $1[0] }
        let refusals = connections.filter { $0.came?.isNone == true }.map { ($0.address, "refuse", "the handshake") }
        for (condition, fact) in facts {
            let served: [Part] = connections.compactMap { connection in
                connection.served.map { (connection.address, "serve", fact($0.presented)) }
            }
            guard !served.isEmpty else { return nil }
            let parts = sentences(served + refusals, of: served.count + refusals.count)
            guard parts.count == 1 else {
                return (variant.label.map { "for \($0), " } ?? "") + condition + parts.joined(separator: "; ")
            }
        }
        return nil
    }

    private static func difference(
        of variant: Variant, in connections: [CheckedConnection], from ordinary: [CheckedConnection]
    ) -> String? {
        let leaves = Dictionary(ordinary.map { ($0.address, $0.served?.presented.leaf) }) { $1 }
        let parts = connections.compactMap { connection -> Part? in
            guard connection.variant == variant, let usual = leaves[connection.address] else { return nil }
            switch connection.result {
            case .success(let result) where result.presented.leaf == usual: return nil
            case .success(let result): return (connection.address, "serve", result.presented.leaf.description)
            case .failure(let error):
                if case .alert(let alert) = error.reason {
                    return (connection.address, "refuse", "the handshake (alert \(alert))")
                }
                return (connection.address, "give", "no certificate (\(error.id))")
            }
        }
        guard !parts.isEmpty else { return nil }
        let sentences = sentences(parts, of: leaves.count).joined(separator: "; ")
        let (with, how) = variant == .withoutSNI ? ("without", "alone") : ("with", "by the name")
        return "\(with) SNI \(sentences): apps that connect to the address \(how) get that"
    }

    private static func turns(_ connections: [CheckedConnection]) -> [Finding] {
        let served = connections.filter { $0.served != nil && $0.variant.counts }
        return served.grouped(by: \.offer).compactMap { _, alike in
            let chains = alike.compactMap(\.served?.presented).grouped(by: \.leaf).map { $1[0] }
            guard chains.count > 1 else { return nil }
            let keys = chains.map(key).distinct
            let objects = keys.count > 1 ? keys : chains.map { mark($0.leaf) }
            let count = objects.count == 2 ? "two" : "\(objects.count)"
            let what = keys.count > 1 ? "keys" : "certificates of one key"
            let list = objects.joined(separator: "; ")
            return .warning(.servesInTurn, "\(alike[0].address) serves \(count) \(what) in turn: \(list)")
        }
    }

    /// The reaction of an address to a handshake, as in `serve` and `the key sha256/…`.
    private typealias Part = (address: String, verb: String, object: String)

    /// Sentences such as `3 of 4 addresses serve X` and `203.0.113.9 serves Y`, the most common reaction first.
    private static func sentences(_ parts: [Part], of total: Int) -> [String] {
        let groups = parts.grouped { [$0.verb, $0.object] }
        // The sort is stable: equal groups stay in the order of the addresses.
        return groups.sorted { $0.elements.count > $1.elements.count }.map { said, parts in
            let isWhole = parts.count == total
            let names =
                parts.count > 2
                ? "\(parts.count) of \(total) addresses" : parts.map(\.address).joined(separator: " and ")
            return "\(isWhole ? "the server" : names) \(said[0])\(isWhole || parts.count == 1 ? "s" : "") \(said[1])"
        }
    }
}
