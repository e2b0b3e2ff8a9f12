package import PinFormats
package import Pinning
package import TLSProbe

/// The result for one argument of `pins`: the keys of a server or a file.
package struct KeySource {
    package static let warning =
        "pins learned from an unverified connection prove nothing: they may be an interceptor's"

    package let name: String
    private var connection: CheckedConnection?
    /// The key types without a certificate at the endpoint, only in the endpoint's first source.
    package internal(set) var absentKeyTypes: [CertificateKeyType] = []
    package var items: [PinItem]
    package var group: PinGroup?
    package var alsoSent: [Certificate] = []
    package private(set) var presented: PresentedChain?
    /// The finding that the chain may be an interceptor's, even if it is trusted; `nil` without a sign of one.
    package private(set) var suspicion: Finding?
    package var recommended: Recommendation?

    package var endpoint: CheckEndpoint? { connection?.endpoint }
    package var peer: PeerAddress? { connection?.peer }
    package var keyType: CertificateKeyType? { connection?.variant.keyType }
    package var part: String? { connection?.variant.label }
    package var ending: Ending? { connection?.verdict }
    var judged: JudgedChain? { connection?.judged }

    /// `true` if the default client does not accept the server's chain: its keys may be an interceptor's.
    package var isUnverified: Bool { ending.map { ![.accepted, .unreachable].contains($0.outcome) } ?? false }

    package var hasNoVerdict: Bool { [.unreachable, .notSetUp].contains(ending?.outcome) }

    package var reason: Reason? {
        guard let ending else { return nil }
        let name = endpoint.map { $0.referenceName.description } ?? name
        switch ending.outcome {
        case .accepted: return Reason("trusted", "the chain is trusted and valid for \(name)")
        case .unreachable: return ending.reason
        default: return Reason(ending.reason.id, "not verified: \(ending.reason.sentence)")
        }
    }

    package func hashes(all: Bool) -> Set<SHA256Digest> {
        if let recommended { return Set(recommended.choices.map(\.item.spkiSHA256)) }
        let chosen = all || group != nil ? items : items.filter { !$0.role.isAuthority }
        return Set(chosen.map(\.spkiSHA256))
    }

    package var missingRoots: Finding? { judged?.findings.first { $0.kind == .noSystemRoots } }
    package var warning: String? { isUnverified ? reason.map { "\($0.sentence); \(Self.warning)" } : nil }

    /// The sources of a target: each endpoint's ordinary connection, then each of `keyTypes` with another key.
    package static func all(of target: CheckedTarget, keyTypes: [CertificateKeyType]) -> [KeySource] {
        var sources: [KeySource] = []
        for connection in target.connections {
            let source = KeySource(connection)
            if connection.variant == .ordinary {
                sources.append(source)
                if source.presented != nil { sources[sources.count - 1].absentKeyTypes = keyTypes }
                continue
            }
            // The ordinary connection to an endpoint comes before its others.
            guard let first = sources.lastIndex(where: { $0.part == nil }) else {
                if source.ending?.outcome == .unreachable { sources.append(source) }
                continue
            }
            sources[first].absentKeyTypes.removeAll { $0 == source.keyType }
            let isKnown =
                if let key = source.presented?.leaf.publicKey {
                    sources[first...].contains { $0.presented?.leaf.publicKey == key }
                } else { sources[first].presented == nil }
            if !isKnown { sources.append(source) }
        }
        return sources
    }

    private init(_ connection: CheckedConnection) {
        name = connection.endpoint.target
        self.connection = connection
        presented = connection.judged?.view.presented
        suspicion = connection.judged?.interception
        let sent = presented?.certificates ?? []
        let shown = connection.judged?.shown
        let path = shown?.decided?.builtChain.certificates ?? []
        items = path.enumerated().map { depth, certificate in
            let isRoot = certificate.isSelfIssued && depth == path.count - 1
            let ofCA = isRoot ? PinItem.Role.root : .intermediate
            return PinItem(
                certificate, role: depth == 0 ? .leaf : ofCA,
                source: sent.contains(certificate) ? "presented" : shown?.judgedDevice.trust.rawValue ?? "")
        }
        alsoSent = sent.filter { !path.contains($0) }
    }

    package init(_ group: PinGroup) {
        name = group.hosts
        items = group.items
        self.group = group
    }

    package init(file: String, items: [PinItem]) {
        name = file
        self.items = items
        let certificates = items.compactMap(\.certificate)
        if let leaf = items.first(where: { $0.role == .leaf })?.certificate {
            presented = PresentedChain(leaf, below: certificates.filter { $0 != leaf })
        }
        let path = presented?.certificates ?? certificates
        let isPublic = path.last.map { DeviceData.builtIn.lists($0.der) } ?? true
        suspicion = isPublic ? nil : .interceptor(making: path)
    }

    /// The source without keys that certificates of `sources` already have, and a sentence for each of these keys.
    package func asReserve(beside sources: [KeySource]) -> (source: KeySource, unfit: [String]) {
        let known = sources.flatMap(\.items).filter { $0.certificate != nil }
        var source = self
        source.items.removeAll { item in known.contains { $0.spkiSHA256 == item.spkiSHA256 } }
        let unfit = items.compactMap { item in
            known.first { $0.spkiSHA256 == item.spkiSHA256 }.map { other in
                "\(item.source) is the key of \(other.certificate?.shownName ?? ""), which is on the chain already: it is no reserve"
            }
        }
        return (source, unfit)
    }
}
