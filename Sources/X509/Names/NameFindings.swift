internal import Pinning
internal import Synchronization

/// What platforms have against leaves of many names, for the name of a server.
///
/// Clients of several devices ask the same again and again, and a hostile leaf has tens of thousands of names.
final class NameFindings: Sendable {
    /// Below this many names the answer is found as fast as it is looked up.
    private static let fewestNames = 64
    private static let countLimit = 256

    private struct Key: Hashable {
        let leaf: SHA256Digest
        let name: ServerName
        let rules: NameRules
        let family: PlatformFamily
    }

    private let known = Mutex<[Key: TrustFailure?]>([:])

    /// What `platform` has against `leaf`, `nil` when one of its names covers the server.
    func objection(of platform: Platform, to leaf: Certificate, for name: ServerName) -> TrustFailure? {
        guard leaf.names.count >= Self.fewestNames else { return Self.objection(of: platform, to: leaf, for: name) }
        let key = Key(leaf: leaf.fingerprint, name: name, rules: platform.names, family: platform.family)
        if let known = known.withLock({ $0[key] }) { return known }
        let objection = Self.objection(of: platform, to: leaf, for: name)
        known.withLock { known in
            if known.count >= Self.countLimit { known = [:] }
            known[key] = .some(objection)
        }
        return objection
    }

    private static func objection(of platform: Platform, to leaf: Certificate, for name: ServerName) -> TrustFailure? {
        platform.objection(to: leaf, for: name, isRegistry: SystemPublicSuffixList.isRegistry)
    }
}
