internal import Pinning

/// Every extendedKeyUsage on the path must allow servers by name (RFC 5280, 4.2.1.12).
///
/// OpenSSL takes Server Gated Crypto, a relic of export rules, in place of serverAuth; nothing else does any more.
enum ExtendedKeyUsageRule {
    static func violations(on path: [Certificate]) -> [PathJudge.Violation] {
        path.enumerated().compactMap { depth, certificate in
            guard let usage = certificate.extendedKeyUsage,
                !usage.contains("serverAuth"), !usage.contains("anyExtendedKeyUsage")
            else { return nil }
            return PathJudge.Violation(reason: .wrongPurpose, depth: depth, certificate: certificate)
        }
    }
}
