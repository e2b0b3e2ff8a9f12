import Base
import Pinning
import TLSProbe

/// The result for a requested part of a server: the only judge of "not offered".
package enum Coverage: Hashable, Sendable {
    case chain
    /// The server has no such certificate, or the name no such address.
    case none(Reason)
    case unknown(Reason)

    package var reason: Reason? {
        switch self {
        case .chain: nil
        case .none(let reason), .unknown(let reason): reason
        }
    }

    var isNone: Bool { if case .none = self { true } else { false } }
}

/// A requested part in documents.
package struct CoveredPart: Hashable, Sendable {
    /// A key type, `ordinary`, `no SNI`, `with SNI`, or the addresses of a family.
    package let part: String
    package let address: String?
    package let came: Coverage
}

extension CheckedConnection {
    /// The result of the connection; `serving` has the places that gave a chain to another one.
    ///
    /// A server without a key type refuses by an alert of RFC 8446, 4.1.1, or by a certificate of another type. A reset
    /// or an end may have other causes.
    fileprivate func coverage(whereOthersWork serving: Set<String>) -> Coverage {
        guard case .failure(let error) = result else { return .chain }
        if case .keyTypeRefused(let type, let alert) = error.reason, serving.contains(place),
            alert.map({ [40, 71].contains($0.number) }) ?? true
        {
            return .none(Reason(FindingID.keyTypeAbsent.word, "no certificate with an \(type) key"))
        }
        return .unknown(failureReason(error))
    }

    /// The reason of a failed connection, or of a family that could not be looked up.
    func failureReason(_ error: ProbeError) -> Reason {
        if case .family = variant { Reason(error, id: "addresses-incomplete") } else { Reason(error) }
    }
}

extension [CheckedConnection] {
    private var servingPlaces: Set<String> { Set(filter { $0.served != nil }.map(\.place)) }

    /// The connections with their results, and if they are reported: no missing parts unless a record has them in
    /// `expected`, and a dead address only once.
    func covered(expecting expected: Set<Variant> = []) -> [CheckedConnection] {
        let serving = servingPlaces
        let ordinary = Dictionary(filter { $0.variant == .ordinary }.map { ($0.place, $0) }) { first, _ in first }
        return map { connection in
            var connection = connection
            connection.came = connection.coverage(whereOthersWork: serving)
            guard connection.variant != .ordinary, case .failure(let error) = connection.result else {
                return connection
            }
            var isTwin = false
            if case .failure(let first)? = ordinary[connection.place]?.result {
                isTwin = error.id == "no-time" || error.phase == first.phase && error.id == first.id
            }
            let isMissed = connection.came?.isNone != true || expected.contains(connection.variant)
            connection.isTold = connection.variant.counts && isMissed && !isTwin
            return connection
        }
    }
}
