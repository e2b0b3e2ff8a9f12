import PinChecking

/// What the connections to one target come to, counted by its addresses.
struct VariantSummary {
    /// One address with the reports on it.
    struct Place {
        /// The address, with its port where that is not the target's.
        let name: String
        var reports: [Report]

        /// Those whose verdict counts for the target.
        var counting: [Report] { reports.filter(\.counts) }
    }

    let consistency: Report.Consistency
    /// The addresses in their order.
    let places: [Place]

    init(_ reports: [Report], _ consistency: Report.Consistency) {
        self.consistency = consistency
        var places: [Place] = []
        for report in reports {
            let name = report.peer ?? report.endpoint?.address ?? report.target
            if let index = places.firstIndex(where: { $0.name == name }) {
                places[index].reports.append(report)
            } else {
                places.append(Place(name: name, reports: [report]))
            }
        }
        self.places = places
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
        let counting = places.map(\.counting).filter { !$0.isEmpty }
        let rejected = counting.filter { $0.contains { $0.verdict == .reject } }
        let silent = counting.filter { place in
            !place.contains { $0.verdict == .reject }
                && place.contains { $0.status == .unreachable || $0.status == .data }
        }
        let judged = counting.filter { $0.contains { $0.verdict != .none } }
        let accepted =
            judged.count - rejected.count
            - judged.count { place in
                !place.contains { $0.verdict == .reject } && place.contains { $0.verdict == .none }
            }
        let otherwise = consistency.answeringOtherwise
        let short = otherwise > 0 ? 0 : counting.count(where: Self.endsTooSoon)
        let parts = [
            (accepted - short, "accepted"), (short, "accepted for too short a time"), (rejected.count, "rejected"),
            (silent.count, "without a verdict"), (otherwise, "without the expected answer"),
        ].filter { $0.0 > 0 }
        guard consistency.addresses != 1 || places.count != 1 else {
            guard let reports = counting.first, !parts.isEmpty else { return "1 address, not judged" }
            let words = parts.map(\.1).joined(separator: ", ")
            let affected =
                rejected.isEmpty
                ? silent.isEmpty ? nil : reports.count { $0.verdict == .none } : reports.count { $0.verdict == .reject }
            let share =
                affected.map { $0 < reports.count ? " for \($0) of \(reports.count) kinds of clients" : "" } ?? ""
            return "1 address, " + words + share
        }
        let addresses = consistency.addresses == 1 ? "1 address" : "\(consistency.addresses) addresses"
        let counts = parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return "\(addresses): \(counts.isEmpty ? "not judged" : counts)"
    }

    /// Whether every client accepts at an address, and less time is left than was asked for.
    private static func endsTooSoon(_ reports: [Report]) -> Bool {
        reports.allSatisfy { $0.verdict == .accept } && reports.contains { $0.status == .fail }
    }

    private var comparison: String {
        switch consistency.consistent {
        case false?: "the verdicts differ"
        case _ where consistency.hasKnownDifferences: "as recorded"
        case true? where consistency.unreachable > 0 && consistency.hasVerdicts: comparisonOfOthers
        case true?: "consistent"
        case nil: "nothing to compare"
        }
    }

    /// The same where some have no verdict: of the addresses that have one, or of what is judged of the only address.
    private var comparisonOfOthers: String {
        let judged = places.map { place in place.counting.count { $0.verdict != .none } }.filter { $0 > 0 }
        let count = places.count > 1 ? judged.count : judged.first ?? 0
        guard count < 2 else { return "the others are consistent" }
        return judged.first ?? 0 > 1 ? "the other is consistent" : "nothing to compare"
    }

    /// What the warnings are about, in a few words each.
    private var differences: [String] {
        consistency.findings.filter { $0.level == .warning }.map { Self.words[$0.id] ?? $0.id }.reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    private static let words = [
        "addresses-differ": "the addresses differ", "addresses-incomplete": "not all addresses are known",
        "no-sni-differs": "another certificate without SNI", "no-time": "the time was up",
    ]
}
