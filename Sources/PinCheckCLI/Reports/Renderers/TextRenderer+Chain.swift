import Base
import Pinning

extension TextRenderer {
    func chain(_ report: Report) -> [String] {
        guard !report.built.isEmpty else { return [] }
        let needed = report.neededCertificates
        let links = needed.map(\.link)
        var parts = explains ? wholeTable(needed) : table(needed)
        if links.count > report.built.count {
            let clients = Set(report.otherPaths.flatMap(\.clients)).sorted().joined(separator: ", ")
            parts.insert("  the system also checks, for \(safe(clients, length: 200)):", at: report.built.count)
        }
        // Where the chain is the reason for the verdict, the verdict says so.
        if !report.builtIsValid, report.verdict == .accept || isMismatch(report) {
            let why = report.whyUnverified.map { ": " + safe($0, length: 300) } ?? ""
            parts.append("  this chain was not verified" + why)
        }
        let unused = report.presented.filter { sent in !links.contains { $0.certificate.certSha256 == sent.certSha256 }
        }
        if !unused.isEmpty {
            let names = listed(unused.lazy.map { safe($0.subject, length: 40) }, first: 3)
            parts.append("  also sent, but not on this chain: \(names)")
        }
        return parts
    }

    private typealias Place = (depth: Int, path: Int, link: Report.ChainLink)

    /// A name that has to be cut keeps at least so many cells, and so many before its source.
    private static let shortestName = 8
    private static let shortestStart = 4

    /// A line for each, as wide as there is room for: where there is not enough, the hash goes without its algorithm, then without
    /// its end, and at last names are cut.
    private func table(_ places: [Place]) -> [String] {
        let pins = places.map(\.link.certificate.spkiSha256)
        func table(_ pin: (String) -> String, name: Int? = nil) -> Table {
            let rows = zip(places, pins).map { place, text in
                [
                    String(place.depth), place.link.certificate.role, title(of: place.link, toCells: name),
                    safe(place.link.certificate.key, length: 20), validity(of: place.link), pin(text),
                    arrow(place.link.pins) ?? "",
                ]
            }
            return Table(rows: rows, gaps: [1: 1, 4: 1], rightAligned: [0, 4])
        }
        for pin in [Self.shortPin, Self.bareShortPin] {
            let table = table(pin)
            if table.width <= layout.columns { return table.lines }
        }
        /// As in `NSQoeTIW…`: what tells one key from another at a glance.
        func beginning(_ pin: String) -> String {
            let short = Self.bareShortPin(pin)
            return short.firstIndex(of: "…").map { String(short[...$0]) } ?? short
        }
        let whole = table(beginning)
        let name = whole.widths[2]
        return table(beginning, name: max(min(name, Self.shortestName), name - max(0, whole.width - layout.columns)))
            .lines
    }

    /// Whole names, which go on below themselves, and on lines of their own whole pins, dates, fingerprints and the hosts.
    private func wholeTable(_ places: [Place]) -> [String] {
        let rows = places.map { place in
            [
                String(place.depth), place.link.certificate.role, safe(place.link.certificate.key, length: 20),
                validity(of: place.link), subject(of: place.link.certificate) + origin(of: place.link),
            ]
        }
        let lines = Table(rows: rows, gaps: [1: 1, 3: 1], rightAligned: [0, 3]).lines(foldedIn: layout)
        return zip(lines, places).map { line, place in
            ([line, place.link.certificate.spkiSha256 + (arrow(place.link.pins).map { "   " + $0 } ?? "")]
                + details(place.link.certificate)).joined(separator: "\n      ")
        }
    }

    private func details(_ certificate: Report.Certificate) -> [String] {
        let names =
            certificate.names.isEmpty ? [] : ["for " + listed(certificate.names.lazy.map { safe($0) }, first: 10)]
        return [
            "\(certificate.notBefore.date) to \(certificate.notAfter.date), serial \(safe(certificate.serial))",
            "SHA-256 \(certificate.certSha256)",
        ] + names.map { layout.folded($0, indent: 10) }
    }

    private func origin(of link: Report.ChainLink) -> String { link.sourceInWords.map { " (\($0))" } ?? "" }

    private func title(of link: Report.ChainLink, toCells cells: Int?) -> String {
        let name = name(of: link.certificate)
        let origin = origin(of: link)
        guard let cells, TerminalText.cells(name + origin) > cells else { return name + origin }
        let left = cells - TerminalText.cells(origin)
        guard left >= Self.shortestStart else { return TerminalText.cut(name + origin, toCells: cells) }
        return TerminalText.cut(name, toCells: left) + origin
    }

    private func arrow(_ pins: [Int]) -> String? {
        guard !pins.isEmpty else { return nil }
        let most = explains ? Int.max : 3
        let numbers = pins.prefix(most).map { String($0 + 1) } + (pins.count > most ? ["…"] : [])
        return style.good("← pin " + numbers.joined(separator: ", "))
    }

    func name(of certificate: Report.Certificate) -> String { safe(certificate.shortName, length: 80) }

    private func subject(of certificate: Report.Certificate) -> String {
        safe(certificate.subject.isEmpty ? "(no subject)" : certificate.subject, length: 256)
    }

    private func validity(of link: Report.ChainLink) -> String {
        let text = Self.validity(link.certificate)
        let days = Double(link.certificate.daysLeft)
        if days < 0 || link.certificate.daysUntilValid > 0 || days < link.failDays ?? 0 { return style.bad(text) }
        return days < link.warnDays ?? 0 ? style.doubtful(text) : text
    }

    static func validity(_ certificate: Report.Certificate) -> String {
        if certificate.daysLeft < 0 { return "expired" }
        return certificate.daysUntilValid > 0 ? "not yet" : "\(certificate.daysLeft) d"
    }

    /// The start and the end of a pin, as in `sha256/NSQoeTIW…QGfk=`.
    static func shortPin(_ pin: String) -> String {
        guard pin.hasPrefix("sha256/"), pin.count > 24 else { return pin }
        return String(pin.prefix(15)) + "…" + String(pin.suffix(5))
    }

    /// The same without the algorithm, as in `NSQoeTIW…QGfk=`.
    static func bareShortPin(_ pin: String) -> String {
        let short = shortPin(pin)
        return short.hasPrefix("sha256/") ? String(short.dropFirst("sha256/".count)) : short
    }
}

extension Report.ChainLink { var sourceInWords: String? { origin ?? (source == "presented" ? nil : source) } }

extension Report.Certificate {
    var shortName: String {
        guard !subject.isEmpty else { return "(no subject)" }
        let attributes = Self.attributes(of: subject)
        func value(of type: String) -> String? { attributes.first { $0.type == type && !$0.value.isEmpty }?.value }
        return value(of: "CN") ?? value(of: "O") ?? subject
    }

    /// The attributes of a name as RFC 2253 writes it, the last first.
    private static func attributes(of name: String) -> [(type: String?, value: String)] {
        var attributes: [(type: String?, value: String)] = [(nil, "")]
        var isEscaped = false
        for scalar in name.unicodeScalars {
            let last = attributes.count - 1
            switch scalar {
            case _ where isEscaped:
                // A control character stays the two digits that it is written as.
                if scalar.properties.isASCIIHexDigit { attributes[last].value += "\\" }
                attributes[last].value.unicodeScalars.append(scalar)
                isEscaped = false
            case "\\": isEscaped = true
            case "=" where attributes[last].type == nil: attributes[last] = (attributes[last].value, "")
            case ",", "+": attributes.append((nil, ""))
            default: attributes[last].value.unicodeScalars.append(scalar)
            }
        }
        return attributes
    }
}
