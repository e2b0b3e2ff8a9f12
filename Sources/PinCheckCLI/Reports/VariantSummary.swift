import Base
import PinChecking

/// What the connections to one target come to, counted by its addresses.
struct VariantSummary {
    let consistency: AddressComparison
    /// The addresses in their order, each with its port where that is not the target's, and with the reports on it.
    let places: [(name: String, reports: [Report])]

    /// - Returns: `nil` for a report that is about all of its target.
    init?(_ reports: [Report]) {
        guard let consistency = reports.last?.consistency else { return nil }
        self.consistency = consistency
        places = reports.grouped { $0.peer ?? $0.endpoint?.address ?? $0.target }.map { ($0, $1) }
    }

    /// What comes of it in one line, as in `4 addresses: 3 accepted, 1 rejected; the addresses differ`.
    var sentence: String {
        let differences = self.differences
        guard consistency.addresses > 0 || consistency.hasVerdicts else {
            let more = differences.isEmpty ? "" : "; " + differences.joined(separator: ", ")
            return "no address was found, so nothing was judged" + more
        }
        return verdicts + "; " + (differences.isEmpty ? comparison : differences.joined(separator: ", "))
    }

    /// How many addresses are accepted; one that rejects a single kind of client is not.
    private var verdicts: String {
        let counting = places.map { $0.reports.filter(\.counts) }.filter { !$0.isEmpty }
        let otherwise = consistency.answeringOtherwise
        let words = counting.map { Self.word($0, isJudgedByTime: otherwise == 0) }
        let order = ["accepted", "accepted for too short a time", "rejected", "without a verdict"]
        let parts =
            order.map { word in (count: words.count { $0 == word }, word: word) }.filter { $0.count > 0 }
            + (otherwise > 0 ? [(otherwise, "without the expected answer")] : [])
        guard consistency.addresses != 1 || places.count != 1 else {
            guard let reports = counting.first, !parts.isEmpty else { return "1 address, not judged" }
            let affected: Report.VerdictWord? =
                words[0] == "rejected" ? .reject : words[0] == "without a verdict" ? Report.VerdictWord.none : nil
            let count = affected.map { word in reports.count { $0.verdict == word } } ?? reports.count
            let share = count < reports.count ? " for \(count) of \(reports.count) kinds of clients" : ""
            return "1 address, " + parts.map(\.word).joined(separator: ", ") + share
        }
        let addresses = consistency.addresses == 1 ? "1 address" : "\(consistency.addresses) addresses"
        let counts = parts.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
        return "\(addresses): \(counts.isEmpty ? "not judged" : counts)"
    }

    /// What an address comes to, `nil` where not all was judged there.
    private static func word(_ reports: [Report], isJudgedByTime: Bool) -> String? {
        if reports.contains(where: { $0.verdict == .reject }) { return "rejected" }
        if reports.contains(where: { [.unreachable, .data].contains($0.status) }) { return "without a verdict" }
        guard reports.allSatisfy({ $0.verdict == .accept }) else { return nil }
        let isShort = isJudgedByTime && reports.contains { $0.status == .fail }
        return isShort ? "accepted for too short a time" : "accepted"
    }

    private var comparison: String {
        switch consistency.isConsistent {
        case false?: "the verdicts differ"
        case _ where consistency.hasKnownDifferences: "as recorded"
        case true? where consistency.unreachable > 0 && consistency.hasVerdicts: comparisonOfOthers
        case true?: "consistent"
        case nil: "nothing to compare"
        }
    }

    /// The same where some have no verdict: of the addresses that have one, or of what is judged of the only address.
    private var comparisonOfOthers: String {
        let judged = places.map { place in place.reports.count { $0.counts && $0.verdict != .none } }.filter { $0 > 0 }
        let count = places.count > 1 ? judged.count : judged.first ?? 0
        guard count < 2 else { return "the others are consistent" }
        return judged.first ?? 0 > 1 ? "the other is consistent" : "nothing to compare"
    }

    /// What the warnings are about, in a few words each.
    private var differences: [String] {
        consistency.findings.filter { $0.level == .warning }.map { Self.words[$0.id] ?? $0.id }.distinct
    }

    private static let words = [
        "addresses-differ": "the addresses differ", "addresses-incomplete": "not all addresses are known",
        "no-sni-differs": "another certificate without SNI", "no-time": "the time was up",
    ]
}
