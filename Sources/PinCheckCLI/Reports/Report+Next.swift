import PinChecking
import Pinning

extension Report {
    /// What is about to be deployed, in a report on that.
    struct Next: DocumentObject {
        /// `chain`, `certificate`, `request` or `public-key`.
        let kind: String
        let pin: String
        /// Whether the verdict assumes that its certificate will be trusted and valid for the name.
        let assumed: Bool
        /// The subjects of the authorities that are assumed to issue it, nearest first: those of today.
        let issuers: [String]
    }
}

extension Report.Next {
    init(_ next: NextDeployment) {
        self.init(kind: next.kind.rawValue, pin: next.pin.description, assumed: next.isAssumed, issuers: next.issuers)
    }
}

extension Report.Next {
    static let definition: String? = "next"
    static let meaning: String? = "What is about to be deployed (--next); null in a report on a server of today."

    static let fields: DocumentFields<Report.Next> = [
        DocumentField("kind", \.kind, as: .words(NextDeployment.Kind.allCases.map(\.rawValue))),
        DocumentField("pin", \.pin, as: .pin),
        DocumentField("assumed", \.assumed, "Whether its certificate is assumed to be trusted and valid for the name."),
        DocumentField("issuers", \.issuers, "The authorities of today that are assumed to issue it, nearest first."),
    ]
}
