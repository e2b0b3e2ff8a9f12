import Base
import PinChecking
import Pinning

/// What ends when: the certificates of a host, and for clients of one outlook together their pins.
struct Timeline {
    /// A line: what it is about, and from when to when it is.
    struct Row {
        /// How it is drawn; the word is its class.
        enum Kind: String {
            case certificate = "c"
            /// A moment on the server's certificate.
            case renewal = "r"
            case pin = "p"
            case backup = "b"
            /// Until when pins are compared at all.
            case pinSet = "e"
            /// From when on no pin is sure to match.
            case noPin = "n"
        }

        let kind: Kind
        let label: String
        var start: Timestamp? = nil
        /// `nil` where there is no end, or none is known.
        var end: Timestamp? = nil
    }

    let host: String
    let now: Timestamp
    /// Whether that is the day of the check, and not one that was asked for.
    let isToday: Bool
    /// Rows of the chain, or of clients that share them; `nil` where all clients do.
    let parts: [(clients: String?, rows: [Row])]
    /// What is drawn; what goes on beyond it has an arrow.
    let first: Timestamp
    let last: Timestamp

    /// - Returns: `nil` without a chain.
    init?(_ report: Report) {
        guard let leaf = report.built.first?.certificate else { return nil }
        (host, now, isToday) = (report.title, report.evaluatedAt, !report.isOfAnotherTime)
        var chain: [Row] = []
        for (depth, _, link) in report.neededCertificates {
            let one = link.certificate
            chain.append(
                Row(kind: .certificate, label: "\(depth) \(one.role)", start: one.notBefore, end: one.notAfter))
            if depth == 0, let renewal = report.outlook?.renewalPoint, chain.count == 1 {
                chain.append(Row(kind: .renewal, label: "usually renewed by", end: renewal))
            }
        }
        let groups = report.clientsAlike.filter { $0[0].outlook?.pins.contains(where: \.isCompared) ?? false }
        parts =
            [(nil, chain)]
            + groups.map { clients in
                (
                    report.clientsAlike.count > 1
                        ? listed(clients.map(\.title), first: 2) + (clients[0].verdict == .reject ? ": reject" : "")
                        : nil, clients[0].outlook.map { Self.rows($0, in: report) } ?? []
                )
            }
        // A root of twenty years would make a point of the leaf's ninety days.
        let end = leaf.notAfter
        let far = now.advanced(bySeconds: max(400 * 86_400, 2 * min(max(now.seconds(to: end), 0), 1 << 40)))
        let ends = [end] + parts.flatMap(\.rows).filter { $0.kind != .certificate }.compactMap(\.end)
        let last = max(now.advanced(bySeconds: 86_400), ends.filter { $0 <= far }.max() ?? now)
        let earliest = min(now, end).advanced(bySeconds: -max(now.seconds(to: last), 30 * 86_400))
        first = min(now, max(leaf.notBefore, earliest))
        self.last = last
    }

    /// The pins of an outlook, those that match alike in one row, and what ends them.
    private static func rows(_ outlook: Outlook, in report: Report) -> [Row] {
        let now = report.evaluatedAt
        let matching = outlook.pins.enumerated().map { (index: $0, pin: $1) }.filter {
            $0.pin.isCompared && $0.pin.depth != nil
        }
        var rows = matching.grouped { "\($0.pin.depth ?? 0) \($0.pin.until?.description ?? "")" }.map { _, alike in
            let (depth, pins) = (alike[0].pin.depth ?? 0, alike.map(\.index))
            let role = report.built.indices.contains(depth) ? " " + report.built[depth].certificate.role : ""
            return Row(kind: .pin, label: "\(numbered(pins)) → \(depth)\(role)", start: now, end: alike[0].pin.until)
        }
        guard !rows.isEmpty else { return [Row(kind: .noPin, label: "no pin matches", end: now)] }
        if !outlook.backups.isEmpty {
            // A backup for a part of what the client demands keeps no app connected by itself.
            let label = (outlook.hasBackup ? "backup: " : "backup of a part: ") + numbered(outlook.backups)
            rows.append(Row(kind: .backup, label: label, start: now, end: outlook.hasBackup ? outlook.noPinAfter : nil))
        }
        if let end = outlook.pinsExpire {
            rows.append(Row(kind: .pinSet, label: "pins compared until", start: min(now, end), end: end))
        }
        if let end = outlook.noPinAfter {
            rows.append(Row(kind: .noPin, label: "no pin is sure to match after", end: end))
        }
        return rows
    }

    /// As in `pins 1, 2`.
    static func numbered(_ pins: [Int]) -> String {
        (pins.count == 1 ? "pin " : "pins ") + listed(pins.map { String($0 + 1) }, first: 4)
    }
}

extension Report {
    /// The clients, those together that decide alike and expect the same.
    var clientsAlike: [[Client]] {
        clients.grouped { client in
            let outlook = client.outlook
            let dates = [outlook?.validUntil, outlook?.pinsMatchUntil, outlook?.noPinAfter, outlook?.pinsExpire].map {
                $0?.description ?? ""
            }
            let pins = (outlook?.pins ?? []).map { "\($0.isCompared) \($0.depth ?? -1) \($0.until?.description ?? "")" }
            return [client.verdict.rawValue, "\(outlook?.backups ?? [])"] + dates + pins
        }.map(\.elements)
    }
}
