extension Report {
    /// Which of a target's variants a report is about.
    struct Variant: Encodable, Sendable {
        /// As in `ordinary`, `RSA`, `TLS 1.2` and `no SNI`.
        var label: String
        /// The only type of key asked for, `nil` for any.
        @ExplicitNull var keyType: String? = nil
        /// The only TLS version offered, `nil` for those of the target.
        @ExplicitNull var tlsVersion: String? = nil
        /// Whether the verdict counts for the target; that of clients without SNI does not.
        var counts: Bool
    }

    /// What the variants of a target have in common and where they differ.
    struct Consistency: Encodable, Sendable {
        /// Whether all variants serve what they should: no finding is a warning, and the verdicts are the same.
        ///
        /// `nil` when there were not two chains to compare.
        @ExplicitNull var consistent: Bool? = nil
        /// How many addresses were tried.
        var addresses: Int
        /// How many variants were judged and count, and what became of them.
        var accepted: Int
        var rejected: Int
        var unreachable: Int
        var findings: [Finding]
        /// The worst status of the variants that count.
        var exit: Exit

        /// Whether any variant was judged rather than only recorded.
        var hasVerdicts: Bool { accepted + rejected > 0 }

        enum Level: String, Encodable, Sendable {
            /// To be expected, and good to know.
            case info
            /// Something is not as it should be.
            case warning
        }

        /// Whether addresses or variants differ as a baseline has them.
        var hasKnownDifferences: Bool {
            findings.contains {
                $0.level == .info && ["addresses-differ", "versions-differ", "no-sni-differs"].contains($0.id)
            }
        }

        /// Whether one of the findings is that warning.
        func says(_ warning: Message) -> Bool {
            findings.contains { $0.id == warning.id && $0.message == warning.message }
        }

        struct Finding: Encodable, Sendable {
            /// `addresses-differ`, `addresses-incomplete`, `key-types-differ`, `versions-differ`, `no-sni-differs`,
            /// `not-offered`, `hung-up`, `no-time`.
            var id: String
            var level: Level
            var message: String
        }
    }
}
