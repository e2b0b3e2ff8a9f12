import PinFormats
import Pinning
import TLSProbe

/// The JSON document of `pins`, apart from the types it is made of, so that keys stay what they are when those change.
struct PinsReport: Encodable, Sendable {
    let schema = "pincheck-pins/1"
    /// The moment of the evaluation, RFC 3339.
    var evaluatedAt: String
    var results: [Source]
    var exit: Report.Exit

    struct Source: Encodable, Sendable {
        /// The target or file as the user named it.
        var target: String
        /// What was connected to, `nil` for a file.
        @ExplicitNull var endpoint: Report.Endpoint? = nil
        /// Whether the chain is trusted and valid for the name; `nil` when nothing was verified.
        @ExplicitNull var verified: Bool? = nil
        /// What was found of the server, `nil` for a file.
        @ExplicitNull var reason: Report.Message? = nil
        /// What is to be said against these pins.
        var warnings: [Report.Message]
        /// The keys, the leaf's first.
        var keys: [Key]
        /// The subjects of certificates that were sent and are not on the chain.
        var alsoSent: [String]
    }

    struct Key: Encodable, Sendable {
        /// `leaf`, `intermediate`, `root`, `public-key`, `request` or `private-key`.
        var role: String
        /// `presented`, `system`, `anchors`, or the file and line.
        var source: String
        /// The algorithm and its size.
        @ExplicitNull var key: String? = nil
        /// The subject of the certificate or request.
        @ExplicitNull var subject: String? = nil
        @ExplicitNull var issuer: String? = nil
        @ExplicitNull var serial: String? = nil
        @ExplicitNull var notBefore: String? = nil
        @ExplicitNull var notAfter: String? = nil
        /// Whole days to the end of validity, negative after it.
        @ExplicitNull var daysLeft: Int? = nil
        @ExplicitNull var certSha256: String? = nil
        /// The pin in every notation.
        var pins: Pins
        /// The file the certificate was saved in.
        @ExplicitNull var savedAs: String? = nil
    }

    struct Pins: Encodable, Sendable {
        var okhttp: String
        var curl: String
        var hpkp: String
        var base64: String
        var tlsa: String
    }

    /// Reports sources as of `time`; `saved` has the file of each certificate that was saved.
    init(_ sources: [KeySource], saved: [Certificate: String], time: Timestamp, exit: ExitStatus) {
        evaluatedAt = time.description
        results = sources.map { Source($0, saved: saved, time: time) }
        self.exit = Report.Exit(exit)
    }
}

extension PinsReport.Source {
    fileprivate init(_ source: KeySource, saved: [Certificate: String], time: Timestamp) {
        let reason: (id: String, isVerified: Bool?)? =
            switch source.standing {
            case .file: nil
            case .verified: ("trusted", true)
            case .unverified(let failures): (failures.first?.id ?? "untrusted", false)
            case .unreachable(let error): (error.id, nil)
            }
        self.init(
            target: source.name,
            endpoint: source.endpoint.map { $0.report(peer: source.peer) },
            verified: reason?.isVerified,
            reason: reason.map { Report.Message(id: $0.id, message: source.finding ?? "") },
            warnings: source.warning.map { [Report.Message(id: "unverified", message: $0)] } ?? [],
            keys: source.items.map { PinsReport.Key($0, saved: saved, time: time) },
            alsoSent: source.alsoSent.map(\.description)
        )
    }
}

extension PinsReport.Key {
    fileprivate init(_ item: PinItem, saved: [Certificate: String], time: Timestamp) {
        let notations = item.notations
        self.init(
            role: item.role.rawValue,
            source: item.source,
            key: item.publicKey?.algorithm.description,
            subject: item.subject,
            issuer: item.certificate?.issuer,
            serial: item.certificate?.serialNumber,
            notBefore: item.certificate?.notBefore.description,
            notAfter: item.certificate?.notAfter.description,
            daysLeft: item.certificate.map { Report.Certificate.wholeDays(from: time, to: $0.notAfter) },
            certSha256: item.certificate?.fingerprint.hexadecimal,
            pins: PinsReport.Pins(
                okhttp: notations.okhttp,
                curl: notations.curl,
                hpkp: notations.hpkp,
                base64: notations.base64,
                tlsa: notations.tlsa
            ),
            savedAs: item.certificate.flatMap { saved[$0] }
        )
    }
}
