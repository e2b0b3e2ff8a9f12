extension Report {
    /// What is about to be deployed, in a report on that.
    struct Next: Encodable, Sendable {
        /// `chain`, `certificate`, `request` or `public-key`.
        var kind: String
        /// The pin of its key.
        var pin: String
        /// Whether the verdict assumes that its certificate will be trusted and valid for the name.
        var assumed: Bool
        /// The subjects of the authorities that are assumed to issue it, nearest first: those of today.
        var issuers: [String]
    }
}
