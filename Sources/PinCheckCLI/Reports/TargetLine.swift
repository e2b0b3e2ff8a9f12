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
        let comparison = compares ? reports.comparison : nil
        let status = ExitStatus.worst(counting.map(exit))
        self.status = status
        let alike = counting.filter { exit($0) == status }
        // Of equal statuses a client's rejection comes first: it keeps users out today.
        guard let worst = alike.first(where: { $0.verdict == .reject }) ?? alike.first else {
            (id, sentence, more) = (nil, comparison?.sentence(on: reports) ?? reports[0].sentence, "")
            return
        }
        id = reason(worst).id
        let told = worst.withAnswer(worst.sentence(for: reason(worst)))
        if let comparison, comparison.isFound {
            let isOfAll =
                alike.count { reason($0) == reason(worst) } == counting.count
                || comparison.findings.contains { $0.id == reason(worst).id }
            let place = isOfAll ? "" : " (\(Self.place(of: worst)))"
            sentence =
                status == .pass
                ? comparison.sentence(on: reports) : "\(comparison.verdicts(on: reports)); \(told)\(place)"
        } else {
            sentence = told
        }
        guard status != .pass else {
            more = Self.ending(counting)
            return
        }
        let warnings = reports.flatMap(\.attention).filter { !told.contains($0.sentence) }
        let others = counting.filter { exit($0) != .pass }.map { reason($0).id } + warnings.map(\.id)
        let differences = comparison?.warnings.map(\.id) ?? []
        let ids = (others + differences).distinct.filter { $0 != reason(worst).id }
        let names = ids.prefix(Self.mostNamed) + (ids.count > Self.mostNamed ? ["…"] : [])
        more = ids.isEmpty ? "" : "; and \(ids.count) more: \(Array(names).listed)"
    }

    /// The place of a connection, as in `203.0.113.7`, `203.0.113.7, RSA` and `IPv6 addresses`.
    private static func place(of report: Report) -> String {
        [report.address, report.variantLabel].compactMap(\.self).listed
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

extension [Report] {
    /// The comparison of the connections to a target; `nil` if it has only one, which is compared with none.
    var comparison: AddressComparison? { self[count - 1].result.consistency }
}

extension AddressComparison {
    func sentence(on reports: [Report]) -> String {
        let differences = self.differences
        guard isFound else {
            let more = differences.isEmpty ? "" : "; " + differences.listed
            return "no address was found, so nothing was judged" + more
        }
        return verdicts(on: reports) + "; " + only + (differences.isEmpty ? comparison : differences.listed)
    }

    var warnings: [Finding] { findings.filter { $0.level == .warning } }
    fileprivate var isFound: Bool { addresses > 0 || hasVerdicts }

    /// The number of accepted addresses; an address that rejects one kind of client is not accepted.
    fileprivate func verdicts(on reports: [Report]) -> String {
        // A family whose look-up failed does not count as an address.
        let counting = reports.filter { $0.counts && !$0.isOfFamily }.grouped(by: \.place).map(\.elements)
        let words = counting.map { Self.word($0, isJudgedByTime: answeringOtherwise == 0) }
        let order = ["accepted", "accepted for too short a time", "rejected", "without a verdict"]
        let parts =
            order.map { word in (count: words.count { $0 == word }, word: word) }.filter { $0.count > 0 }
            + (answeringOtherwise > 0 ? [(answeringOtherwise, "without the expected answer")] : [])
        guard addresses != 1 || counting.count != 1 else {
            return "1 address, " + (parts.isEmpty ? "not judged" : parts.map(\.word).listed)
        }
        let counts = parts.map { "\($0.count) \($0.word)" }.listed
        return "\(addresses) address\(addresses == 1 ? "" : "es"): \(counts.isEmpty ? "not judged" : counts)"
    }

    /// The word for an address by its parts with a verdict; `nil` if there is none.
    private static func word(_ reports: [Report], isJudgedByTime: Bool) -> String? {
        if reports.contains(where: { $0.verdict == .reject }) { return "rejected" }
        if reports.contains(where: { [.unreachable, .unknown, .data].contains($0.status) }) {
            return "without a verdict"
        }
        guard reports.contains(where: { $0.verdict == .accept }) else { return nil }
        let isShort = isJudgedByTime && reports.contains { $0.status == .fail }
        return isShort ? "accepted for too short a time" : "accepted"
    }

    private var only: String {
        guard case .family(let isIPv6)? = absentFamilies.first else { return "" }
        return isIPv6 ? "IPv4 only, " : "IPv6 only, "
    }

    private var comparison: String {
        switch isConsistent {
        case false?: "the verdicts differ"
        case _ where hasKnownDifferences: "as recorded"
        case true? where unreachable > 0 && hasVerdicts: "those with a verdict are consistent"
        case true?: "consistent"
        case nil: "nothing to compare"
        }
    }

    private var differences: [String] { warnings.map { Self.words[$0.id] ?? $0.id }.distinct }

    private static let words = [
        "addresses-differ": "the addresses differ", "no-sni-differs": "another certificate without SNI",
        "serves-in-turn": "an address serves two keys in turn",
    ]
}
