import COpenSSL
import Pinning
import Synchronization

/// The budget of all searches for one target, for all clients and devices: 25 times that of one question.
package final class TargetBudget: Sendable {
    /// The units that are left; negative if a cost could not be paid.
    private let left = Mutex(25 * WorkBudget.limit)

    package init() {}

    var isSpent: Bool { left.withLock { $0 < 0 } }

    func spend(_ cost: Int) -> Bool {
        left.withLock { left in
            left = cost <= left ? left - cost : -1
            return left >= 0
        }
    }
}

/// Bounds the work that one question can cause, even for a hostile server.
///
/// Work is counted before it is done, not timed: a chain gets the same verdict on a slow machine. The unit is a
/// microsecond on a machine of 2020; an ordinary chain costs a few hundred.
final class WorkBudget {
    /// The budget of one question; ten thousand names below fifty name constraints cost a quarter of it.
    static let limit = 40_000

    private(set) var spent = 0
    private(set) var isExhausted: Bool
    private let target: TargetBudget?
    private var constraintCounts: [SHA256Digest: Int] = [:]

    init(within target: TargetBudget? = nil) { (self.target, isExhausted) = (target, target?.isSpent ?? false) }

    func spend(_ cost: Int) -> Bool {
        guard !isExhausted, cost <= Self.limit - spent, target?.spend(cost) ?? true else {
            isExhausted = true
            return false
        }
        spent += cost
        return true
    }

    func cost(ofSignatureOn subject: PathNode, by key: PublicKey) -> Int {
        // The signed bytes are hashed first, at 5 ms a megabyte on a processor without instructions for it.
        key.verificationCost + subject.certificate.der.count / 200
    }

    /// The cost of judging a path: its signatures, and every name checked against every constraint above it.
    func cost(ofJudging path: [PathNode]) -> Int {
        var cost = 50
        var names = 0
        for (depth, node) in path.enumerated() {
            if depth > 0 {
                cost += self.cost(ofSignatureOn: path[depth - 1], by: node.certificate.publicKey)
                let constraints = constraintCount(of: node)
                // The constraints are read again for the server's name.
                cost += constraints + names * constraints / 50
            }
            names += node.certificate.names.count + 1
        }
        return cost
    }

    private func constraintCount(of node: PathNode) -> Int {
        if let known = constraintCounts[node.certificate.fingerprint] { return known }
        let count =
            Extensions.withNameConstraints(of: node.pointer) { constraints in
                [constraints.pointee.permittedSubtrees, constraints.pointee.excludedSubtrees].reduce(0) {
                    $0 + max(0, Int(OPENSSL_sk_num($1)))
                }
            } ?? 0
        constraintCounts[node.certificate.fingerprint] = count
        return count
    }
}

extension PublicKey {
    /// The cost of checking one signature of this key, in microseconds; measured with OpenSSL 3.0 and rounded up.
    fileprivate var verificationCost: Int {
        switch algorithm {
        // OpenSSL rejects larger keys.
        case .rsa(let bits) where bits > 16_384, .rsaPSS(let bits) where bits > 16_384: return 30
        case .rsa(let bits), .rsaPSS(let bits):
            // One multiplication for each bit of the exponent, and some more. The exponent is the rest of the encoding
            // after the modulus and about 36 bytes around both; 65537 has three bytes.
            let exponentBytes = max(3, subjectPublicKeyInfo.count - bits / 8 - 34)
            return 30 + exponentBytes * 12 * bits / 2_048 * bits / 2_048
        case .ec("P-256", _): return 100
        case .ec("P-384", _), .ec("P-521", _): return 700
        case .ec(_, let bits): return 20 * max(256, bits) * bits / 2_048
        case .other("ED25519", _): return 130
        case .other("ED448", _): return 300
        case .other(_, let bits): return 300 + 440 * bits / 2_048 * bits / 2_048
        // OpenSSL cannot try to verify it.
        case .unknown: return 0
        }
    }
}
