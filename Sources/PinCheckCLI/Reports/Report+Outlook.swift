import Base
import PinChecking
import Pinning

extension Report {
    /// How long the verdict will last, as far as can be told.
    struct Outlook: DocumentObject {
        /// The gravest level of the findings: `info`, `warn` or `fail`.
        let level: PinChecking.Outlook.Finding.Level
        /// When the first certificate expires that a client needs, `nil` where none minds.
        var validUntil: String?
        /// When servers with a certificate of this lifetime have usually renewed it.
        var renewalPoint: String?
        /// Until when the pins that match now are sure to; a key that is kept in use may go on.
        var pinsMatchUntil: String?
        /// What ends them: `leaf-renewal`, `intermediate-expiry` or `root-expiry`.
        var pinsEnd: String?
        /// After when no configured pin is sure to match; `null` also where a backup has no end.
        var noPinAfter: String?
        var pinsExpire: String?
        /// Whether everything that has to match has a pin in reserve, for a key that is not in use.
        let hasBackup: Bool
        let pins: [Standing]
        let findings: [Finding]

        struct Standing: DocumentObject {
            /// The position of the pin in `configured`, from 0.
            let pin: Int
            /// The position in `built` of the certificate it matches.
            var depth: Int?
            var until: String?
            let compared: Bool
            /// Whether it is for a key that is not in use and can match one day.
            let backup: Bool
        }

        struct Finding: DocumentObject {
            let id: String
            let level: PinChecking.Outlook.Finding.Level
            let message: String
            let isTold: Bool
        }
    }
}

extension Report.Outlook {
    init(_ outlook: PinChecking.Outlook, told: PinChecking.Outlook.Finding? = nil) {
        let backups = Set(outlook.backups)
        self.init(
            level: outlook.level, validUntil: outlook.validUntil?.description,
            renewalPoint: outlook.renewalPoint?.description, pinsMatchUntil: outlook.pinsMatchUntil?.description,
            pinsEnd: outlook.end?.rawValue, noPinAfter: outlook.noPinAfter?.description,
            pinsExpire: outlook.pinsExpire?.description, hasBackup: outlook.hasBackup,
            pins: outlook.pins.map { pin in
                Standing(
                    pin: pin.index, depth: pin.depth, until: pin.until?.description, compared: pin.isCompared,
                    backup: backups.contains(pin.index))
            },
            findings: outlook.findings.map { finding in
                Finding(
                    id: finding.id, level: finding.level, message: TerminalText.escaped(finding.message),
                    isTold: finding == told)
            })
    }
}

// The keys of the document.

extension Report.Outlook {
    static let definition: String? = "outlook"
    static let meaning: String? =
        "How long a verdict will last, as far as can be told: one client's, or the worst of all."

    static let fields: DocumentFields<Report.Outlook> = [
        DocumentField("level", \.level),
        DocumentField(
            "valid_until", \.validUntil,
            "When the first certificate expires that a client needs; null where none minds.", as: .time),
        DocumentField(
            "renewal_point", \.renewalPoint,
            "When servers with a certificate of this lifetime have usually renewed it.", as: .time),
        DocumentField(
            "pins_match_until", \.pinsMatchUntil,
            """
            Until when the pins that match now are sure to; a key that is kept may go on. Null when they do not match.
            """, as: .time),
        DocumentField("pins_end", \.pinsEnd, as: .words(PinChecking.Outlook.End.allCases.map(\.rawValue))),
        DocumentField(
            "no_pin_after", \.noPinAfter,
            "After when no configured pin is sure to match; null also where a backup has no end.", as: .time),
        DocumentField(
            "pins_expire", \.pinsExpire, "From when on a client ignores its pins and takes any trusted chain.",
            as: .time),
        DocumentField(
            "has_backup", \.hasBackup,
            "Whether everything that has to match has a pin in reserve, for a key that is not in use."),
        DocumentField("pins", \.pins), DocumentField("findings", \.findings, "Worst first."),
    ]
}

extension Report.Outlook.Standing {
    static let fields: DocumentFields<Report.Outlook.Standing> = [
        DocumentField("pin", \.pin, "A position in pins.configured.", as: .atLeast(0)),
        DocumentField("depth", \.depth, "A position in built."), DocumentField("until", \.until, as: .time),
        DocumentField("compared", \.compared, "Whether the client compares it."),
        DocumentField("backup", \.backup, "Whether it is for a key that is not in use and can match one day."),
    ]
}

extension Report.Outlook.Finding {
    static let fields: DocumentFields<Report.Outlook.Finding> = [
        DocumentField("id", \.id, "Stable; compare this, not the message."), DocumentField("level", \.level),
        DocumentField("message", \.message),
        DocumentField("is_told", \.isTold, "Whether the reason of the result says it."),
    ]
}

extension PinChecking.Outlook.Finding.Level: DocumentWord {}
