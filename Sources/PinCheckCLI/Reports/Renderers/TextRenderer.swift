import Base
import PinChecking
import PinFormats
import TLSProbe

struct TextRenderer {
    let style: TextStyle
    let explains: Bool
    var layout = TextLayout()

    static func plain(explains: Bool = false) -> TextRenderer { TextRenderer(style: .plain, explains: explains) }

    static func on(_ stream: OutputStream, _ settings: Settings, in context: Context) -> TextRenderer {
        TextRenderer(
            style: context.style(settings.color, on: stream), explains: settings.explains, layout: stream.layout)
    }

    func block(_ report: Report) -> String {
        var lines = [heading(report)]
        if let proxy = report.endpoint?.proxy { lines.append(way(through: proxy, report.tls?.proxy)) }
        lines += chain(report) + pins(report) + configurations(report) + outlook(report)
        if isMismatch(report) { lines += pinFailure(report) }
        lines += request(report) + change(report)
        if explains { lines += explanation(report) }
        lines += devices(report) + matrix(report) + report.toldNotes.map(note)
        lines += report.sentences.dropFirst().map { hint in
            let (label, rest) = hint.hasPrefix("also, ") ? ("also", hint.dropFirst(6)) : ("hint", hint[...])
            return "  \(label): \(safe(String(rest), length: Self.longestSentence))"
        }
        lines.append(verdict(report, report.sentences[0]))
        return text(lines)
    }

    func text(_ lines: [String]) -> String { lines.map { layout.folded($0) }.joined(separator: "\n") + "\n" }

    func lines(_ total: RunTotal) -> [String] {
        [total.sentence("", style.token)]
            + total.troubled.map { "  \(style.token($0.status))  \(safe($0.name, length: 180))" }
    }

    private func heading(_ report: Report) -> String {
        let place = name(report) + (report.endpoint == nil ? "" : report.peer.map { " → " + safe($0) } ?? "")
        return layout.joined([place] + connection(report), by: "   ")
    }

    private func way(through proxy: Proxy, _ passage: ProxyPassage?) -> String {
        let leaf = passage?.tls?.presented.leaf
        let tls = leaf.map { ", itself \(safe($0.subject, length: 100)), trusted by this machine" } ?? ""
        return "  through \(safe(proxy.url, length: 120)) (\(safe(proxy.origin, length: 100)))\(tls)"
    }

    private func connection(_ report: Report) -> [String] {
        var parts = names(report)
        if let label = report.variantLabel, !parts.contains(label) {
            parts.insert(safe(label), at: min(1, parts.count))
        }
        if let tls = report.tls {
            parts.append(safe("\(tls.facts)" + (report.offerOf.map { " as \($0) offers" } ?? "")))
        }
        return parts
    }

    func names(_ report: Report) -> [String] {
        var parts: [String] = []
        if let endpoint = report.endpoint { parts.append(endpoint.serverName.map { "SNI " + safe($0) } ?? "no SNI") }
        if let verifyName = report.verifyName {
            if verifyName != report.endpoint?.serverName { parts.append("name " + safe(verifyName)) }
        } else if report.reason.id != "bad-entry" {
            parts.append("name not checked")
        }
        if report.isOfAnotherTime { parts.append("as of \(Self.day(report.evaluatedAt))") }
        return parts
    }

    static func day(_ time: Timestamp) -> String { time.description.hasSuffix("T00:00:00Z") ? time.date : "\(time)" }

    func name(_ report: Report) -> String { safe(report.target, length: 120) }

    func configurations(_ report: Report) -> [String] {
        guard !report.built.isEmpty else { return [] }
        return (report.result.policy?.entries ?? []).map(entry)
            + (report.result.policy?.applied ?? []).map { line(for: $0) }
    }

    private func entry(_ configured: ConfiguredEntry) -> String {
        let entry = configured.entry
        let hosts = entry.hosts.map { "for " + safe($0.description, length: 100) } ?? "for any host"
        let end = entry.expiration.map { ", until \($0.date)" } ?? ""
        let enforcement = entry.enforcesPinning == false ? ", not enforced" : ""
        let origin = safe("\(entry.origin)", length: 120)
        return "  \(safe(configured.kind.rawValue, length: 80)): \(hosts)\(end)\(enforcement)   \(origin)"
    }

    private func line(for configuration: AppliedConfiguration) -> String {
        let hosts = configuration.hosts.map { "for " + safe($0, length: 100) } ?? "for hosts without an entry"
        let settings = safe(configuration.settings.listed, length: 300)
        return "  \(configuration.kind): \(hosts), \(settings)   \(safe("\(configuration.origin)", length: 120))"
    }

    func outlook(_ report: Report, of places: String = "") -> [String] {
        let findings = (report.outlook?.findings ?? []).filter { finding in
            // An expired pin may be the cause of a rejection; other findings are only about acceptance.
            finding != report.outlook?.told && (report.verdict == .accept || finding.kind == .pinExpired)
        }
        return findings.map { finding in
            let text = safe(finding.message, length: 300)
            let label = "outlook\(places):"
            return "  \(finding.level == .note ? label : style.doubtful(label)) \(text)"
        }
    }

    func request(_ report: Report) -> [String] {
        guard let http = report.result.answer, report.verdict != .none else { return [] }
        let answer = safe(http.outcome, length: 200)
        let outcome = http.isAsExpected == false ? style.doubtful(answer) : answer
        return ["  \(safe(http.title, length: 120)): \(outcome)"]
    }

    func change(_ report: Report) -> [String] {
        guard let change = report.result.changes else { return [] }
        var baseline = safe(change.baseline, length: 120)
        if let place = change.comparedWith { baseline += ", where \(safe(place, length: 120)) is recorded" }
        guard change.status != .unchanged else { return ["  unchanged since \(baseline)"] }
        let rows = change.changes.map { entry in
            let isAllowed = change.allowed.contains(entry.kind)
            let name = entry.kind.id + (isAllowed ? " (allowed)" : "")
            let sides = [entry.old ?? "–", entry.new ?? "–"].map { safe($0, length: 200) }
            return [isAllowed ? name : style.doubtful(name), "\(sides[0]) → \(sides[1])"]
        }
        return ["  since \(baseline):"] + Table(rows: rows, indent: 4).lines
    }

    func explanation(_ report: Report) -> [String] {
        var lines: [String] = []
        for client in report.clients {
            let settings = client.settings.map { setting in
                switch setting.value {
                case .flag(let value): "\(setting.name) \(value ? "YES" : "NO")"
                case .text(let value): "\(setting.name) \(value)"
                }
            }
            lines.append(
                "  \(safe(client.title)): " + safe(settings.isEmpty ? "without settings of its own" : settings.listed))
            for (index, step) in client.trace.enumerated() {
                let detail = safe(step.detail, length: Self.longestSentence)
                lines.append("    \(index + 1) \(step.status)  \(safe(step.id)): \(detail)")
            }
            if let disposition = client.disposition {
                lines.append("    an NSURLSession client answers \(safe(disposition))")
            }
        }
        return lines
    }

    func note(_ note: Reason) -> String { "  note: \(safe(note.told, length: Self.longestSentence))" }

    /// The verdict of each client; three or more with one verdict and reason are one row.
    private func matrix(_ report: Report) -> [String] {
        guard report.clients.count > 1 else { return [] }
        let rows = report.clients.grouped { "\($0.verdict) \($0.reason.told)" }.flatMap { _, clients in
            let word = word(clients[0].verdict)
            let reason = safe(clients[0].reason.told, length: Self.longestSentence)
            let names = clients.grouped(by: \.nameWithSettings).map { name, some in
                let devices = some.compactMap(\.device).inRows(of: report.result.policy?.devices.map(\.name) ?? [])
                return safe(name + (devices.isEmpty ? "" : " on " + devices), length: Self.longestSentence)
            }
            guard names.count > 2 else { return names.map { [word, $0, reason] } }
            return [[word, "\(names.count) clients", names.listed + ": " + reason]]
        }
        return Table(rows: rows, widest: max(6, layout.columns / 3)).lines
    }

    private func word(_ verdict: Report.VerdictWord) -> String {
        switch verdict {
        case .accept: style.good("accept")
        case .reject: style.bad("reject")
        case .none: "none"
        }
    }

    private func verdict(_ report: Report, _ sentence: String) -> String {
        let length = Self.longestSentence * (report.clients.count > 1 ? 3 : 1)
        return "\(style.token(report.status))  \(safe(report.title, length: 180))  \(safe(sentence, length: length))"
            + (report.variant == nil ? style.doubtful(TargetLine([report]).more) : "")
    }

    /// The most characters of a sentence, more than pincheck's own have: only text from outside is cut.
    private static let longestSentence = 900

    func safe(_ text: String, length: Int = 256) -> String { TerminalText.excerpt(text, to: length) }

    func devices(_ report: Report) -> [String] {
        guard let policy = report.result.policy, let lists = policy.lists, !report.clients.isEmpty else { return [] }
        let one = policy.devices.count == 1 ? policy.devices.first : nil
        let roots =
            policy.devices.allSatisfy { $0.trust == .anchors }
            ? ", by the anchors given, not their roots"
            : one == nil
                ? ", roots as read up to \(lists.data.date.date)"
                : one?.device.map { ", roots as read on \($0.date.date)" } ?? ""
        return ["  " + (one.map { "device: \(safe($0.name))" } ?? "\(policy.devices.count) devices") + roots]
    }
}
