import Pinning
import TLSProbe

extension TargetComparison {
    init(of outcomes: [VariantOutcome], gaps: [HostAddresses.Gap]) {
        self.init(
            findings: gaps.map { gap in
                .warning(
                    id: "addresses-incomplete",
                    message: "the \(gap.family == .ipv6 ? "IPv6" : "IPv4") addresses were not checked: \(gap.reason)")
            } + VariantComparison(outcomes: outcomes).findings,
            addresses: Set(outcomes.filter(\.hasAddress).map(\.address)).count,
            serving: outcomes.count { $0.variant.counts && $0.isServing })
    }
}

/// Finds where the variants of one target serve different certificates.
struct VariantComparison {
    let outcomes: [VariantOutcome]

    /// What an address does with a handshake.
    private struct Answer {
        let address: String
        /// As in `serve`.
        let verb: String
        let object: String
    }

    /// How chains are told apart, the first difference first.
    private static let facts: [@Sendable (PresentedChain) -> (condition: String, fact: String)] = [
        { ("", "the key \(key($0))") },
        {
            let hash = $0.leaf.fingerprint.hexadecimal.prefix(16)
            return ("the key is the same, but ", "a certificate until \($0.leaf.notAfter) with SHA-256 \(hash)…")
        },
        {
            let rest = $0.certificates.dropFirst().map(\.description).joined(separator: ", ")
            return ("the leaf is the same, but ", rest.isEmpty ? "the leaf alone" : "the leaf with \(rest)")
        },
    ]

    var findings: [Finding] {
        let variants = outcomes.reduce(into: [Variant]()) { if !$0.contains($1.variant) { $0.append($1.variant) } }
        let addresses = variants.lazy.filter(\.counts).compactMap(differenceOfAddresses).first
        return [addresses.map { Finding(differenceWithID: "addresses-differ", message: $0) }, untried].compactMap(
            \.self)
            + variants.compactMap(differenceFromOrdinary).map {
                Finding(differenceWithID: "no-sni-differs", message: $0)
            } + [keyTypes(variants)].compactMap { $0.map { Finding(.info, id: "key-types-differ", message: $0) } }
    }

    private func served(_ variant: Variant) -> [VariantOutcome] {
        outcomes.filter { $0.variant == variant && $0.isServing }
    }

    /// How the addresses differ for one kind of client, `nil` where they do not.
    private func differenceOfAddresses(_ variant: Variant) -> String? {
        let serving = Set(outcomes.filter(\.isServing).map(\.place))
        let chains = served(variant)
        guard !chains.isEmpty else { return nil }
        let refusals = outcomes.filter { outcome in
            outcome.variant == variant && outcome.isRefused(whereOthersWork: serving.contains(outcome.place))
        }.map { Answer(address: $0.address, verb: "refuse", object: "the handshake") }
        for fact in Self.facts {
            var condition = ""
            let answers = chains.compactMap { outcome -> Answer? in
                guard let chain = outcome.presented else { return nil }
                let (words, object) = fact(chain)
                condition = words
                return Answer(address: outcome.address, verb: "serve", object: object)
            }
            let parts = Self.told(answers + refusals, of: answers.count + refusals.count)
            guard parts.count == 1 else {
                return (variant.label.map { "for \($0), " } ?? "") + condition + parts.joined(separator: "; ")
            }
        }
        return nil
    }

    /// What clients get that send no name, or do, where it is not what ordinary clients get.
    private func differenceFromOrdinary(_ variant: Variant) -> String? {
        guard variant == .withoutSNI || variant == .withSNI else { return nil }
        let ordinary = Dictionary(served(.ordinary).map { ($0.address, $0) }) { $1 }
        let answers = outcomes.compactMap { outcome -> Answer? in
            guard outcome.variant == variant, let usual = ordinary[outcome.address] else { return nil }
            let (verb, object) =
                switch outcome.result {
                case .success(let result): ("serve", result.presented.leaf.description)
                case .failure(let error):
                    if case .alert(let alert) = error.reason {
                        ("refuse", "the handshake (alert \(alert))")
                    } else {
                        ("give", "no certificate (\(error.id))")
                    }
                }
            guard outcome.presented?.leaf != usual.presented?.leaf else { return nil }
            return Answer(address: outcome.address, verb: verb, object: object)
        }
        let parts = Self.told(answers, of: ordinary.count)
        guard !parts.isEmpty else { return nil }
        return variant == .withoutSNI
            ? "without SNI \(parts.joined(separator: "; ")): apps that connect to the address alone get that"
            : "with SNI \(parts.joined(separator: "; ")): apps that connect to the address by the name get that"
    }

    /// The keys for each type of key, `nil` where there is no more than one.
    private func keyTypes(_ variants: [Variant]) -> String? {
        let keys = variants.compactMap { variant -> String? in
            guard case .keyType(let keyType) = variant else { return nil }
            // In the order of the addresses.
            let keys = served(variant).compactMap { $0.presented.map(Self.key) }.reduce(into: [String]()) {
                if !$0.contains($1) { $0.append($1) }
            }
            return keys.isEmpty ? nil : "\(keyType) " + keys.joined(separator: " or ")
        }
        return keys.count > 1 ? "clients get the key of the type they ask for: \(keys.joined(separator: ", "))" : nil
    }

    private var untried: Finding? {
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

    // MARK: Words

    /// `3 of 4 addresses serve X`, `203.0.113.9 serves Y`: what most do first.
    private static func told(_ answers: [Answer], of total: Int) -> [String] {
        var groups: [(answer: Answer, addresses: [String])] = []
        for answer in answers {
            let index = groups.firstIndex { $0.answer.verb == answer.verb && $0.answer.object == answer.object }
            if let index {
                groups[index].addresses.append(answer.address)
            } else {
                groups.append((answer, [answer.address]))
            }
        }
        // The sort is stable: equal groups stay in the order of the addresses.
        return groups.sorted { $0.addresses.count > $1.addresses.count }.map { answer, addresses in
            let isWhole = addresses.count == total
            let names =
                addresses.count > 2 ? "\(addresses.count) of \(total) addresses" : addresses.joined(separator: " and ")
            return "\(isWhole ? "the server" : names) \(answer.verb)\(isWhole || addresses.count == 1 ? "s" : "") "
                + answer.object
        }
    }

    private static func key(_ chain: PresentedChain) -> String { chain.leaf.publicKey.spkiSHA256.description }
}

/// One connection that was made, or tried.
struct VariantOutcome: Sendable {
    let endpoint: CheckEndpoint
    let variant: Variant
    let result: Result<Handshake, ProbeError>
    /// The connection with its verdict and answer, where it had to be judged before all were made.
    var checked: CheckedConnection? = nil

    /// The address that was connected to, or should have been; with its port when that is not the target's.
    var address: String {
        let isUsualPort = Int(endpoint.request.port) == endpoint.targetPort
        switch (result, endpoint.request.destination) {
        case (.success(let result), _) where result.peer != nil:
            guard let peer = result.peer else { return endpoint.request.target }
            return isUsualPort ? "\(peer.ip)" : "\(peer)"
        case (.failure, .address(let address)) where isUsualPort: return "\(address)"
        case (_, _): return endpoint.request.target
        }
    }

    var hasAddress: Bool {
        guard case .failure(let error) = result, case .resolve = endpoint.request.destination else { return true }
        return error.phase != .resolve
    }

    /// Whether the server has no certificate for the kind of client that was tried.
    ///
    /// `isServing`: the same address completed another handshake, so that the server and the name are all right.
    func isRefused(whereOthersWork isServing: Bool) -> Bool {
        guard case .keyType = variant, case .failure(let error) = result else { return false }
        return switch error.reason {
        case .keyTypeRefused: true
        case .protocolVersion, .alert, .closedEarly, .reset: isServing
        default: false
        }
    }

    var isUntried: Bool {
        if case .failure(let error) = result, case .noTimeLeft = error.reason { true } else { false }
    }

    /// Whether it failed as `other` did.
    func failed(like other: VariantOutcome) -> Bool {
        guard case .failure(let error) = result, case .failure(let first) = other.result else { return false }
        return error.phase == first.phase && error.id == first.id
    }
}

extension VariantOutcome {
    var isServing: Bool { if case .success = result { true } else { false } }

    /// The chain, `nil` where there is none.
    var presented: PresentedChain? { try? result.get().presented }

    var place: String { endpoint.request.target }
}
