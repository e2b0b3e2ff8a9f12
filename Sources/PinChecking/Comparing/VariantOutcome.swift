import Pinning
import TLSProbe

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
