internal import Pinning

/// The configurations of clients that can be written, ready to paste.
package enum PinBlockFormat: String, Sendable, Hashable, CaseIterable {
    /// Kotlin for OkHttp's `CertificatePinner`.
    case okhttp
    /// `TSKConfiguration` for an Info.plist.
    case trustkit
    /// `NSPinnedDomains` for an Info.plist.
    case nspinned
    /// `network_security_config.xml`.
    case android
    /// The value of `--pinnedpubkey`.
    case curl
    /// Certificate files and how they are loaded.
    case afnetworking

    /// The block for the keys of some hosts, with line breaks at its end.
    ///
    /// Beside each hash stands whose it is and when its certificate expires. Without any key there is no block: empty text.
    ///
    /// - Parameters:
    ///   - groups: the keys.
    ///   - host: the one host whose pins of a configuration are wanted where the client has no hosts.
    /// - Returns: the block.
    /// - Throws: ``PinFormatError`` for a rule of a configuration that decides and that the client cannot say.
    package func block(_ groups: [PinGroup], host: String? = nil) throws(PinFormatError) -> String {
        let groups = PinGroup.merged(
            try adapted(groups, host: host).filter { !$0.items.isEmpty || $0.isExempt }, tellsPortsApart: !hasHosts)
        guard !groups.isEmpty else { return "" }
        return lines(groups).joined(separator: "\n") + "\n"
    }

    /// Whether the client's configuration names hosts, each of them once and for every port.
    var hasHosts: Bool { self != .curl && self != .afnetworking }

    /// The client's name in sentences.
    var clientName: String {
        switch self {
        case .okhttp: "OkHttp"
        case .trustkit: "TrustKit"
        case .nspinned: "NSPinnedDomains"
        case .android: "Android"
        case .curl: "curl"
        case .afnetworking: "AFNetworking"
        }
    }

    /// The lines for some hosts, each with at least one key; no two of them have the same host and port.
    private func lines(_ groups: [PinGroup]) -> [String] {
        switch self {
        case .okhttp: LineBlocks.okHttp(groups)
        case .trustkit: XMLBlocks.trustKit(groups)
        case .nspinned: XMLBlocks.pinnedDomains(groups)
        case .android: XMLBlocks.android(groups)
        case .curl: LineBlocks.curl(groups)
        case .afnetworking: LineBlocks.afNetworking(groups)
        }
    }
}

/// Sentences that several formats have in common.
///
/// None has a hyphen beside another, so that they can stand in XML comments too.
enum PinRemark {
    static let backup =
        "Backup: add the pin of a second key that you keep in reserve, or the app stops working when this key changes."
    static let howToBackup = "'pincheck pins' prints the pin of a request or a public key too."

    /// What is to be said about a second pin, nothing where every group has it already.
    static func backup(_ groups: [PinGroup]) -> [String] {
        groups.allSatisfy { $0.isExempt || hasBackup($0) } ? [] : [backup, howToBackup]
    }

    /// Whether two keys are pinned of which one is on no chain that is served: a key without a certificate, or one that somebody
    /// chose to configure.
    private static func hasBackup(_ group: PinGroup) -> Bool {
        if group.hasReserve { return true }
        let pinned = group.items.filter(group.pins)
        guard Set(pinned.map(\.spkiSHA256)).count > 1 else { return false }
        guard group.rules == nil else { return true }
        let served = Set(pinned.filter { $0.certificate != nil }.map(\.spkiSHA256))
        return pinned.contains { $0.certificate == nil && !served.contains($0.spkiSHA256) }
    }

    /// What is to be said before the pins of a group.
    static func heading(_ group: PinGroup) -> [String] {
        var seen: Set<String> = []
        var lines = (group.origins + group.remarks).filter { seen.insert($0).inserted }
        if group.host == nil { lines.append("Write the host of your requests for \(PinGroup.hostPlaceholder).") }
        return lines
    }
}
