import Pinning
import TLSProbe

extension TargetComparison {
    /// Compares what the variants of one target served.
    ///
    /// - Parameters:
    ///   - outcomes: all connections, also those that are not shown.
    ///   - gaps: families whose addresses could not be found out.
    ///   - isRecorded: whether the connections are those of a baseline.
    init(of outcomes: [VariantOutcome], gaps: [HostAddresses.Gap], isRecorded: Bool) {
        let comparison = VariantComparison(outcomes: outcomes)
        let differences = [
            ("addresses-differ", comparison.addresses), ("addresses-differ", comparison.notOfferedEverywhere),
        ]
        let laterDifferences = [
            ("versions-differ", comparison.versions), ("no-sni-differs", comparison.withoutSNI),
            ("sni-differs", comparison.withSNI),
        ]
        func findings(_ facts: [(id: String, message: String?)]) -> [Finding] {
            facts.compactMap { id, message in message.map { Finding(differenceWithID: id, message: $0) } }
        }
        let hungUp = comparison.hungUp.map { Finding.warning(id: "hung-up", message: $0) }
        let offers = [("key-types-differ", comparison.keyTypes), ("not-offered", comparison.notOffered)].compactMap {
            id, message in message.map { Finding(.info, id: id, message: $0) }
        }
        self.init(
            findings: gaps.map { gap in
                .warning(
                    id: "addresses-incomplete",
                    message: "the \(gap.family == .ipv6 ? "IPv6" : "IPv4") addresses were not checked: \(gap.reason)")
            } + findings(differences) + [hungUp, comparison.untried].compactMap(\.self) + findings(laterDifferences)
                + offers, addresses: Set(outcomes.filter(\.hasAddress).map(\.address)).count,
            serving: outcomes.count { $0.variant.counts && $0.isServing }, isRecorded: isRecorded,
            absences: comparison.absences)
    }
}

/// Finds where the variants of one target serve different certificates.
///
/// Each answer is a sentence, `nil` where there is no difference.
struct VariantComparison {
    let outcomes: [VariantOutcome]

    private typealias Served = (address: String, chain: PresentedChain)

    /// What every address served to a variant.
    private func served(_ variant: Variant) -> [Served] {
        outcomes.compactMap { outcome in
            guard outcome.variant == variant, case .success(let result) = outcome.result else { return nil }
            return (outcome.address, result.presented)
        }
    }

    private var variants: [Variant] {
        outcomes.reduce(into: []) { if !$0.contains($1.variant) { $0.append($1.variant) } }
    }

    // MARK: Addresses

    /// How the addresses differ: by the leaf's key, else by its certificate, else by the rest of what is sent.
    var addresses: String? {
        for variant in variants where variant.counts {
            let all = served(variant)
            let condition = variant.label.map { "for \($0), " } ?? ""
            if let text = Self.groups(all, by: { "the key \(Self.key($0))" }) { return condition + text }
            let certificate = { (chain: PresentedChain) in
                "a certificate until \(chain.leaf.notAfter) with SHA-256 \(chain.leaf.fingerprint.hexadecimal.prefix(16))…"
            }
            if let text = Self.groups(all, by: certificate) { return "\(condition)the key is the same, but \(text)" }
            let rest = { (chain: PresentedChain) in
                chain.certificates.count == 1
                    ? "the leaf alone"
                    : "the leaf with " + chain.certificates.dropFirst().map(\.description).joined(separator: ", ")
            }
            if let text = Self.groups(all, by: rest) { return "\(condition)the leaf is the same, but \(text)" }
        }
        return nil
    }

    /// `3 of 4 addresses serve X; 203.0.113.9 serves Y`, `nil` when all serve the same.
    private static func groups(_ served: [Served], by fact: (PresentedChain) -> String) -> String? {
        var groups: [(fact: String, addresses: [String])] = []
        for (address, chain) in served {
            let fact = fact(chain)
            if let index = groups.firstIndex(where: { $0.fact == fact }) {
                groups[index].addresses.append(address)
            } else {
                groups.append((fact, [address]))
            }
        }
        guard groups.count > 1 else { return nil }
        // The sort is stable: equal groups stay in the order of the addresses.
        return groups.sorted { $0.addresses.count > $1.addresses.count }.map { group in
            let count = group.addresses.count
            return "\(enumeration(group.addresses, of: served.count)) \(count == 1 ? "serves" : "serve") \(group.fact)"
        }.joined(separator: "; ")
    }

    // MARK: Key types

    /// The keys of the certificates for each type of key, where there is more than one; of addresses that differ, what most have.
    var keyTypes: String? {
        var isSameEverywhere = true
        let keys = variants.compactMap { variant -> String? in
            guard case .keyType(let keyType) = variant else { return nil }
            let keys = served(variant).map { Self.key($0.chain) }
            let counts = Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
            if counts.count > 1 { isSameEverywhere = false }
            // The first of several that are served as often.
            guard let most = counts.values.max(), let key = keys.first(where: { counts[$0] == most }) else {
                return nil
            }
            return "\(keyType) \(key)"
        }
        guard keys.count > 1 else { return nil }
        return "clients get the key of the type they ask for: \(keys.joined(separator: ", "))"
            + (isSameEverywhere ? "" : " (at most addresses)")
    }

    // MARK: Versions

    /// Addresses that serve clients of different TLS versions different certificates.
    var versions: String? {
        let offered = variants.filter { if case .version = $0 { !served($0).isEmpty } else { false } }
        let facts = offered.map { variant in
            (label: variant.label ?? "", served: Dictionary(served(variant).map { ($0.address, $0.chain) }) { $1 })
        }
        var addresses: [String] = []
        for outcome in outcomes where outcome.variant == .ordinary && !addresses.contains(outcome.address) {
            let leaves = facts.compactMap { $0.served[outcome.address]?.leaf.fingerprint }
            if Set(leaves).count > 1 { addresses.append(outcome.address) }
        }
        guard let first = addresses.first else { return nil }
        let parts = facts.compactMap { fact in
            fact.served[first].map { "\(fact.label) \($0.leaf.publicKey.algorithm) \(Self.key($0))" }
        }
        return "the certificate depends on the TLS version: \(parts.joined(separator: ", "))"
    }

    // MARK: SNI

    /// What clients get that send no server name, where it is not what the others get.
    var withoutSNI: String? {
        difference(of: .withoutSNI).map { "without SNI \($0): apps that connect to the address alone get that" }
    }

    /// What clients get that send the server's name, where those that do not get something else.
    var withSNI: String? {
        difference(of: .withSNI).map { "with SNI \($0): apps that connect to the address by the name get that" }
    }

    /// What the server answers to a variant, where it is not what ordinary clients get.
    private func difference(of variant: Variant) -> String? {
        let ordinary = Dictionary(served(.ordinary).map { ($0.address, $0.chain) }) { $1 }
        var answers: [(verb: String, object: String, addresses: [String])] = []
        for outcome in outcomes where outcome.variant == variant {
            guard let usual = ordinary[outcome.address] else { continue }
            let verb: String
            let object: String
            switch outcome.result {
            case .success(let result) where result.presented.leaf == usual.leaf: continue
            case .success(let result): (verb, object) = ("serve", "\(result.presented.leaf)")
            case .failure(let error):
                if case .alert(let alert) = error.reason {
                    (verb, object) = ("refuse", "the handshake (alert \(alert))")
                } else {
                    (verb, object) = ("give", "no certificate (\(error.id))")
                }
            }
            if let index = answers.firstIndex(where: { $0.verb == verb && $0.object == object }) {
                answers[index].addresses.append(outcome.address)
            } else {
                answers.append((verb, object, [outcome.address]))
            }
        }
        guard !answers.isEmpty else { return nil }
        let parts = answers.map { answer in
            let count = answer.addresses.count
            let isWhole = count == ordinary.count
            let who = isWhole ? "the server" : Self.enumeration(answer.addresses, of: ordinary.count)
            return "\(who) \(answer.verb)\(isWhole || count == 1 ? "s" : "") \(answer.object)"
        }
        return parts.joined(separator: "; ")
    }

    // MARK: Absences

    /// What addresses gave no certificate for, by the kind of client.
    var absences: [Absence] {
        let serving = Set(outcomes.filter(\.isServing).map(\.place))
        return outcomes.filter { !$0.isServing && $0.variant != .ordinary }.map { outcome in
            Absence(
                address: outcome.address, variant: outcome.variant,
                reason: serving.contains(outcome.place) && !outcome.isUntried ? .notOffered : .notTried)
        }
    }

    /// What no address has anything of.
    var notOffered: String? {
        let labels = variants.filter { served($0).isEmpty && !lacking($0).isEmpty }.compactMap(Self.offer)
        return labels.isEmpty ? nil : "not offered: \(labels.joined(separator: ", "))"
    }

    /// What addresses that serve others end the connection for, without the alert that would say that they do not offer it.
    var hungUp: String? {
        let parts = variants.compactMap { variant -> String? in
            let refused = refusals(of: variant).filter { $0.refusal != .notOffered }
            guard let label = variant.label, let first = refused.first else { return nil }
            let total = Set(outcomes.filter { $0.variant == variant }.map(\.address)).count
            let who = refused.count == total ? "the server" : Self.enumeration(refused.map(\.address), of: total)
            let hangs = refused.count == total || refused.count == 1
            if refused.allSatisfy({ $0.refusal == first.refusal }), case .alert(let alert) = first.refusal {
                return "\(who) \(hangs ? "ends" : "end") the handshake with \(label) by the alert \(alert)"
            }
            return "\(who) hung up on \(label)"
        }
        guard !parts.isEmpty else { return nil }
        return parts.joined(separator: "; ")
            + ": it may be broken for such clients, or not offer that; see the server's log"
    }

    /// What there was no time for.
    var untried: Finding? {
        let untried = outcomes.filter(\.isUntried)
        guard let first = untried.first, case .failure(let error) = first.result,
            case .noTimeLeft(let timeout) = error.reason
        else { return nil }
        let places = Set(outcomes.map(\.place)).count
        let what =
            places == outcomes.count
            ? "\(untried.count) of \(places) addresses were" : "\(untried.count) of \(outcomes.count) connections were"
        return .warning(
            id: "no-time", message: "\(what) not tried, because the time was up",
            remedy: .raiseTimeoutOrNameFewerAddresses(timeout))
    }

    /// What some addresses offer and others do not.
    var notOfferedEverywhere: String? {
        let parts = variants.compactMap { variant -> String? in
            let lacking = lacking(variant)
            guard !lacking.isEmpty, !served(variant).isEmpty, let offer = Self.offer(variant) else { return nil }
            let who = Self.enumeration(lacking, of: lacking.count + served(variant).count)
            if case .keyType(let keyType) = variant {
                return "\(who) \(lacking.count == 1 ? "has" : "have") no \(keyType) certificate"
            }
            return "\(who) \(lacking.count == 1 ? "does" : "do") not offer \(offer)"
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The addresses that answered that they have nothing of the kind.
    private func lacking(_ variant: Variant) -> [String] {
        refusals(of: variant).filter { $0.refusal == .notOffered }.map(\.address)
    }

    private func refusals(of variant: Variant) -> [(address: String, refusal: VariantOutcome.Refusal)] {
        let serving = Set(outcomes.filter(\.isServing).map(\.place))
        return outcomes.compactMap { outcome in
            guard outcome.variant == variant,
                let refusal = outcome.refusal(whereOthersWork: serving.contains(outcome.place))
            else { return nil }
            return (outcome.address, refusal)
        }
    }

    private static func offer(_ variant: Variant) -> String? {
        if case .keyType(let keyType) = variant { "an \(keyType) certificate" } else { variant.label }
    }

    // MARK: Words

    /// Up to two addresses by name, more by their number.
    private static func enumeration(_ addresses: [String], of total: Int) -> String {
        addresses.count > 2 ? "\(addresses.count) of \(total) addresses" : addresses.joined(separator: " and ")
    }

    private static func key(_ chain: PresentedChain) -> String { chain.leaf.publicKey.spkiSHA256.description }
}
