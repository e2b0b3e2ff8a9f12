import PinChecking
import Pinning

extension Report {
    /// What is about to be deployed, in a report on that.
    struct Next: Encodable, Sendable {
        /// `chain`, `certificate`, `request` or `public-key`.
        let kind: String
        /// The pin of its key.
        let pin: String
        /// Whether the verdict assumes that its certificate will be trusted and valid for the name.
        let assumed: Bool
        /// The subjects of the authorities that are assumed to issue it, nearest first: those of today.
        let issuers: [String]
    }
}

extension Report.Next {
    /// Reports what is about to be deployed.
    init(_ next: NextDeployment) {
        self.init(
            kind: next.kind.rawValue,
            pin: next.pin.description,
            assumed: next.isAssumed,
            issuers: next.issuers
        )
    }
}
