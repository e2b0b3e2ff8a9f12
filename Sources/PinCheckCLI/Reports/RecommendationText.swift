import Devices
import PinChecking
import Pinning
import Text

/// Writes which pins to ship as text, within 80 columns but for hashes.
struct RecommendationText: Sendable {
    private static let width = 80

    let style: TextStyle

    /// The lines below the heading of a source.
    func lines(_ recommendation: Recommendation) -> [String] {
        let authority = recommendation.authority?.name
        var lines: [String] = []
        if let authority { lines += labelled("authority: ", source(authority, recommendation)) }
        let count = recommendation.choices.count + (recommendation.lacksReserve ? 1 : 0)
        let open = recommendation.lacksReserve ? ", one of which you have yet to make" : ""
        lines += labelled("ship ", (count == 1 ? "1 pin" : "\(count) pins") + open + ": " + recommendation.advice)
        for (index, choice) in recommendation.choices.enumerated() {
            let number = String(index + 1)
            lines.append("  \(number) \(choice.key)")
            let date = choice.dateNote.map { "; \($0)" } ?? ""
            lines += labelled("  ", choice.owner + ": " + choice.reason(of: authority).message + date)
        }
        if let missing = recommendation.missing {
            lines += labelled("warning: ", missing, paint: style.doubtful)
            lines += Recommendation.waysToReserve.map { "      " + $0 }
        }
        lines += labelled("holds after: ", recommendation.survives.map(\.words).joined(separator: ", "))
        for risk in recommendation.risks { lines += labelled("risk: ", risk.message.message) }
        if let date = recommendation.reviewDate {
            let change = authority == nil ? "" : ", and before the server changes its authority"
            lines += labelled("look again: ", "by \(date.date)" + change)
        }
        if let concerns = recommendation.concerns {
            if concerns.isEmpty { lines += labelled("pins of today: ", "they last as long as these") }
            for concern in concerns {
                lines += labelled("warning: ", "pins of today: " + concern.message.message, paint: style.doubtful)
            }
        }
        return lines
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

    /// A sentence behind its label, broken between words; the lines after the first stand below its beginning.
    private func labelled(
        _ label: String,
        _ text: String,
        indent: String = "    ",
        paint: (String) -> String = { $0 }
    ) -> [String] {
        var lines: [String] = []
        var line = "  " + label
        var isEmpty = true
        for word in TerminalText.shown(text, to: 2000).split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > Self.width {
                lines.append(line)
                line = indent
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(line)
        lines[0] = "  " + paint(label) + lines[0].dropFirst(2 + label.count)
        return lines
    }
}
