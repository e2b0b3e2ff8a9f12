import Base
import Pinning
import TLSProbe

/// The outcome for a requested part of a server; only this type decides that a part is "not offered".
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

/// A part and its outcome: a key type, `ordinary`, `no SNI`, `with SNI`, or the addresses of a family.
package typealias CoveredPart = (part: String, address: String?, came: Coverage)

extension [CheckedConnection] {
    /// Adds the outcomes; reports a missing part only if a record has it (`expected`), and a dead address only once.
    func connections(expecting expected: Set<Variant>) -> [CheckedConnection] {
        let serving = filter { $0.served != nil }
        let places = Set(serving.map(\.place))
        func coverage(of connection: CheckedConnection) -> Coverage {
            guard case .failure(let error) = connection.result else { return .chain }
            if case .family = connection.variant { return .unknown(Reason(error, id: "addresses-incomplete")) }
            guard let type = connection.variant.keyType, places.contains(connection.place), error.phase == .handshake,
                !["timeout", "no-time"].contains(error.id)
            else { return .unknown(Reason(error)) }
            // The server has another type's certificate, or none: an alert (RFC 8446, 4.1.1). A reset or an end may have
            // other causes.
            if case .keyTypeRefused = error.reason {
                return .none(Reason(FindingID.keyTypeAbsent.word, "no certificate with an \(type) key"))
            }
            let kept = serving.compactMap(\.variant.keyType).distinct.map(\.rawValue)
            let isExpected = expected.contains(connection.variant)
            return .unknown(Reason(error, remedy: isExpected ? nil : .leaveOut("\(type)", keeping: kept)))
        }
        let ordinary = Dictionary(filter { $0.variant == .ordinary }.map { ($0.place, $0) }) { first, _ in first }
        return map { connection in
            var connection = connection
            let isExpected = expected.contains(connection.variant)
            connection.came = coverage(of: connection)
            guard connection.variant != .ordinary, case .failure(let error) = connection.result else {
                return connection
            }
            var isTwin = false
            if case .failure(let first)? = ordinary[connection.place]?.result {
                isTwin = error.id == "no-time" || error.phase == first.phase && error.id == first.id
            }
            let isMissed = isExpected || connection.variant.counts && connection.came?.isNone != true
            connection.isTold = isMissed && !isTwin
            return connection
        }
    }
}
