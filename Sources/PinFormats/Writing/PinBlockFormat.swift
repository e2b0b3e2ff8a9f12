import Base
package import Pinning

/// The configurations of clients that can be written, ready to paste.
package enum PinBlockFormat: String, CaseIterable {
    case okhttp, trustkit, nspinned, android, curl, afnetworking

    /// The block for the keys of some hosts, each with its owner and expiry; empty without keys.
    ///
    /// `host` chooses the pins of a configuration if the client's has no hosts.
    ///
    /// - Throws: `Problem` if the client cannot express a rule that decides.
    package func block(_ groups: [PinGroup], host: String? = nil) throws(Problem) -> String {
        let groups = PinGroup.merged(
            try adapt(groups, host: host).filter { !$0.items.isEmpty || $0.isExempt }, tellsPortsApart: !hasHosts)
        guard !groups.isEmpty else { return "" }
        return client.lines(groups).joined(separator: "\n") + "\n"
    }

    package func commentedOut(_ block: String) -> String {
        guard !block.isEmpty else { return "" }
        switch self {
        case .okhttp, .curl, .afnetworking:
            let mark = self == .curl ? "# " : "// "
            return block.split(separator: "\n").map { ($0.hasPrefix(mark) ? "" : mark) + $0 + "\n" }.joined()
        case .trustkit, .nspinned, .android:
            return "<!--\n" + block.replacingBytes(["<!-- ": "", " -->": "", "--": "&#45;&#45;"]) + "-->\n"
        }
    }

    /// `true` if the client's configuration names hosts, each of them once and for every port.
    var hasHosts: Bool { self != .curl && self != .afnetworking }

    /// The client's name, and the writer of lines for hosts that have at least one key and occur once.
    var client: (name: String, lines: ([PinGroup]) -> [String]) {
        switch self {
        case .okhttp: ("OkHttp", LineBlocks.okHttp)
        case .trustkit: ("TrustKit", XMLBlocks.trustKit)
        case .nspinned: ("NSPinnedDomains", XMLBlocks.pinnedDomains)
        case .android: ("Android", XMLBlocks.android)
        case .curl: ("curl", LineBlocks.curl)
        case .afnetworking: ("AFNetworking", LineBlocks.afNetworking)
        }
    }
}

/// Sentences that several formats share; none contains two hyphens in a row, which XML comments forbid.
package enum PinRemark {
    static let backup =
        "Backup: add the pin of a second key that you keep in reserve, or the app stops working when this key changes."
    static let howToBackup = "'pincheck pins' prints the pin of a request or a public key too."

    /// The advice to pin a second key; empty if every group has one.
    package static func backup(_ groups: [PinGroup]) -> [String] {
        groups.allSatisfy { $0.isExempt || hasBackup($0) } ? [] : [backup, howToBackup]
    }

    /// `true` if a second pinned key is not on a served chain: it has no certificate, or is from a configuration.
    private static func hasBackup(_ group: PinGroup) -> Bool {
        if group.hasReserve { return true }
        let pinned = group.items.filter(group.pins)
        guard Set(pinned.map(\.spkiSHA256)).count > 1 else { return false }
        guard group.entry == nil else { return true }
        let served = Set(pinned.filter { $0.certificate != nil }.map(\.spkiSHA256))
        return pinned.contains { $0.certificate == nil && !served.contains($0.spkiSHA256) }
    }

    static func heading(_ group: PinGroup) -> [String] {
        var lines = (group.origins + group.remarks).distinct
        if group.host == nil { lines.append("Write the host of your requests for \(PinGroup.hostPlaceholder).") }
        return lines
    }
}

/// Escapes untrusted text, such as that of certificates: it must not end its comment or string, or deceive a reader.
enum GeneratedText {
    private static let longestComment = 300

    /// The text for a comment in any of the writers' languages.
    ///
    /// Nothing in it opens or ends a comment: no `--`, `/*`, `*/`, and no `\u000a`, a line break anywhere in Java.
    static func comment(_ text: String) -> String {
        var result = ""
        var last: Unicode.Scalar = " "
        for scalar in visible(text).unicodeScalars.prefix(longestComment) {
            switch (last, scalar) {
            case ("-", "-"), ("-", ">"), ("<", "!"), ("*", "/"), ("/", "*"), ("\\", "u"), ("?", ">"), ("?", "?"):
                result += " "
            default: break
            }
            result.unicodeScalars.append(scalar)
            last = scalar
        }
        // A backslash at the end continues the comment on the next line; a hyphen could form `--` with XML's.
        return last == "\\" || last == "-" ? result + " " : result
    }

    static func xml(_ text: String) -> String {
        visible(text).replacingBytes(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;"])
    }

    static func kotlin(_ text: String) -> String {
        visible(text).replacingBytes(["\\": "\\\\", "\"": "\\\"", "$": "\\$"])
    }

    static func shellWord(_ text: String) -> String { "'" + visible(text).replacingBytes(["'": #"'\''"#]) + "'" }

    /// The text with each hidden character as `(U+202E)`, including those that reverse the order.
    static func visible(_ text: String) -> String {
        TerminalText.replacingHidden(in: text) {
            "(U+" + String(repeating: "0", count: max(0, 4 - $0.count)) + $0 + ")"
        }
    }
}
