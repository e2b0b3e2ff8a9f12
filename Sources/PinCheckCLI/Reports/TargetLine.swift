import Base
import PinChecking

/// The line on a target from all its results: the worst first, the others counted.
struct TargetLine {
    let status: ExitStatus
    /// The id of the reason; `nil` if no result counts.
    let id: String?
    let sentence: String
    /// The other ids, as in `; and 2 more: expires-soon, no-backup-pin`; empty if there are none.
    let more: String
    private static let mostNamed = 6

    init(_ reports: [Report], isMonitored: Bool = false, compares: Bool = true) {
        func exit(_ report: Report) -> ExitStatus { isMonitored ? report.monitoring.exit : report.status }
        func reason(_ report: Report) -> Reason { isMonitored ? report.monitoring.reason : report.reason }
        let counting = reports.filter(\.counts)
        let summary = compares ? VariantSummary(reports) : nil
        let status = ExitStatus.worst(counting.map(exit))
        self.status = status
        let alike = counting.filter { exit($0) == status }
        // Of equal statuses a client's rejection comes first: it keeps users out today.
        guard let worst = alike.first(where: { $0.verdict == .reject }) ?? alike.first else {
            (id, sentence, more) = (nil, summary?.sentence ?? reports.first?.sentence ?? "", "")
            return
        }
        id = reason(worst).id
        let told = worst.withAnswer(worst.sentence(for: reason(worst)))
        if let summary, summary.isFound {
            let isOfAll =
                alike.count { reason($0) == reason(worst) } == counting.count
                || summary.consistency.findings.contains { $0.id == reason(worst).id }
            let place = isOfAll ? "" : " (\(Self.place(of: worst)))"
            sentence = exit(worst) == .pass ? summary.sentence : "\(summary.verdicts); \(told)\(place)"
        } else {
            sentence = told
        }
        guard exit(worst) != .pass else {
            more = Self.ending(counting)
            return
        }
        let warnings = reports.flatMap(\.attention).filter { !told.contains($0.sentence) }
        let others = counting.filter { exit($0) != .pass }.map { reason($0).id } + warnings.map(\.id)
        let differences = summary?.consistency.findings.filter { $0.level == .warning }.map(\.id) ?? []
        let ids = (others + differences).distinct.filter { $0 != reason(worst).id }
        let names = ids.prefix(Self.mostNamed) + (ids.count > Self.mostNamed ? ["…"] : [])
        more = ids.isEmpty ? "" : "; and \(ids.count) more: \(names.joined(separator: ", "))"
    }

    /// The place of a connection, as in `203.0.113.7`, `203.0.113.7, RSA` and `IPv6 addresses`.
    private static func place(of report: Report) -> String {
        [report.address, report.variantLabel].compactMap(\.self).joined(separator: ", ")
    }

    /// The words for an accepted target that ends sooner than the limits allow: the sentence does not say so.
    private static func ending(_ reports: [Report]) -> String {
        let ending = reports.filter(\.endsSoon)
        guard let first = ending.first else { return "" }
        let isWhole = ending.count == reports.count
        return "; it ends soon\(isWhole ? "" : " (\(place(of: first)))") (WARN with --fail-on warn)"
    }
}

extension Report {
    var endsSoon: Bool {
        guard status == .pass, verdict == .accept else { return false }
        return outlook?.findings.contains { finding in
            [.expiresSoon, .pinsExpire].contains(finding.kind) && finding.level == .warning && finding != outlook?.told
        } ?? false
    }

    static func all(of results: [CheckResult]) -> [Report] {
        var reports = results.map { Report($0) }
        guard let last = reports.indices.last, reports[last].result.consistency != nil else { return reports }
        let line = TargetLine(reports)
        reports[last].targetReason = Reason(line.id ?? reports[last].reason.id, line.sentence + line.more)
        return reports
    }
}
