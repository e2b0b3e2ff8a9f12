package import PinFormats
package import Pinning
package import TLSProbe
import X509

/// What one argument of `pins` came to: the keys of a server or of a file.
package struct KeySource: Sendable {
    package enum Standing: Sendable {
        case file
        case verified
        case unverified([TrustFailure])
        case unreachable(ProbeError)
    }

    package static let warning =
        "pins learned from an unverified connection prove nothing: they may be an interceptor's"

    package let name: String
    package private(set) var endpoint: CheckEndpoint? = nil
    package var peer: PeerAddress?
    /// The type of key that the server was asked for, `nil` for what an ordinary client gets.
    package internal(set) var keyType: CertificateKeyType?
    /// Types of keys that the endpoint was asked for and has no certificate for; of its first source.
    package internal(set) var absentKeyTypes: [CertificateKeyType] = []
    package private(set) var standing = Standing.file
    package var items: [PinItem]
    package var group: PinGroup?
    package var alsoSent: [Certificate] = []
    /// What the server sent, or the certificates of a file, leaf first; `nil` for keys without a leaf.
    package private(set) var presented: PresentedChain?
    /// That the chain may be an interceptor's, though it is trusted or that was not asked; `nil` for nothing.
    package private(set) var suspicion: Finding?
    package var recommended: Recommendation?

    /// One sentence about the standing, `nil` for a file.
    package var finding: String? {
        switch standing {
        case .file: nil
        case .verified: "the chain is trusted and valid for \(endpoint.map { $0.referenceName.description } ?? name)"
        case .unverified(let failures): "not verified: \(failures.first.map { "\($0)" } ?? "the chain is not trusted")"
        case .unreachable(let error): "\(error.phase.rawValue): \(error)"
        }
    }

    /// The keys that are pinned: those that are recommended, those of a configuration, all of them when that was asked for, otherwise
    /// the server's.
    package func pinned(all: Bool) -> Set<SHA256Digest> {
        if let recommended { return Set(recommended.choices.map(\.item.spkiSHA256)) }
        let chosen = all || group != nil ? items : items.filter { !$0.role.isAuthority }
        return Set(chosen.map(\.spkiSHA256))
    }

    package var lacksAnchor: Bool {
        if case .unverified(let failures) = standing { failures.contains(where: \.isMissingAnchor) } else { false }
    }

    package var warning: String? {
        guard case .unverified = standing, let finding else { return nil }
        return "\(finding); \(Self.warning)"
    }

    /// What the connections to a target came to: for each endpoint that of an ordinary client, then those that show another
    /// key to clients that ask for one of `keyTypes`.
    package static func all(
        of target: CheckedTarget, keyTypes: [CertificateKeyType], verifiedBy roots: CheckRequest.Trust.Roots,
        at time: Timestamp
    ) -> [KeySource] {
        var sources: [KeySource] = []
        for connection in target.connections {
            let source = KeySource(connection, roots, at: time)
            if connection.variant == .ordinary {
                sources.append(source)
                if source.presented != nil { sources[sources.count - 1].absentKeyTypes = keyTypes }
                continue
            }
            // Each ordinary connection comes before the others to its endpoint.
            guard let first = sources.lastIndex(where: { $0.keyType == nil }) else { continue }
            sources[first].absentKeyTypes.removeAll { $0 == source.keyType }
            let isKnown =
                if let key = source.presented?.leaf.publicKey {
                    sources[first...].contains { $0.presented?.leaf.publicKey == key }
                } else { sources[first].presented == nil }
            if !isKnown { sources.append(source) }
        }
        return sources
    }

    /// Verifies the chain of a server as a client without pins does, and takes the keys of the path that was built.
    private init(_ connection: CheckedConnection, _ roots: CheckRequest.Trust.Roots, at time: Timestamp) {
        let endpoint = connection.endpoint
        name = endpoint.target
        self.endpoint = endpoint
        if case .keyType(let keyType) = connection.variant { self.keyType = keyType }
        switch connection.result {
        case .failure(let error):
            peer = error.peer
            standing = .unreachable(error)
            items = []
        case .success(let handshake):
            let presented = handshake.presented
            let result = roots.verifier.evaluate(
                PathQuestion(
                    presented: presented, anchors: .trustStore, policy: .sslServer(name: endpoint.referenceName),
                    time: time))
            let path = result.builtChain.certificates
            self.presented = presented
            peer = handshake.peer
            standing = result.isTrusted ? .verified : .unverified(result.failures)
            items = path.enumerated().map { depth, certificate in
                let isRoot = certificate.isSelfIssued && depth == path.count - 1
                return PinItem(
                    certificate, role: depth == 0 ? .leaf : isRoot ? .root : .intermediate,
                    source: presented.certificates.contains(certificate) ? "presented" : roots.name.rawValue)
            }
            alsoSent = presented.certificates.filter { !path.contains($0) }
            suspicion = .stranger(on: path, isTrusted: result.isTrusted, given: roots.given)
        }
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
            presented = PresentedChain([leaf] + certificates.filter { $0 != leaf })
        }
        suspicion = .stranger(on: presented?.certificates ?? certificates, isTrusted: false, given: nil)
    }

    /// The source without the keys that a certificate of the servers and files has already, and those, in words.
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
