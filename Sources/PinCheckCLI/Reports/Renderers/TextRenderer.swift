import PinChecking
import Rotation
import Text

/// Writes a report as a block of text: the endpoint, the chain, the pins, and the verdict last.
struct TextRenderer: Sendable {
    let style: TextStyle
    /// Whether the steps of the client's procedure and whole pins are shown.
    let explains: Bool

    /// The block for one report; it ends in a newline.
    func block(_ report: Report) -> String {
        var lines = [heading(report)]
        lines += chain(report)
        if !report.pins.configured.isEmpty, !report.built.isEmpty { lines.append("  " + pinSummary(report)) }
        if !report.built.isEmpty { lines += report.pins.entries.map(entry) + report.pins.applied.map(applied) }
        lines += outlook(report)
        if isMismatch(report) { lines += pinFailure(report) }
        if let http = report.http { lines += request(http, in: report) }
        lines += change(report)
        if explains { lines += explanation(report) }
        if report.devices != nil {
            lines += DeviceTextRenderer(style: style).lines(report)
        } else if report.clients.count > 1 {
            lines += matrix(report)
        }
        if !explains { lines += report.ownNotes.map(note) }
        lines.append(verdict(report))
        return lines.joined(separator: "\n") + "\n"
    }

    /// The verdict alone, for a report whose chain is shown already; it ends in a newline.
    func verdictLine(_ report: Report) -> String { verdict(report) + "\n" }

    /// What the variants of a target come to together, the verdict last; it ends in a newline.
    func summary(_ consistency: Report.Consistency, of report: Report) -> String {
        var lines = consistency.findings.map { finding in
            "  \(finding.level == .warning ? "warning" : "note"): \(safe(finding.message, length: 600))"
        }
        let counts = [
            (consistency.accepted, "accepted"), (consistency.rejected, "rejected"),
            (consistency.unreachable, "without a verdict"),
            (consistency.answeringOtherwise, "without the expected answer"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let places =
            switch consistency.addresses {
            case 0: "no address"
            case 1: "1 address"
            default: "\(consistency.addresses) addresses"
            }
        let warnings = consistency.findings.filter { $0.level == .warning }.map(\.id).joined(separator: ", ")
        let status = consistency.exit.status
        let token = style.token(status == .pass && consistency.consistent == false ? .warn : status)
        let comparison =
            switch consistency.consistent {
            case _ where !warnings.isEmpty: warnings
            case false?: "the verdicts differ"
            case _ where consistency.hasKnownDifferences: "as recorded"
            case true? where consistency.unreachable > 0 && consistency.hasVerdicts: "the others are consistent"
            case true?: "consistent"
            case nil: "nothing to compare"
            }
        let judged = counts.isEmpty ? "not judged" : counts
        let came =
            consistency.addresses == 0 && !consistency.hasVerdicts
            ? "no address was found, so nothing was judged" + (warnings.isEmpty ? "" : "; \(warnings)")
            : "\(places): \(judged); \(comparison)"
        lines.append("\(token)  \(name(report))  \(came)")
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Heading

    private func heading(_ report: Report) -> String {
        var parts: [String] = []
        if let endpoint = report.endpoint {
            parts.append(name(report) + (report.peer.map { " → " + safe($0) } ?? ""))
            parts.append(endpoint.sni.map { "SNI " + safe($0) } ?? "no SNI")
        } else {
            parts.append(name(report))
        }
        if let label = report.variantLabel, !parts.contains(label) { parts.append(safe(label)) }
        if let verifyName = report.verifyName {
            if verifyName != report.endpoint?.sni { parts.append("name " + safe(verifyName)) }
        } else {
            parts.append("name not checked")
        }
        if let tls = report.tls {
            parts.append(safe(tls.version + " " + tls.cipher))
        }
        return parts.joined(separator: "   ")
    }

    /// The target as the first word of the heading and the second of the verdict line.
    private func name(_ report: Report) -> String { safe(report.target, length: 120) }

    // MARK: Chain

    private func chain(_ report: Report) -> [String] {
        guard !report.built.isEmpty else { return [] }
        let needed = report.neededCertificates
        let links = needed.map(\.link)
        let subjects = links.map(subject)
        let keys = links.map { safe($0.certificate.key, length: 20) }
        let days = links.map { Self.validity($0.certificate) }
        let roles = links.map(\.certificate.role)
        func widest(_ texts: [String]) -> Int { texts.map(\.count).max() ?? 0 }
        var lines = links.indices.map { index in
            let link = links[index]
            var line = "  \(needed[index].depth) " + Self.padded(roles[index], max(12, widest(roles))) + "  "
            line += Self.padded(subjects[index], widest(subjects)) + "  "
            line += Self.padded(keys[index], widest(keys)) + " "
            line += Self.leftPadded(days[index], widest(days)) + "   "
            line += explains ? link.certificate.spkiSha256 : Self.shortPin(link.certificate.spkiSha256)
            if !link.pins.isEmpty {
                let numbers = link.pins.map { String($0 + 1) }.joined(separator: ", ")
                line += "   " + style.good("← pin \(numbers)")
            }
            return line
        }
        if links.count > report.built.count {
            let clients = Set(report.otherPaths.flatMap(\.clients)).sorted().joined(separator: ", ")
            lines.insert("  needed besides, by \(safe(clients, length: 200)):", at: report.built.count)
        }
        // Where the chain is the reason for the verdict, the verdict says so.
        if !report.builtIsValid, report.verdict == .accept || isMismatch(report) {
            lines.append("  this chain was not verified")
        }
        let unused = report.presented.filter { sent in
            !links.contains { $0.certificate.certSha256 == sent.certSha256 }
        }
        if !unused.isEmpty {
            let names = unused.prefix(3).map { safe($0.subject, length: 40) }.joined(separator: ", ")
            let more = unused.count > 3 ? " and \(unused.count - 3) more" : ""
            lines.append("  also sent, but not on this chain: \(names)\(more)")
        }
        return lines
    }

    private func subject(_ link: Report.ChainLink) -> String {
        let text = link.certificate.subject
        let name = safe(text.isEmpty ? "(no subject)" : text, length: 48)
        return link.source == "presented" ? name : "\(name) (\(link.source))"
    }

    /// How long a certificate is valid yet, in days.
    static func validity(_ certificate: Report.Certificate) -> String {
        if certificate.daysLeft < 0 { return "expired" }
        return certificate.daysUntilValid > 0 ? "not yet" : "\(certificate.daysLeft) d"
    }

    /// The start and the end of a pin, as in `sha256/NSQoeTIW…QGfk=`.
    static func shortPin(_ pin: String) -> String {
        guard pin.hasPrefix("sha256/"), pin.count > 24 else { return pin }
        return pin.prefix(15) + "…" + pin.suffix(5)
    }

    // MARK: Pins

    private func pinSummary(_ report: Report) -> String {
        let configured = report.pins.configured.count
        let matched = Set(report.pins.matched.map(\.pin))
        var text = "pins: \(configured) configured, \(matched.count) matched"
        let roles = Set(report.pins.matched.map(\.depth)).sorted().compactMap { depth in
            report.built.indices.contains(depth) ? report.built[depth].certificate.role : nil
        }
        if !roles.isEmpty { text += " (\(roles.joined(separator: ", ")))" }
        let standings = report.outlook?.pins ?? []
        let ignored = standings.count { !$0.compared && $0.depth == nil && !matched.contains($0.pin) }
        let unmatched = configured - matched.count - ignored
        if unmatched > 0 {
            let known = report.outlook == nil ? unmatched : standings.count { $0.backup }
            let backups = matched.isEmpty ? 0 : known
            let remark = backups == 0 ? "" : backups == unmatched ? " (backup)" : " (\(backups) backup)"
            text += ", \(unmatched) not in the chain" + remark
        }
        if ignored > 0 { text += ", \(ignored) not compared" }
        return text
    }

    private func entry(_ entry: Report.ConfigurationEntry) -> String {
        let hosts = entry.hosts.map { "for " + safe($0, length: 100) } ?? "for any host"
        let end =
            (entry.expires.map { ", until \($0)" } ?? "") + (entry.enforcesPinning == false ? ", not enforced" : "")
        return "  \(entry.kind): \(hosts)\(end)   \(safe(entry.origin, length: 120))"
    }

    private func applied(_ configuration: Report.AppliedConfiguration) -> String {
        let hosts = configuration.hosts.map { "for " + safe($0, length: 100) } ?? "for hosts without an entry"
        let settings = safe(configuration.settings.joined(separator: ", "), length: 300)
        return "  \(configuration.kind): \(hosts), \(settings)   \(safe(configuration.origin, length: 120))"
    }

    /// What is worth telling of the time ahead; where the verdict is about it, the verdict says so.
    private func outlook(_ report: Report) -> [String] {
        guard let outlook = report.outlook, report.verdict == .accept else { return [] }
        return outlook.findings.filter { !$0.isTold }.map { finding in
            let text = safe(finding.message, length: 300)
            return "  outlook: " + (finding.level == .info ? text : style.doubtful(text))
        }
    }

    /// The request and what came of it; of a server that gave no chain the verdict says enough.
    private func request(_ http: Report.HTTP, in report: Report) -> [String] {
        guard report.verdict != .none else { return [] }
        let answer = safe(http.outcome, length: 200)
        let outcome = http.asExpected == false ? style.doubtful(answer) : answer
        return ["  \(http.method) \(safe(http.path, length: 120)): \(outcome)"]
    }

    /// What changed since the baseline, each from old to new.
    private func change(_ report: Report) -> [String] {
        guard let change = report.change else { return [] }
        var baseline = safe(change.baseline, length: 120)
        if let place = change.comparedWith { baseline += ", where \(safe(place, length: 120)) is recorded" }
        guard change.status != "unchanged" else { return ["  unchanged since \(baseline)"] }
        let names = change.classes.map { $0.id + ($0.allowed ? " (allowed)" : "") }
        let width = names.map(\.count).max() ?? 0
        return ["  since \(baseline):"]
            + zip(change.classes, names).map { entry, name in
                let sides = [entry.old ?? "–", entry.new ?? "–"].map { safe($0, length: 200) }
                let padded = Self.padded(name, width)
                return "    \(entry.allowed ? padded : style.doubtful(padded))  \(sides[0]) → \(sides[1])"
            }
    }

    /// Whether pins were compared and none matched, for any client.
    private func isMismatch(_ report: Report) -> Bool {
        report.reason.id == "pin-mismatch" || report.clients.contains { $0.reason.id == "pin-mismatch" }
    }

    /// Served and configured pins side by side, ready to paste.
    private func pinFailure(_ report: Report) -> [String] {
        var lines: [String]
        if let next = report.next, report.built.isEmpty {
            lines = ["  next:", "    \(next.pin)"]
        } else {
            lines = ["  served:"]
            lines += report.built.map { link in
                "    \(link.certificate.spkiSha256)  \(safe(link.certificate.subject, length: 60))"
            }
        }
        lines.append("  configured:")
        lines += report.pins.configured.map { pin in
            let what = pin.subject.map { safe($0, length: 40) + ", " } ?? ""
            return "    \(safe(pin.pin))  \(what)\(safe(pin.origin, length: 80))"
        }
        return lines
    }

    // MARK: Verdict

    private func explanation(_ report: Report) -> [String] {
        var lines: [String] = []
        for client in report.clients {
            let settings = client.settings.map { setting in
                switch setting.value {
                case .flag(let value): "\(setting.name) \(value ? "YES" : "NO")"
                case .text(let value): "\(setting.name) \(value)"
                }
            }
            lines.append(
                "  \(safe(client.title)): " + safe(settings.isEmpty ? "as it comes" : settings.joined(separator: ", "))
            )
            let steps = report.checks.filter { $0.client == client.name && $0.device == client.device }
            for (index, step) in steps.enumerated() {
                lines.append("    \(index + 1) \(step.status)  \(safe(step.id)): \(safe(step.detail, length: 400))")
            }
            if let disposition = client.disposition {
                lines.append("    an NSURLSession client answers \(safe(disposition))")
            }
        }
        lines += report.notes.map(note)
        return lines
    }

    private func note(_ note: Report.Message) -> String { "  note: \(safe(note.message, length: 400))" }

    /// What each client decides, a line each.
    private func matrix(_ report: Report) -> [String] {
        let names = report.clients.map(\.nameWithSettings)
        let width = names.map(\.count).max() ?? 0
        return zip(report.clients, names).map { client, name in
            let word =
                switch client.verdict {
                case .accept: style.good("accept")
                case .reject: style.bad("reject")
                case .none: "none  "
                }
            return "  \(word)  \(Self.padded(safe(name), width))  \(safe(client.reason.message, length: 200))"
        }
    }

    private func verdict(_ report: Report) -> String {
        "\(style.token(report.status))  \(safe(report.title, length: 180))  \(safe(report.sentence, length: 600))"
    }

    // MARK: Text

    private func safe(_ text: String, length: Int = 256) -> String {
        TerminalText.shown(text, to: length)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func leftPadded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
