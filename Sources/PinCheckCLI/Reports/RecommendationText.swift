import Base
import PinChecking
import Pinning

/// Writes which pins to ship as text; only hashes may be wider than there is room.
struct RecommendationText: Sendable {
    let style: TextStyle
    /// How much room a line has.
    var layout = TextLayout()

    /// The lines below the heading of a source.
    func lines(_ recommendation: Recommendation) -> [String] {
        let authority = recommendation.authority?.name
        var lines: [String] = []
        if let authority { lines.append(labelled("authority: ", source(authority, recommendation))) }
        lines.append(labelled("ship ", count(recommendation) + recommendation.advice))
        for (index, choice) in recommendation.choices.enumerated() {
            let date = choice.dateNote.map { ". \($0)" } ?? ""
            lines += pin(index + 1, choice.key, choice.owner + ": " + choice.reason(of: authority).message + date)
        }
        for unfit in recommendation.unfit {
            lines.append(labelled("warning: ", unfit.message.message, paint: style.doubtful))
        }
        if let missing = recommendation.missing {
            lines.append(labelled("warning: ", missing.message, paint: style.doubtful))
            lines += recommendation.waysOut.map { "      " + $0 }
        }
        if let unseen = recommendation.unseen { lines.append(labelled("note: ", unseen.message)) }
        if !recommendation.survives.isEmpty {
            lines.append(labelled("holds after: ", recommendation.survives.map(\.words).joined(separator: ", ")))
        }
        // Why nothing is recommended is said above.
        let risks = recommendation.doubt == nil ? recommendation.risks : []
        lines += risks.map { labelled("risk: ", $0.message.message) }
        if let date = recommendation.reviewDate {
            let change = authority == nil ? "" : ", and before the server changes its authority"
            lines.append(labelled("look again: ", "by \(date.date)" + change))
        }
        return lines + today(recommendation)
    }

    /// How many pins are to be shipped.
    private func count(_ recommendation: Recommendation) -> String {
        guard recommendation.doubt == nil else { return "" }
        let count = recommendation.choices.count + (recommendation.lacksReserve ? 1 : 0)
        let open = recommendation.lacksReserve ? ", one of which you have yet to make" : ""
        return (count == 1 ? "1 pin" : "\(count) pins") + open + ": "
    }

    /// What the pins of today are for, and what is to be said against them.
    private func today(_ recommendation: Recommendation) -> [String] {
        guard let current = recommendation.current, let concerns = recommendation.concerns else { return [] }
        let keys = Set(current.map(\.key))
        let isWhole = recommendation.missing == nil && recommendation.choices.allSatisfy { keys.contains($0.key) }
        var lines = ["  pinned today:" + (concerns.isEmpty && isWhole ? " nothing is wrong with these pins" : "")]
        for (index, item) in current.enumerated() {
            lines += pin(index + 1, item.key, "\(item.origin): \(item.message.message)")
        }
        return lines
            + concerns.map { labelled("warning: ", "pinned today: " + $0.message.message, paint: style.doubtful) }
    }

    /// A pin with its number, and what there is to say of it below.
    private func pin(_ number: Int, _ key: SHA256Digest, _ words: String) -> [String] {
        ["  \(number) \(key)", folded("    " + TerminalText.shown(words, to: 2000))]
    }

    /// The authority, with the pages that say what is known of it.
    private func source(_ authority: String, _ recommendation: Recommendation) -> String {
        var pages: [String] = []
        for root in recommendation.choices.compactMap(\.root) {
            let page = "\(root.source), \(root.date)"
            if !pages.contains(page) { pages.append(page) }
        }
        return pages.isEmpty ? authority : "\(authority) (\(pages.joined(separator: "; ")))"
    }

    /// A sentence behind its label.
    private func labelled(_ label: String, _ text: String, paint: (String) -> String = { $0 }) -> String {
        folded("  " + paint(label) + TerminalText.shown(text, to: 2000))
    }

    /// A line, broken where there is no room; what follows stands below the hashes.
    private func folded(_ line: String) -> String { layout.folded(line, indent: 4) }
}
