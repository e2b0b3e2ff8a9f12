import Base
import PinChecking

extension TextRenderer {
    func chain(_ report: Report) -> [String] {
        let report = report.ofShownLeaf
        guard !report.built.isEmpty else { return [] }
        let links = report.needed
        var parts = explains ? wholeTable(links) : table(links)
        if links.count > report.built.count {
            let clients = Set(report.otherPaths.flatMap(\.clients)).sorted().listed
            parts.insert("  the system also checks, for \(safe(clients, length: 200)):", at: report.built.count)
        }
        parts += unverified(report).map { ["  this chain was " + $0] } ?? []
        let unused = report.presented.filter { sent in !links.contains { $0.certificate == sent.certificate } }
        return parts + alsoSent(unused.map(\.certificate))
    }

    func alsoSent(_ certificates: [Certificate]) -> [String] {
        guard !certificates.isEmpty else { return [] }
        let names = listed(certificates.lazy.map { safe($0.description, length: 40) }, first: 3)
        return ["  also sent, but not on this chain: \(names)"]
    }

    /// The words on a chain that was not verified, unless the verdict itself explains why.
    func unverified(_ report: Report) -> String? {
        guard !report.builtIsValid, report.verdict == .accept || isMismatch(report) else { return nil }
        return "not verified" + (report.whyUnverified.map { ": " + safe($0, length: 300) } ?? "")
    }

    /// The fewest cells of a terminal for a cut name.
    private static let shortestName = 8

    /// The chain as a table; to save room the hash loses its algorithm, then its end, and at last names are cut.
    private func table(_ links: [Report.Link]) -> [String] {
        func table(_ pin: (String) -> String, name: Int = .max) -> Table {
            let rows = links.map { link in
                [
                    String(link.index), link.role, title(of: link, toCells: name), safe(link.key, length: 20),
                    validity(of: link), pin(link.pin), arrow(link) ?? "",
                ]
            }
            return Table(rows: rows, gaps: [1: 1, 4: 1], rightAligned: [0, 4])
        }
        let tables = [Self.shortPin, Self.bareShortPin, beginning(of:)].map { table($0) }
        if let fitting = tables.first(where: { $0.width <= layout.columns }) { return fitting.lines }
        let room = tables[2].widths[2] - (tables[2].width - layout.columns)
        return table(beginning(of:), name: max(Self.shortestName, room)).lines
    }

    private func wholeTable(_ links: [Report.Link]) -> [String] {
        let rows = links.map { link in
            [
                String(link.index), link.role, safe(link.key, length: 20), validity(of: link),
                safe(link.certificate.description) + origin(of: link),
            ]
        }
        let lines = Table(rows: rows, gaps: [1: 1, 3: 1], rightAligned: [0, 3]).lines(foldedIn: layout)
        return zip(lines, links).map { line, link in
            ([line, link.pin + (arrow(link).map { "   " + $0 } ?? "")] + details(link)).joined(separator: "\n      ")
        }
    }

    private func details(_ link: Report.Link) -> [String] {
        let names = link.names.isEmpty ? [] : ["for " + listed(link.names.lazy.map { safe($0.description) }, first: 10)]
        return [
            "\(link.notBefore.date) to \(link.notAfter.date), serial \(safe(link.serialNumber))",
            "SHA-256 \(link.fingerprint.hexadecimal)",
        ] + names.map { layout.folded($0, indent: 10) }
    }

    private func origin(of link: Report.Link) -> String { link.sourceInWords.map { " (\($0))" } ?? "" }

    private func title(of link: Report.Link, toCells cells: Int) -> String {
        let (name, origin) = (name(of: link), origin(of: link))
        let title = name + origin
        guard TerminalText.cells(title) > cells else { return title }
        let left = cells - TerminalText.cells(origin)
        return left < Self.shortestName / 2
            ? TerminalText.cut(title, toCells: cells) : TerminalText.cut(name, toCells: left) + origin
    }

    /// The first digits of a pin, enough to tell keys apart, as in `NSQoeTIW…`.
    func beginning(of pin: String) -> String {
        let short = Self.bareShortPin(pin)
        return short.firstIndex(of: "…").map { String(short[...$0]) } ?? short
    }

    func arrow(_ link: Report.Link) -> String? {
        guard !link.pins.isEmpty else { return nil }
        let most = explains ? Int.max : 3
        let numbers =
            link.pins.prefix(most).map { pin in
                "\(pin + 1)" + (link.clients[pin].map { " (\(safe($0, length: 60)))" } ?? "")
            } + (link.pins.count > most ? ["…"] : [])
        return style.good("← pin " + numbers.listed)
    }

    func name(of link: Report.Link) -> String { safe(link.shownName, length: 80) }

    private func validity(of link: Report.Link) -> String {
        let text = Self.validity(link)
        let days = Double(link.daysLeft)
        if days < 0 || link.daysUntilValid > 0 || days < link.failDays ?? 0 { return style.bad(text) }
        return days < link.warnDays ?? 0 ? style.doubtful(text) : text
    }

    static func validity(_ link: Report.Link) -> String {
        if link.daysLeft < 0 { return "expired" }
        return link.daysUntilValid > 0 ? "not yet" : "\(link.daysLeft) d"
    }

    /// The start and the end of a pin, as in `sha256/NSQoeTIW…QGfk=`.
    static func shortPin(_ pin: String) -> String {
        guard pin.hasPrefix("sha256/"), pin.count > 24 else { return pin }
        return String(pin.prefix(15)) + "…" + String(pin.suffix(5))
    }

    static func bareShortPin(_ pin: String) -> String {
        let short = shortPin(pin)
        return short.hasPrefix("sha256/") ? String(short.dropFirst("sha256/".count)) : short
    }

    func pins(_ report: Report) -> [String] {
        guard !report.pins.isEmpty, !report.built.isEmpty else { return [] }
        // A single pin needs no number, and a mismatch lists all pins.
        guard report.pins.count > 1, !isMismatch(report) else { return ["  " + pinSummary(report)] }
        let legend = report.matchedPins.isEmpty ? [] : numbers(report)
        return ["  " + pinSummary(report)] + (explains ? list(report) : legend)
    }

    private func pinSummary(_ report: Report) -> String {
        let configured = report.pins.count
        let matched = report.matchedPins
        // The client ignores the matched pin at its depth, or requires another pin as well.
        let isInVain = !matched.isEmpty && isMismatch(report) && !report.clients.contains { $0.verdict == .accept }
        var text = "pins: \(configured) configured, \(matched.count) \(isInVain ? "on the chain" : "matched")"
        let roles = report.needed.filter { !$0.pins.isEmpty }.map(\.role).distinct
        if !roles.isEmpty { text += " (\(roles.listed))" }
        let unmatched = report.pins.indices.filter { !matched.contains($0) }
        let compared = unmatched.filter { report.outlook?.pins[$0].isCompared ?? true }
        let keys = Set((report.presented + report.built).map(\.pin))
        let absent = compared.count { !keys.contains(report.pins[$0].spkiSHA256.description) }
        if absent > 0 {
            let backups = matched.isEmpty ? 0 : report.outlook?.backups.count ?? absent
            let remark = backups == absent ? " (backup)" : " (\(backups) backup)"
            text += ", \(absent) not in the chain" + (backups == 0 ? "" : remark)
        }
        if unmatched.count > compared.count { text += ", \(unmatched.count - compared.count) not compared" }
        return text
    }

    private static let mostInLine = 4

    func numbers(_ report: Report) -> [String] {
        let pins = report.pins
        guard pins.count > 1 else { return [] }
        let first = (report.matchedPins.sorted() + backups(report).sorted()).prefix(Self.mostInLine)
        let named = pins.count <= Self.mostInLine ? Array(pins.indices) : Array(first)
        guard !named.isEmpty else { return [] }
        let texts = named.map { index in
            let pin = pins[index]
            // Pins of `--pins` have one origin in common: only their hashes tell them apart.
            let isAlone = pins.count { $0.origin == pin.origin } == 1
            let label = isAlone ? safe(pin.origin, length: 80) : Self.bareShortPin(pin.spkiSHA256.description)
            return "pin \(index + 1): " + label + backupRemark(index, in: report)
        }
        let more = named.count < pins.count ? "; --explain lists all \(pins.count)" : ""
        return ["  " + texts.joined(separator: "; ") + more]
    }

    private func backupRemark(_ index: Int, in report: Report) -> String {
        let pin = report.outlook?.pins[index]
        guard backups(report).contains(index) else {
            return pin?.noBackup.map { " (no backup: \(safe($0.words, length: 120)))" } ?? ""
        }
        return " (backup\(pin?.until.map { ", until \($0.date)" } ?? ""))"
    }

    private func backups(_ report: Report) -> Set<Int> {
        Set(report.outlook?.backups ?? []).subtracting(report.matchedPins)
    }

    func isMismatch(_ report: Report) -> Bool {
        report.reason.id == "pin-mismatch" || report.clients.contains { $0.reason.id == "pin-mismatch" }
    }

    func pinFailure(_ report: Report) -> [String] {
        if let next = report.result.next, report.built.isEmpty {
            return ["  next:", "    \(next.pin)"] + configuredPins(report)
        }
        let areCertificatesPinned = report.pins.contains { $0.certificate != nil }
        let served = report.built.map { link in
            // Pinned certificates may have one key in common.
            let identity = areCertificatesPinned ? ", \(link.certificate.inShort)" : ""
            return "    \(link.pin)  \(name(of: link))\(origin(of: link))\(identity)"
        }
        return ["  served:"] + served + configuredPins(report)
    }

    func configuredPins(_ report: Report) -> [String] { ["  configured:"] + list(report) }

    private func list(_ report: Report) -> [String] {
        let pins = report.pins
        let width = String(pins.count).utf8.count
        let backups = isMismatch(report) ? [] : backups(report)
        return pins.indices.map { index in
            // Other lines refer to pins by number.
            let number = pins.count > 1 ? TerminalText.leftPadded(String(index + 1), toCells: width) + " " : ""
            let place = pins[index].place.map { safe($0, length: 80) }.listed
            return "    \(number)\(pins[index].spkiSHA256)  \(place)" + (backups.contains(index) ? ", backup" : "")
        }
    }
}
