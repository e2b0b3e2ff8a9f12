import Base
import PinChecking
import Pinning

extension TextRenderer {
    func pins(_ report: Report) -> [String] {
        guard !report.pins.configured.isEmpty, !report.built.isEmpty else { return [] }
        return ["  " + pinSummary(report)] + legend(report)
    }

    private func pinSummary(_ report: Report) -> String {
        let configured = report.pins.configured.count
        let matched = report.pins.matchedPins
        // A pin that is on the chain where the client does not compare it, or without another that has to be there too.
        let isInVain = !matched.isEmpty && report.verdict == .reject && isMismatch(report)
        var text = "pins: \(configured) configured, \(matched.count) \(isInVain ? "on the chain" : "matched")"
        let roles = Set(report.pins.matched.map(\.depth)).sorted().compactMap { depth in
            report.built.indices.contains(depth) ? report.built[depth].certificate.role : nil
        }
        if !roles.isEmpty { text += " (\(roles.joined(separator: ", ")))" }
        let standings = report.outlook?.pins ?? []
        let ignored = standings.enumerated().count { !$1.isCompared && $1.depth == nil && !matched.contains($0) }
        let unmatched = configured - matched.count - ignored
        if unmatched > 0 {
            let known = report.outlook?.backups.count ?? unmatched
            let backups = matched.isEmpty ? 0 : known
            let remark = backups == 0 ? "" : backups == unmatched ? " (backup)" : " (\(backups) backup)"
            text += ", \(unmatched) not in the chain" + remark
        }
        if ignored > 0 { text += ", \(ignored) not compared" }
        return text
    }

    private static let mostInLine = 4

    /// Which pin has which number; nothing of one pin, and nothing where all are listed as they are not on the chain.
    private func legend(_ report: Report) -> [String] {
        let pins = report.pins.configured
        guard pins.count > 1, !isMismatch(report) else { return [] }
        let matched = report.pins.matchedPins
        let backups = backups(report)
        guard !explains else {
            let width = String(pins.count).utf8.count
            return pins.indices.map { index in
                let number = TerminalText.leftPadded(String(index + 1), toCells: width)
                return "    pin \(number)  \(safe(pins[index].pin))  " + place(pins[index])
                    + (backups.contains(index) ? ", backup" : "")
            }
        }
        return matched.isEmpty ? [] : numbers(report)
    }

    func numbers(_ report: Report, withBackups: Bool = true) -> [String] {
        let pins = report.pins.configured
        let matched = report.pins.matchedPins
        let backups = withBackups ? self.backups(report) : []
        guard pins.count > 1 else { return [] }
        let named =
            pins.count <= Self.mostInLine
            ? Array(pins.indices) : Array((matched.sorted() + backups.sorted()).prefix(Self.mostInLine))
        guard !named.isEmpty else { return [] }
        let texts = named.map { index in
            let pin = pins[index]
            // Pins of the command line are all from the same place.
            let isAlone = pins.count { $0.origin == pin.origin } == 1
            let what = isAlone ? safe(pin.origin, length: 80) : Self.bareShortPin(pin.pin)
            return "pin \(index + 1): " + what + (backups.contains(index) ? " (backup)" : "")
        }
        let more = named.count < pins.count ? "; --explain lists all \(pins.count)" : ""
        return ["  " + texts.joined(separator: "; ") + more]
    }

    private func backups(_ report: Report) -> Set<Int> {
        Set(report.outlook?.backups ?? []).subtracting(report.pins.matchedPins)
    }

    private func place(_ pin: Report.Pin) -> String {
        [pin.subject.map { safe($0, length: 80) }, pin.certificate, safe(pin.origin, length: 80)].compactMap(\.self)
            .joined(separator: ", ")
    }

    func isMismatch(_ report: Report) -> Bool {
        report.reason.id == "pin-mismatch" || report.clients.contains { $0.reason.id == "pin-mismatch" }
    }

    func pinFailure(_ report: Report) -> [String] {
        let areCertificatesPinned = report.pins.configured.contains { $0.certificate != nil }
        var lines: [String]
        if let next = report.next, report.built.isEmpty {
            lines = ["  next:", "    \(next.pin)"]
        } else {
            lines = ["  served:"]
            lines += report.built.map { link in
                let source = link.sourceInWords.map { " (\($0))" } ?? ""
                let own = link.certificate
                // Certificates are told apart by more than their keys where certificates are pinned.
                let whole = "certificate \(own.certSha256.prefix(8))…, to \(own.notAfter.date)"
                return "    \(own.spkiSha256)  \(name(of: own))\(source)" + (areCertificatesPinned ? ", \(whole)" : "")
            }
        }
        return lines + configured(report)
    }

    func configured(_ report: Report) -> [String] {
        let pins = report.pins.configured
        let width = String(pins.count).utf8.count
        return ["  configured:"]
            + pins.indices.map { index in
                // Where there are several, other lines name them by their numbers.
                let number = pins.count > 1 ? TerminalText.leftPadded(String(index + 1), toCells: width) + " " : ""
                return "    \(number)\(safe(pins[index].pin))  \(place(pins[index]))"
            }
    }
}
