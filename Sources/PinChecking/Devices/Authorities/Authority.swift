package import Pinning

/// Who issues certificates to servers, and what it says of its own roots.
package struct Authority: Sendable, Hashable {
    package let name: String
    package let roots: [Root]

    /// A root of an authority, known by its key: several certificates can have it.
    package struct Root: Sendable, Hashable {
        /// Whether servers get certificates below a root.
        package enum State: String, Sendable, Hashable {
            /// They do, or may at any renewal.
            case inUse = "in-use"
            /// The authority leaves it for others.
            case older
        }

        package let name: String
        package let key: SHA256Digest
        /// The kind of its key, as in `RSA 4096`.
        package let algorithm: String
        /// Whether servers get certificates below it.
        package let state: State
        /// From when on browsers trust it no longer, as the authority says; `nil` where nothing is said.
        package let until: Timestamp?
        /// The older roots that signed its key.
        package let crossSigners: [String]
        package let source: String
        /// The day on which the page was changed or read.
        package let date: String

        package init(
            name: String, key: SHA256Digest, algorithm: String, state: State, until: Timestamp? = nil,
            crossSigners: [String] = [], source: String, date: String
        ) {
            self.name = name
            self.key = key
            self.algorithm = algorithm
            self.state = state
            self.until = until
            self.crossSigners = crossSigners
            self.source = source
            self.date = date
        }
    }

    package init(name: String, roots: [Root]) {
        self.name = name
        self.roots = roots
    }

    /// The roots below which servers get certificates.
    package var rootsInUse: [Root] { roots.filter { $0.state == .inUse } }
}
