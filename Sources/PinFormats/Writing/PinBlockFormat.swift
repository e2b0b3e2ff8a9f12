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
    /// Certificate files and the lines that load them.
    case afnetworking

    /// The block for the keys of some hosts, with line breaks at its end.
    ///
    /// Beside each hash stands whose it is and when its certificate expires. Without any key there is no block: empty text.
    package func block(_ groups: [PinGroup]) -> String {
        let groups = PinGroup.merged(groups.filter(\.isWorthWriting), tellsPortsApart: hasPorts)
        guard !groups.isEmpty else { return "" }
        return writer.lines(groups).joined(separator: "\n") + "\n"
    }

    /// Whether an entry is for one port of a host; the others have an entry for each host, whatever the port.
    private var hasPorts: Bool {
        switch self {
        case .okhttp, .trustkit, .nspinned, .android: false
        case .curl, .afnetworking: true
        }
    }

    private var writer: any PinBlockWriter {
        switch self {
        case .okhttp: OkHttpWriter()
        case .trustkit: TrustKitWriter()
        case .nspinned: NSPinnedDomainsWriter()
        case .android: AndroidWriter()
        case .curl: CurlWriter()
        case .afnetworking: AFNetworkingWriter()
        }
    }
}

/// Writes the configuration of one client.
protocol PinBlockWriter {
    /// The lines for some hosts, each with at least one key; no two of them have the same host and port.
    func lines(_ groups: [PinGroup]) -> [String]
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
        let hasAll = groups.allSatisfy { $0.rules?.isExcluded == true || hasBackup($0) }
        return hasAll ? [] : [backup, howToBackup]
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
        var lines = group.origins
        lines += group.remarks
        if let warning = group.warning { lines.append("WARNING: " + warning) }
        if group.host == nil { lines.append("Write the host of your requests for \(PinGroup.hostPlaceholder).") }
        return lines
    }
}
