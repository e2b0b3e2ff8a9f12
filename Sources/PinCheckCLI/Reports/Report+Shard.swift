import PinChecking

extension Report {
    /// The part of the targets that a run was about, and what `merge` knows its results by.
    struct Shard: DocumentObject, Decodable, Hashable {
        /// Which part it is, from 1.
        let index: Int
        /// How many parts there are.
        let count: Int
        /// The hash of what the run asked of all targets.
        let run: String
        /// The hash of the words that name the target.
        let entry: String
    }
}

// The keys of the document.

extension Report.Shard {
    static let definition: String? = "shard"

    static let fields: DocumentFields<Report.Shard> = [
        DocumentField("index", \.index, "From 1.", as: .atLeast(1)), DocumentField("count", \.count, as: .atLeast(1)),
        DocumentField("run", \.run, "The hash of what the flags ask of all targets.", as: .sha256),
        DocumentField("entry", \.entry, "The hash of the words that name the target in its list.", as: .sha256),
    ]
}
