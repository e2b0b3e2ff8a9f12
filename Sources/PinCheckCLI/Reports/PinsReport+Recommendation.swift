import PinChecking
import PinFormats
import Pinning

extension PinsReport {
    /// Which pins to ship.
    struct Advice: DocumentObject {
        /// Whose keys they are.
        var strategy: Strategy
        /// The same in words.
        var summary: String
        /// The authority's name, `nil` for one that is not known.
        var authority: String?
        var pins: [Choice]
        /// What to add, `nil` for nothing.
        var missing: Report.Message?
        /// What was not looked at and matters, `nil` for nothing.
        var unseen: Report.Message?
        var survives: [Rotation]
        var risks: [Report.Message]
        /// Keys that were given to be in reserve, and are none.
        var unfit: [Report.Message]
        /// What is wrong with the pins of today, `nil` where none were given.
        var current: [Report.Message]?
        /// What the pins of today are for, `nil` where none were given.
        var currentPins: [CurrentPin]?
        var reviewBy: String?
    }

    /// A pin to ship.
    struct Choice: DocumentObject {
        var pin: String
        var owner: String
        var reason: Report.Message
        var until: String?
        var crossSignedBy: [String]
        var source: String?
        var sourceDate: String?
    }

    /// A pin of today.
    struct CurrentPin: DocumentObject {
        var pin: String
        var source: String
        var standing: Report.Message
    }

    enum Strategy: String, DocumentWord {
        case authorityRoots = "authority-roots"
        case ownKeys = "own-keys"
        case ownRoot = "own-root"
        case none
    }

    enum Rotation: String, DocumentWord {
        case sameKey = "renewed-same-key"
        case newKey = "renewed-new-key"
        case keyInReserve = "reserve-key-used"
        case newIntermediate = "new-intermediate"
        case crossCertificateDropped = "cross-certificate-dropped"
        case siblingRoot = "sibling-root"
        case anotherAuthority = "another-authority"
    }
}

extension PinsReport.Advice {
    init(_ recommendation: Recommendation) {
        self.init(
            strategy: PinsReport.Strategy(recommendation.strategy), summary: recommendation.advice,
            authority: recommendation.authority?.name,
            pins: recommendation.choices.map { PinsReport.Choice($0, recommendation.authority?.name) },
            missing: recommendation.missing, unseen: recommendation.unseen,
            survives: recommendation.survives.map(PinsReport.Rotation.init), risks: recommendation.risks.map(\.message),
            unfit: recommendation.unfit.map(\.message), current: recommendation.concerns?.map(\.message),
            currentPins: recommendation.current?.map { pin in
                PinsReport.CurrentPin(pin: pin.key.description, source: pin.origin, standing: pin.message)
            }, reviewBy: recommendation.reviewDate?.date)
    }
}

extension PinsReport.Choice {
    fileprivate init(_ choice: Recommendation.Choice, _ authority: String?) {
        self.init(
            pin: choice.key.description, owner: choice.owner, reason: choice.reason(of: authority),
            until: choice.until?.date, crossSignedBy: choice.root?.crossSigners ?? [], source: choice.root?.source,
            sourceDate: choice.root?.date)
    }
}

extension PinsReport.Strategy {
    fileprivate init(_ strategy: Recommendation.Strategy) {
        self =
            switch strategy {
            case .authorityRoots: .authorityRoots
            case .ownKeys: .ownKeys
            case .ownRoot: .ownRoot
            case .none: .none
            }
    }
}

extension PinsReport.Rotation {
    fileprivate init(_ rotation: Recommendation.Rotation) {
        self =
            switch rotation {
            case .sameKey: .sameKey
            case .newKey: .newKey
            case .keyInReserve: .keyInReserve
            case .newIntermediate: .newIntermediate
            case .crossCertificateDropped: .crossCertificateDropped
            case .siblingRoot: .siblingRoot
            case .anotherAuthority: .anotherAuthority
            }
    }
}

extension KeySource {
    /// The keys, and those that are recommended and are not among them.
    var itemsWithRecommended: [PinItem] {
        let known = Set(items.map(\.spkiSHA256))
        return items + (recommended?.items ?? []).filter { !known.contains($0.spkiSHA256) }
    }
}

// The keys of the document.

extension PinsReport.Advice {
    static let definition: String? = "recommendation"
    static let meaning: String? = "Which pins to ship."

    static let fields: DocumentFields<PinsReport.Advice> = [
        DocumentField("strategy", \.strategy, "Whose keys they are; none where nothing is recommended."),
        DocumentField("summary", \.summary),
        DocumentField(
            "authority", \.authority, "Who issues the server's certificates; null for one that is not known."),
        DocumentField("pins", \.pins),
        DocumentField("missing", \.missing, "What has yet to be added; null for nothing."),
        DocumentField("unseen", \.unseen, "What was not looked at and matters here; null for nothing."),
        DocumentField("survives", \.survives, "What the pins go on matching after."), DocumentField("risks", \.risks),
        DocumentField("unfit", \.unfit, "Keys that were given to be in reserve, and are none."),
        DocumentField("current", \.current, "What is wrong with the pins of today; null where none were given."),
        DocumentField("current_pins", \.currentPins, "What the pins of today are for; null where none were given."),
        DocumentField("review_by", \.reviewBy, "The first day that one of the dates names.", as: .day),
    ]
}

extension PinsReport.Choice {
    static let definition: String? = "recommendedPin"

    static let fields: DocumentFields<PinsReport.Choice> = [
        DocumentField("pin", \.pin, as: .pin), DocumentField("owner", \.owner), DocumentField("reason", \.reason),
        DocumentField("until", \.until, "How long it can be relied on; null where nothing says so.", as: .day),
        DocumentField("cross_signed_by", \.crossSignedBy, "Older roots that signed the key."),
        DocumentField("source", \.source, "Where the authority says so; null for a key that is in no table."),
        DocumentField("source_date", \.sourceDate, "The day on which that page was changed or read.", as: .day),
    ]
}

extension PinsReport.CurrentPin {
    static let definition: String? = "currentPin"
    static let meaning: String? = "A pin of today."

    static let fields: DocumentFields<PinsReport.CurrentPin> = [
        DocumentField("pin", \.pin, as: .pin), DocumentField("source", \.source, "Where it stands."),
        DocumentField("standing", \.standing, "What it is for."),
    ]
}
