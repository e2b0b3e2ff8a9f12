import PinChecking
import Pinning
import Rotation
import Text

extension Report {
    /// How long the verdict will last, as far as can be told.
    struct Outlook: Encodable, Sendable {
        /// The gravest level of the findings: `info`, `warn` or `fail`.
        let level: Rotation.Outlook.Finding.Level
        /// When the first certificate expires that a client needs, `nil` where none minds.
        @ExplicitNull var validUntil: String? = nil
        /// When servers with a certificate of this lifetime have usually renewed it.
        @ExplicitNull var renewalPoint: String? = nil
        /// Until when the pins that match now are sure to; a key that is kept in use may go on.
        @ExplicitNull var pinsMatchUntil: String? = nil
        /// What ends them: `leaf-renewal`, `intermediate-expiry` or `root-expiry`.
        @ExplicitNull var pinsEnd: String? = nil
        /// After when no configured pin is sure to match; `null` also where a backup has no end.
        @ExplicitNull var noPinAfter: String? = nil
        /// From when on the client ignores its pins.
        @ExplicitNull var pinsExpire: String? = nil
        /// Whether everything that has to match has a pin in reserve, for a key that is not in use.
        let hasBackup: Bool
        let pins: [Standing]
        let findings: [Finding]

        struct Standing: Encodable, Sendable {
            /// The position of the pin in `configured`, from 0.
            let pin: Int
            /// The position in `built` of the certificate it matches.
            @ExplicitNull var depth: Int? = nil
            /// Until when it can match.
            @ExplicitNull var until: String? = nil
            /// Whether the client compares it.
            let compared: Bool
            /// Whether it is for a key that is not in use and can match one day.
            let backup: Bool
        }

        struct Finding: Encodable, Sendable {
            let id: String
            let level: Rotation.Outlook.Finding.Level
            let message: String
            /// Whether the verdict says it; no part of the document.
            let isTold: Bool

            private enum CodingKeys: CodingKey {
                case id, level, message
            }
        }
    }
}

extension Report.Outlook {
    /// Reports an outlook, of which a verdict may tell one finding.
    init(_ outlook: Rotation.Outlook, told: Rotation.Outlook.Finding? = nil) {
        self.init(
            level: outlook.level,
            validUntil: outlook.validUntil?.description,
            renewalPoint: outlook.renewalPoint?.description,
            pinsMatchUntil: outlook.pinsMatchUntil?.description,
            pinsEnd: outlook.end?.rawValue,
            noPinAfter: outlook.noPinAfter?.description,
            pinsExpire: outlook.pinsExpire?.description,
            hasBackup: outlook.hasBackup,
            pins: outlook.pins.map { pin in
                Standing(
                    pin: pin.index,
                    depth: pin.depth,
                    until: pin.until?.description,
                    compared: pin.isCompared,
                    backup: outlook.backups.contains(pin.index)
                )
            },
            findings: outlook.findings.map { finding in
                Finding(
                    id: finding.id,
                    level: finding.level,
                    message: TerminalText.escaped(finding.message),
                    isTold: finding == told
                )
            }
        )
    }
}
