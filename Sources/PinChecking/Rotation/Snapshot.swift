import Base
package import Pinning

/// The chains of servers at one moment, without times of the run, session data and looked-up addresses.
package struct Snapshot: Hashable {
    package let endpoints: [Endpoint]

    /// Sorts `endpoints` by their keys; of two with the same key the later one counts.
    package init(_ endpoints: [Endpoint]) {
        self.endpoints = Dictionary(endpoints.map { ($0.key, $0) }) { $1 }.values.sorted { $0.key < $1.key }
    }

    package struct Key: Hashable, Comparable {
        /// The target with its port, as in `api.example.com:443`.
        package var target: String
        /// The address and port that were given; `nil` if the target was looked up.
        package var connect: String?
        package var sni: String?
        /// The name that the certificate had to be valid for; `nil` if no name was checked.
        package var verifyName: String?
        /// The special way to connect, as in `RSA` and `TLS 1.2`; `nil` if it is an ordinary client's.
        package var variant: String?

        package init(target: String, connect: String?, sni: String?, verifyName: String?, variant: String? = nil) {
            (self.target, self.connect, self.sni, self.verifyName) = (target, connect, sni, verifyName)
            self.variant = variant
        }

        package static func < (left: Key, right: Key) -> Bool { left.order.lexicographicallyPrecedes(right.order) }
        private var order: [String] { [target, connect ?? "", variant ?? "", sni ?? "", verifyName ?? ""] }
        var atAnyAddress: Key { Key(target: target, connect: nil, sni: sni, verifyName: verifyName, variant: variant) }

        var words: String {
            var words = target
            if let connect { words += " → \(connect)" }
            words += sni.map { " (SNI \($0)" } ?? " (no SNI"
            if let verifyName, verifyName != sni { words += ", name \(verifyName)" }
            return words + (variant.map { ", \($0))" } ?? ")")
        }
    }

    package struct Endpoint: Hashable {
        package var key: Key
        /// The certificates in the order of sending, leaf first; never empty.
        package let chain: [Certificate]

        package init?(_ key: Key, chain: [Certificate]) {
            guard !chain.isEmpty else { return nil }
            (self.key, self.chain) = (key, chain)
        }

        package var leaf: Certificate { chain[0] }
        var place: String { key.connect ?? key.target }
    }

    /// The facts of a certificate that matter to pins; two are equal if their hashes are.
    package struct Certificate: Hashable {
        package var subject: String
        package var issuer: String
        /// The key identifier of the issuer's key in hexadecimal digits; `nil` if the certificate has none.
        package var issuerKeyID: String?
        package var names: [String]
        package var notBefore: Timestamp
        package var notAfter: Timestamp
        /// The algorithm of the key, as in `EC P-256`.
        package var key: String
        /// The public-key pin, `sha256/…`.
        package var spkiSHA256: String
        /// SHA-256 of the certificate in hexadecimal digits.
        package var certificateSHA256: String

        package init(
            subject: String, issuer: String, issuerKeyID: String?, names: [String], notBefore: Timestamp,
            notAfter: Timestamp, key: String, spkiSHA256: String, certificateSHA256: String
        ) {
            (self.subject, self.issuer, self.issuerKeyID) = (subject, issuer, issuerKeyID)
            self.names = names.sorted()
            (self.notBefore, self.notAfter, self.key, self.spkiSHA256) = (notBefore, notAfter, key, spkiSHA256)
            self.certificateSHA256 = certificateSHA256
        }

        package init(_ certificate: Pinning.Certificate) {
            self.init(
                subject: certificate.subject, issuer: certificate.issuer,
                issuerKeyID: certificate.authorityKeyIdentifier.map { bytes in
                    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                }, names: certificate.names.map(\.description), notBefore: certificate.notBefore,
                notAfter: certificate.notAfter, key: certificate.publicKey.algorithm.description,
                spkiSHA256: certificate.spkiSHA256.description, certificateSHA256: certificate.fingerprint.hexadecimal)
        }

        package static func == (left: Certificate, right: Certificate) -> Bool {
            left.certificateSHA256 == right.certificateSHA256
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(certificateSHA256) }
        var isSelfIssued: Bool { subject == issuer }
    }
}

package struct Baseline {
    package let path: String
    package let snapshot: Snapshot
    private let allowed: Set<Change.Kind>
    private let byKey: [Snapshot.Key: Snapshot.Endpoint]

    package init(_ path: String, _ snapshot: Snapshot, allowing allowed: Set<Change.Kind> = []) {
        (self.path, self.snapshot, self.allowed) = (path, snapshot, allowed)
        byKey = Dictionary(snapshot.endpoints.map { ($0.key, $0) }) { first, _ in first }
    }

    /// The closest record: of the endpoint itself, of the address that a look-up led to, or of its target by name.
    func record(for key: Snapshot.Key, at peer: String? = nil) -> Snapshot.Endpoint? {
        var other = key
        other.connect = key.connect == nil ? peer : nil
        return byKey[key] ?? byKey[other]
    }

    /// A record of the target at another address: one with the same chain, else with the most frequent leaf.
    private func elsewhere(_ key: Snapshot.Key, chain: [Snapshot.Certificate] = []) -> Snapshot.Endpoint? {
        let target = key.atAnyAddress
        let others = snapshot.endpoints.filter { $0.key.atAnyAddress == target }
        if let same = others.first(where: { $0.chain == chain }) { return same }
        return others.grouped(by: \.leaf).max { $0.elements.count < $1.elements.count }?.elements[0]
    }

    package func changes(at endpoint: Snapshot.Endpoint, from peer: String? = nil) -> BaselineChanges {
        let recorded = record(for: endpoint.key, at: peer)
        let other = recorded == nil ? elsewhere(endpoint.key, chain: endpoint.chain) : nil
        let changes =
            (recorded ?? other).map { ChainComparison.changes(from: $0.chain, to: endpoint.chain) }
            ?? [Change(kind: .targetAdded, old: nil, new: endpoint.key.words)]
        return BaselineChanges(
            baseline: path, recorded: recorded, comparedWith: other?.place, changes: changes, allowed: allowed)
    }

    package func missing(from endpoints: [Snapshot.Endpoint]) -> [(Snapshot.Endpoint, BaselineChanges)] {
        let seen = Set(endpoints.compactMap { record(for: $0.key)?.key })
        return snapshot.endpoints.filter { !seen.contains($0.key) }.map { ($0, missing($0)) }
    }

    /// The change of a part that a server has no more; `nil` if neither the address nor, for an unrecorded address,
    /// another one of the target is recorded with it.
    func missing(_ key: Snapshot.Key, at peer: String?) -> BaselineChanges? {
        if let recorded = record(for: key, at: peer) { return missing(recorded) }
        let isRecorded = snapshot.endpoints.contains {
            $0.key.target == key.target && [key.connect, peer].contains($0.key.connect)
        }
        return isRecorded ? nil : elsewhere(key).map { missing($0, isElsewhere: true) }
    }

    private func missing(_ endpoint: Snapshot.Endpoint, isElsewhere: Bool = false) -> BaselineChanges {
        let missing = Change(kind: .targetMissing, old: endpoint.key.words, new: nil)
        return BaselineChanges(
            baseline: path, recorded: isElsewhere ? nil : endpoint, comparedWith: isElsewhere ? endpoint.place : nil,
            changes: [missing], allowed: allowed)
    }
}

package struct BaselineChanges: Hashable {
    package enum Status: String, CaseIterable {
        case unchanged
        case allowed
        case changed
    }

    package let baseline: String
    let recorded: Snapshot.Endpoint?
    /// The address whose record was compared, if the baseline contains the target only at other addresses.
    package let comparedWith: String?
    package let changes: [Change]
    package let allowed: Set<Change.Kind>

    package var status: Status {
        guard !changes.isEmpty else { return .unchanged }
        return refused.isEmpty ? .allowed : .changed
    }
    private var refused: [Change] { changes.filter { !allowed.contains($0.kind) } }
    var refusal: Reason? { refused.isEmpty ? nil : Reason("changed", "\(Self.list(refused)) since \(baseline)") }

    var approval: Reason {
        if status == .unchanged { return Reason("unchanged", "unchanged since \(baseline)") }
        return Reason("changed-as-allowed", "\(Self.list(changes)) since \(baseline), as allowed")
    }

    private static func list(_ all: [Change]) -> String { all.map(\.kind.id).distinct.listed }
}
