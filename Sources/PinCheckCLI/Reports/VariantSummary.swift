import Base
import PinChecking

struct VariantSummary {
    let consistency: AddressComparison
    /// The results of the target, the last with the comparison.
    let reports: [Report]
    /// The addresses in their order, with a port that is not the target's, each with its reports.
    let places: [(name: String, reports: [Report])]

    init?(_ reports: [Report]) {
        guard let consistency = reports.last?.result.consistency else { return nil }
        (self.consistency, self.reports) = (consistency, reports)
        places = reports.grouped { $0.address ?? $0.target }.map { ($0, $1) }
    }

    var sentence: String {
        let differences = self.differences
        guard isFound else {
            let more = differences.isEmpty ? "" : "; " + differences.joined(separator: ", ")
            return "no address was found, so nothing was judged" + more
        }
        return verdicts + "; " + only + (differences.isEmpty ? comparison : differences.joined(separator: ", "))
    }

    var isFound: Bool { consistency.addresses > 0 || consistency.hasVerdicts }

    /// The number of accepted addresses; an address that rejects one kind of client is not accepted.
    var verdicts: String {
        // A family whose look-up failed does not count as an address.
        let counting = places.map { $0.reports.filter { $0.counts && !$0.isOfFamily } }.filter { !$0.isEmpty }
        let otherwise = consistency.answeringOtherwise
        let words = counting.map { Self.word($0, isJudgedByTime: otherwise == 0) }
        let order = ["accepted", "accepted for too short a time", "rejected", "without a verdict"]
        let parts =
            order.map { word in (count: words.count { $0 == word }, word: word) }.filter { $0.count > 0 }
            + (otherwise > 0 ? [(otherwise, "without the expected answer")] : [])
        guard consistency.addresses != 1 || counting.count != 1 else {
            return "1 address, " + (parts.isEmpty ? "not judged" : parts.map(\.word).joined(separator: ", "))
        }
        let addresses = consistency.addresses == 1 ? "1 address" : "\(consistency.addresses) addresses"
        let counts = parts.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
        return "\(addresses): \(counts.isEmpty ? "not judged" : counts)"
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
        guard case .family(let isIPv6)? = consistency.absentFamilies.first else { return "" }
        return isIPv6 ? "IPv4 only, " : "IPv6 only, "
    }

    private var comparison: String {
        switch consistency.isConsistent {
        case false?: "the verdicts differ"
        case _ where consistency.hasKnownDifferences: "as recorded"
        case true? where consistency.unreachable > 0 && consistency.hasVerdicts: "those with a verdict are consistent"
        case true?: "consistent"
        case nil: "nothing to compare"
        }
    }

    private var differences: [String] {
        consistency.findings.filter { $0.level == .warning }.map { Self.words[$0.id] ?? $0.id }.distinct
    }

    private static let words = [
        "addresses-differ": "the addresses differ", "no-sni-differs": "another certificate without SNI",
        "serves-in-turn": "an address serves two keys in turn",
    ]
}
