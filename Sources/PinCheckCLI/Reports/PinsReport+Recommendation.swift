import PinChecking
import PinFormats
import Pinning

extension PinsReport {
    struct Advice: DocumentObject {
        var strategy: String
        var summary: String
        var authority: String?
        var pins: [Choice]
        var intermediate: Choice?
        var missing: Report.Message?
        var reviewBy: String?

        init(_ recommendation: Recommendation) {
            strategy = recommendation.strategy.rawValue
            summary = recommendation.summary
            authority = recommendation.ca?.name
            pins = recommendation.choices.map(Choice.init)
            intermediate = recommendation.intermediate.map(Choice.init)
            missing = recommendation.missing.map { Report.Message($0) }
            reviewBy = recommendation.reviewDate?.date
        }

        static let definition: String? = "recommendation"
        static let meaning: String? = "Which pins to ship."

        static let fields: DocumentFields<Advice> = [
            DocumentField(
                "strategy", \.strategy, "Whose keys they are; none where nothing is recommended.",
                as: .words(Recommendation.Strategy.allCases.map(\.rawValue))), DocumentField("summary", \.summary),
            DocumentField(
                "authority", \.authority, "Who issues the server's certificates; null for one that is not known."),
            DocumentField("pins", \.pins),
            DocumentField("intermediate", \.intermediate, "Who issued the leaf, where it is not among the pins."),
            DocumentField("missing", \.missing, "What has yet to be added; null for nothing."),
            DocumentField("review_by", \.reviewBy, "The first day that one of the dates names.", as: .day),
        ]
    }

    struct Choice: DocumentObject {
        var pin: String
        var owner: String
        var reason: Report.Message
        var until: String?
        var crossSignedBy: [String]
        var source: String?
        var sourceDate: String?

        init(_ choice: Recommendation.Choice) {
            pin = choice.item.spkiSHA256.description
            owner = choice.owner
            reason = Report.Message(choice.reason)
            until = choice.until?.date
            crossSignedBy = choice.root?.crossSigners ?? []
            source = choice.root?.source
            sourceDate = choice.root?.date
        }

        static let definition: String? = "recommendedPin"

        static let fields: DocumentFields<Choice> = [
            DocumentField("pin", \.pin, as: .pin), DocumentField("owner", \.owner), DocumentField("reason", \.reason),
            DocumentField("until", \.until, "How long it can be relied on; null where nothing says so.", as: .day),
            DocumentField("cross_signed_by", \.crossSignedBy, "Older roots that signed the key."),
            DocumentField("source", \.source, "Where the CA says so; null for a key that is in no table."),
            DocumentField("source_date", \.sourceDate, "The day on which that page was changed or read.", as: .day),
        ]
    }
}

extension KeySource {
    /// The keys, and those that are recommended and are not among them.
    var itemsWithRecommended: [PinItem] {
        let known = Set(items.map(\.spkiSHA256))
        return items + (recommended?.choices ?? []).map(\.item).filter { !known.contains($0.spkiSHA256) }
    }
}
