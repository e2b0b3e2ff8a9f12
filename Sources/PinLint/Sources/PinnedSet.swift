internal import Base
internal import PinFormats
internal import Pinning

/// Pins that stand in for each other: those for whatever host, or those of the entries for one host.
struct PinnedSet {
    /// One pin and its place.
    struct Member {
        let pin: Pin
        let place: LintPlace
    }

    /// Whose configuration it is from, `nil` for pins that are for whatever host.
    let kind: PinConfiguration.Kind?
    /// The entries, none for pins that are for whatever host.
    let entries: [HostEntry]
    /// Its pins, in their order.
    let members: [Member]
    /// Where it begins.
    let place: LintPlace
    /// Whether pins of it could not be read, so that their number says nothing.
    let isIncomplete: Bool

    /// The hosts, `nil` for whatever host.
    var hosts: HostPattern? { entries.first?.hosts }
    /// The hosts as text.
    var host: String? { hosts?.short }
    /// The hosts for the middle of a sentence, with the space before them.
    var forHost: String { host.map { " for \(shortened($0))" } ?? "" }
    /// The different keys, in their order.
    var keys: [SHA256Digest] {
        var seen: Set<SHA256Digest> = []
        return members.map(\.pin.spkiSHA256).filter { seen.insert($0).inserted }
    }
    /// The certificates among the pins.
    var certificates: [(certificate: Certificate, place: LintPlace)] {
        members.compactMap { member in member.pin.certificate.map { ($0, member.place) } }
    }
    /// Whether the client that reads it is TrustKit.
    var isTrustKits: Bool {
        switch kind {
        case .trustKit, .reactNative: true
        default: false
        }
    }
    /// Whether a mismatch blocks the connection in TrustKit.
    var isEnforcedByTrustKit: Bool {
        isTrustKits && entries.first?.enforcesPinning ?? true
            || kind == .android && entries.first?.enforcesPinning == true
    }
    /// Whether the entry exempts its hosts from pinning.
    var isExcluded: Bool { entries.contains(where: \.isExcluded) }
}
