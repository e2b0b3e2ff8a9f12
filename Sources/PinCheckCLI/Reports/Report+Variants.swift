import PinChecking
import TLSProbe

extension Report {
    /// Which of a target's variants a report is about.
    struct Variant: DocumentObject {
        /// As in `ordinary`, `RSA` and `no SNI`.
        let label: String
        /// The only type of key asked for, `nil` for any.
        var keyType: String?
        /// Whether the verdict counts for the target; that of clients without SNI does not.
        let counts: Bool
        /// Where it stands among others, whatever the order they came in.
        var rank = 0
    }

    /// What the variants of a target have in common and where they differ.
    struct Consistency: DocumentObject {
        /// Whether all variants serve what they should: no finding is a warning, and the verdicts are the same.
        ///
        /// `nil` when there were not two chains to compare.
        var consistent: Bool?
        let addresses: Int
        /// How many variants were judged and count, and what became of them.
        let accepted: Int
        let rejected: Int
        let unreachable: Int
        let findings: [Finding]
        let exit: Exit

        /// Whether any variant was judged rather than only recorded.
        var hasVerdicts: Bool { accepted + rejected > 0 }

        let hasKnownDifferences: Bool

        var answeringOtherwise = 0

        enum Level: String, DocumentWord {
            /// To be expected, and good to know.
            case info
            /// Something is not as it should be.
            case warning
        }

        func says(_ warning: Message) -> Bool {
            findings.contains { $0.id == warning.id && $0.message == warning.message }
        }

        struct Finding: DocumentObject {
            /// `addresses-differ`, `addresses-incomplete`, `key-types-differ`, `no-sni-differs`, `no-time`.
            let id: String
            let level: Level
            let message: String
        }
    }
}

extension Report.Variant {
    init(_ variant: Variant) {
        var keyType: String?
        if case .keyType(let type) = variant { keyType = type.rawValue }
        self.init(label: variant.label ?? "ordinary", keyType: keyType, counts: variant.counts, rank: variant.rank)
    }
}

extension Report.Consistency {
    init(_ consistency: Consistency) {
        self.init(
            consistent: consistency.isConsistent, addresses: consistency.addresses, accepted: consistency.accepted,
            rejected: consistency.rejected, unreachable: consistency.unreachable,
            findings: consistency.findings.map { finding in
                let message = Report.Message(finding.reason)
                return Finding(
                    id: message.id, level: finding.level == .warning ? .warning : .info, message: message.message)
            }, exit: Report.Exit(.worst(consistency.outcomes.map(ExitStatus.init))),
            hasKnownDifferences: consistency.hasKnownDifferences, answeringOtherwise: consistency.answeringOtherwise)
    }
}

// The keys of the document.

extension Report.Variant {
    static let definition: String? = "variant"

    static let fields: DocumentFields<Report.Variant> = [
        DocumentField("label", \.label, "As in ordinary, RSA, no SNI and with SNI.", as: .matching(.label)),
        DocumentField(
            "key_type", \.keyType, "The only type of key asked for; null for any.",
            as: .words(CertificateKeyType.allCases.map(\.rawValue))),
        DocumentField("counts", \.counts, "Whether the verdict counts for the target."),
        DocumentField("rank", \.rank, "Where it stands among others."),
    ]
}

extension Report.Consistency {
    static let definition: String? = "consistency"

    static let fields: DocumentFields<Report.Consistency> = [
        DocumentField(
            "consistent", \.consistent,
            "Whether no finding is a warning and the verdicts agree; null when nothing was compared."),
        DocumentField("addresses", \.addresses, "How many addresses were tried.", as: .atLeast(0)),
        DocumentField("accepted", \.accepted, as: .atLeast(0)), DocumentField("rejected", \.rejected, as: .atLeast(0)),
        DocumentField("unreachable", \.unreachable, as: .atLeast(0)), DocumentField("findings", \.findings),
        DocumentField(
            "has_known_differences", \.hasKnownDifferences, "Whether some differ as a baseline has recorded them."),
        DocumentField(
            "answering_otherwise", \.answeringOtherwise, "How many of the accepted gave another answer than expected.",
            as: .atLeast(0)),
        DocumentField("exit", \.exit, as: .exits([.pass, .fail, .unreachable, .warn, .changed, .data])),
    ]
}

extension Report.Consistency.Finding {
    static let fields: DocumentFields<Report.Consistency.Finding> = [
        DocumentField(
            "id", \.id,
            as: .words(["addresses-differ", "addresses-incomplete", "key-types-differ", "no-sni-differs", "no-time"])),
        DocumentField("level", \.level), DocumentField("message", \.message),
    ]
}
