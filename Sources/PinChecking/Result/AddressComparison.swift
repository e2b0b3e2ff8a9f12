import Base
package import Pinning
import TLSProbe

/// How the connections to one target compare: its addresses, and the kinds of clients.
package struct AddressComparison: Sendable {
    package private(set) var findings: [Finding] = []
    package internal(set) var addresses: Int
    /// How many connections that count gave a chain.
    private let serving: Int
    /// Whether no finding is a warning and the verdicts are the same; `nil` when there were not two chains to compare.
    package internal(set) var isConsistent: Bool?
    /// What the clients' verdicts on the connections that count come to, and what these do.
    var verdicts: [Outcome] = []
    package internal(set) var outcomes: [Outcome] = []

    package var accepted: Int { verdicts.count { $0 == .accepted } }
    package var rejected: Int { verdicts.count(where: \.isRejection) }
    /// How many connections that count have no verdict although one was asked for.
    package var unreachable: Int { verdicts.count { [.unreachable, .notSetUp].contains($0) } }
    /// How many of the accepted connections had another answer to the request than expected, or none.
    package var answeringOtherwise: Int { outcomes.count { $0 == .answersOtherwise } }
    package var hasKnownDifferences: Bool {
        findings.contains { $0.level == .note && Self.differences.contains($0.kind) }
    }
    package var hasWarnings: Bool { findings.contains { $0.level == .warning } }

    /// What connections are served that differs, which a baseline can have as well.
    private static let differences: Set<FindingID> = [.addressesDiffer, .noSNIDiffers]

    /// The comparison where a baseline has the differences already, which are no warnings then.
    var ofKnownDifferences: AddressComparison {
        var known = self
        for index in findings.indices where Self.differences.contains(findings[index].kind) {
            known.findings[index].level = .note
        }
        return known
    }

    /// The comparison with what the connections come to that count.
    func concluded(by results: [CheckResult], isUnchanged: Bool) -> AddressComparison {
        var concluded = self
        concluded.verdicts = results.map(\.verdict.outcome)
        concluded.outcomes = results.map(\.outcome)
        let differ = hasWarnings || !isUnchanged && concluded.accepted > 0 && concluded.rejected > 0
        concluded.isConsistent = differ ? false : serving < 2 && !isUnchanged ? nil : true
        return concluded
    }

    init(of connections: [CheckedConnection], gaps: [HostAddresses.Gap] = []) {
        addresses = Set(connections.filter(\.hasAddress).map(\.address)).count
        serving = connections.count { $0.variant.counts && $0.served != nil }
        findings = gaps.map { gap in
            .warning(
                .addressesIncomplete,
                "the \(gap.family == .ipv6 ? "IPv6" : "IPv4") addresses were not checked: \(gap.reason)")
        }
        let variants = connections.map(\.variant).distinct
        let difference = variants.lazy.filter(\.counts).compactMap { Self.difference(between: connections, of: $0) }
        if let difference = difference.first { findings.append(.warning(.addressesDiffer, difference)) }
        if let untried = Self.untried(connections) { findings.append(untried) }
        for variant in variants {
            if let found = Self.difference(of: variant, fromOrdinary: connections) {
                findings.append(.warning(.noSNIDiffers, found))
            }
        }
        let keys = variants.compactMap { Self.keys(of: $0, connections) }
        if keys.count > 1 {
            let list = keys.joined(separator: ", ")
            findings.append(Finding(.keyTypesDiffer, .note, "clients get the key of the type they ask for: \(list)"))
        }
    }

    /// How chains are told apart, the first difference first.
    private static let facts: [(condition: String, fact: @Sendable (PresentedChain) -> String)] = [
        ("", { "the key \(key($0))" }),
        (
            "the key is the same, but ",
            { "a certificate until \($0.leaf.notAfter) with SHA-256 \($0.leaf.fingerprint.hexadecimal.prefix(16))…" }
        ),
        (
            "the leaf is the same, but ",
            {
                let rest = $0.certificates.dropFirst().map(\.description).joined(separator: ", ")
                return rest.isEmpty ? "the leaf alone" : "the leaf with \(rest)"
            }
        ),
    ]

    private static func key(_ chain: PresentedChain) -> String { chain.leaf.publicKey.spkiSHA256.description }

    /// How the addresses differ for one kind of client, `nil` where they do not.
    private static func difference(between connections: [CheckedConnection], of variant: Variant) -> String? {
        let serving = connections.servingPlaces
        let refused = connections.filter { $0.variant == variant && $0.isRefused(whereOthersWork: serving) }
        let refusals = refused.map { ($0.address, "refuse", "the handshake") }
        for (condition, fact) in facts {
            let served = connections.compactMap { connection -> Part? in
                guard connection.variant == variant, let chain = connection.served?.presented else { return nil }
                return (connection.address, "serve", fact(chain))
            }
            guard !served.isEmpty else { return nil }
            let parts = sentences(served + refusals, of: served.count + refusals.count)
            guard parts.count == 1 else {
                return (variant.label.map { "for \($0), " } ?? "") + condition + parts.joined(separator: "; ")
            }
        }
        return nil
    }

    /// What clients get that send no name, or do, where it is not what ordinary clients get.
    private static func difference(of variant: Variant, fromOrdinary connections: [CheckedConnection]) -> String? {
        guard variant == .withoutSNI || variant == .withSNI else { return nil }
        let ordinary = connections.filter { $0.variant == .ordinary && $0.served != nil }
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
        return variant == .withoutSNI
            ? "without SNI \(sentences): apps that connect to the address alone get that"
            : "with SNI \(sentences): apps that connect to the address by the name get that"
    }

    private static func keys(of variant: Variant, _ connections: [CheckedConnection]) -> String? {
        guard case .keyType(let keyType) = variant else { return nil }
        // In the order of the addresses.
        let keys = connections.filter { $0.variant == variant }.compactMap { ($0.served?.presented).map(key) }.distinct
        return keys.isEmpty ? nil : "\(keyType) " + keys.joined(separator: " or ")
    }

    private static func untried(_ connections: [CheckedConnection]) -> Finding? {
        let timeouts = connections.compactMap(\.untriedWithin)
        guard let timeout = timeouts.first else { return nil }
        let places = Set(connections.map(\.place)).count
        let what = places == connections.count ? "addresses" : "connections"
        return .warning(
            .noTime, "\(timeouts.count) of \(connections.count) \(what) were not tried, because the time was up",
            remedy: .raiseTimeoutOrNameFewerAddresses(timeout))
    }

    /// What an address does with a handshake, as in `serve` and `the key sha256/…`.
    private typealias Part = (address: String, verb: String, object: String)

    /// `3 of 4 addresses serve X`, `203.0.113.9 serves Y`: what most do first.
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

extension [CheckedConnection] {
    fileprivate var servingPlaces: Set<String> { Set(filter { $0.served != nil }.map(\.place)) }

    /// Those that say something of their own: not what a server does not offer, and once that an address cannot be reached.
    var shown: [CheckedConnection] {
        let serving = servingPlaces
        let ordinary = Dictionary(filter { $0.variant == .ordinary }.map { ($0.place, $0) }) { first, _ in first }
        return filter { connection in
            guard connection.variant != .ordinary, case .failure(let error) = connection.result else { return true }
            guard connection.variant.counts, !connection.isRefused(whereOthersWork: serving),
                connection.untriedWithin == nil || serving.contains(connection.place)
            else { return false }
            guard case .failure(let first)? = ordinary[connection.place]?.result else { return true }
            return error.phase != first.phase || error.id != first.id
        }
    }
}

extension CheckedConnection {
    fileprivate var place: String { endpoint.request.target }

    /// The address that was connected to, or should have been; with its port when that is not the target's.
    fileprivate var address: String {
        let isUsualPort = Int(endpoint.request.port) == endpoint.targetPort
        if let peer = served?.peer { return isUsualPort ? "\(peer.ip)" : "\(peer)" }
        if served == nil, isUsualPort, case .address(let address) = endpoint.request.destination { return "\(address)" }
        return place
    }

    fileprivate var hasAddress: Bool {
        guard case .failure(let error) = result, case .resolve = endpoint.request.destination else { return true }
        return error.phase != .resolve
    }

    /// Whether the server has no certificate for the kind of client that was tried: it said so, or ends these handshakes alone.
    fileprivate func isRefused(whereOthersWork serving: Set<String>) -> Bool {
        guard case .keyType = variant, case .failure(let error) = result else { return false }
        return switch error.reason {
        case .keyTypeRefused: true
        case .protocolVersion, .alert, .closedEarly, .reset: serving.contains(place)
        default: false
        }
    }

    /// The timeout that was over before it was tried, `nil` where it was tried.
    fileprivate var untriedWithin: Duration? {
        if case .failure(let error) = result, case .noTimeLeft(let timeout) = error.reason { timeout } else { nil }
    }
}
