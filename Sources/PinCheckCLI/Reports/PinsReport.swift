import PinChecking
import PinFormats
import Pinning
import TLSProbe

/// The JSON document of `pins`, apart from the types it is made of, so that keys stay what they are when those change.
struct PinsReport: DocumentObject {
    /// The name and version of the document's form.
    static let schema = "pincheck-pins/1"

    /// The moment of the evaluation, RFC 3339.
    var evaluatedAt: String
    var results: [Source]
    var exit: Report.Exit

    struct Source: DocumentObject {
        var target: String
        /// The host the keys are for, `nil` when that is not known.
        var host: String?
        /// The port of the server, `nil` for a file of keys.
        var port: Int?
        /// What a configuration says of the host beside its pins, `nil` for keys that were in none.
        var rules: Rules?
        /// What was connected to, `nil` for a file.
        var endpoint: Report.Endpoint?
        /// The type of key that was asked for, `nil` for what an ordinary client gets.
        var keyType: String?
        /// Whether the chain is trusted and valid for the name; `nil` when nothing was verified.
        var verified: Bool?
        /// What was found of the server, `nil` for a file.
        var reason: Report.Message?
        var warnings: [Report.Message]
        var keys: [Key]
        /// The subjects of certificates that were sent and are not on the chain.
        var alsoSent: [String]
        /// Which pins to ship, `nil` where that was not asked.
        var recommendation: Advice?
    }

    struct Rules: DocumentObject {
        /// Whose configuration it is, `nil` for pins that are for whatever host.
        var kind: String?
        var origin: String
        /// Which names below the host count too: `none`, `one-label` (and not the host), `up-to-one-label`, `any-number`.
        var subdomains: String
        /// Where a pin has to match: `anywhere`, `leaf`, `authority`, or `both` a leaf's and an authority's.
        var position: String
        /// Whether a mismatch blocks the connection, `nil` where nothing is said.
        var enforced: Bool?
        /// The date from which on the pins no longer apply.
        var expires: String?
        /// Whether the host is exempt from what is said of its parent domain.
        var excluded: Bool
        var reportUris: [String]
    }

    struct Key: DocumentObject {
        /// `leaf`, `intermediate`, `root`, `authority`, `public-key`, `request` or `private-key`.
        var role: String
        /// Whether a block for a client pins it; the others are there to choose from.
        var pinned: Bool
        /// `presented`, `system`, `anchors`, `device lists`, or the file and line.
        var source: String
        var key: String?
        var subject: String?
        var issuer: String?
        var serial: String?
        var notBefore: String?
        var notAfter: String?
        /// Whole days to the end of validity, negative after it.
        var daysLeft: Int?
        var certSha256: String?
        var pins: Pins
        var savedAs: String?
    }

    struct Pins: DocumentObject {
        var okhttp: String
        var curl: String
        var hpkp: String
        var base64: String
    }

    /// Reports sources as of `time`; `saved` has the file of each certificate that was saved.
    ///
    /// `host` is the one that files are for, and `pinsAll` says that authorities are pinned too.
    init(
        _ sources: [KeySource], host: String?, pinsAll: Bool, saved: [Certificate: String], time: Timestamp,
        exit: ExitStatus
    ) {
        evaluatedAt = time.description
        // The keys of files go with every host there is, as they do in blocks.
        var hosts: [(name: String?, port: Int?)] = []
        for source in sources {
            guard let name = source.group?.host ?? source.endpoint?.host else { continue }
            let port = source.group?.port ?? source.endpoint?.targetPort
            if !hosts.contains(where: { $0.name == name && $0.port == port }) { hosts.append((name, port)) }
        }
        if hosts.isEmpty { hosts = [(host, nil)] }
        results = sources.flatMap { source in
            let pinned = source.pinned(all: pinsAll)
            let isOfAFile = source.group == nil && source.endpoint == nil
            let own = [
                (
                    name: source.group?.host ?? source.endpoint?.host,
                    port: source.group?.port ?? source.endpoint?.targetPort
                )
            ]
            return (isOfAFile ? hosts : own).map { place in
                Source(source, host: place.name, port: place.port, pinned: pinned, saved: saved, time: time)
            }
        }
        self.exit = Report.Exit(exit)
    }
}

extension PinsReport.Source {
    fileprivate init(
        _ source: KeySource, host: String?, port: Int?, pinned: Set<SHA256Digest>, saved: [Certificate: String],
        time: Timestamp
    ) {
        let reason: (id: String, isVerified: Bool?)? =
            switch source.standing {
            case .file: nil
            case .verified: ("trusted", true)
            case .unverified(let failures): (failures.first?.id ?? "untrusted", false)
            case .unreachable(let error): (error.id, nil)
            }
        self.init(
            target: source.name, host: host, port: port,
            rules: source.group.flatMap { group in group.rules.map { PinsReport.Rules($0, of: group) } },
            endpoint: source.endpoint.map {
                Report.Endpoint(EndpointFacts($0, peer: source.peer), referenceName: $0.referenceName)
            }, keyType: source.keyType?.description, verified: reason?.isVerified,
            reason: reason.map { Report.Message(id: $0.id, message: source.finding ?? "") },
            warnings: (source.warning.map { [Report.Message(id: "unverified", message: $0)] } ?? [])
                + (source.suspicion.map { $0.level == .warning ? [Report.Message($0.reason)] : [] } ?? []),
            keys: source.itemsWithRecommended.map { item in
                PinsReport.Key(item, isPinned: pinned.contains(item.spkiSHA256), saved: saved, time: time)
            }, alsoSent: source.alsoSent.map(\.description),
            recommendation: source.recommended.map { PinsReport.Advice($0) })
    }
}

extension PinsReport.Rules {
    fileprivate init(_ rules: PinRules, of group: PinGroup) {
        let subdomains =
            switch rules.depth {
            case .exact: "none"
            case .oneLabel: "one-label"
            case .upToOneLabel: "up-to-one-label"
            case .anyNumber: "any-number"
            }
        self.init(
            kind: rules.kind?.rawValue, origin: group.origin, subdomains: subdomains, position: rules.position.rawValue,
            enforced: rules.entry.enforcesPinning, expires: rules.entry.expiration?.date, excluded: rules.isExcluded,
            reportUris: rules.entry.reportURIs)
    }
}

extension PinsReport.Key {
    fileprivate init(_ item: PinItem, isPinned: Bool, saved: [Certificate: String], time: Timestamp) {
        let notations = item.notations
        self.init(
            role: item.role.rawValue, pinned: isPinned, source: item.source, key: item.publicKey?.algorithm.description,
            subject: item.subject, issuer: item.certificate?.issuer, serial: item.certificate?.serialNumber,
            notBefore: item.certificate?.notBefore.description, notAfter: item.certificate?.notAfter.description,
            daysLeft: item.certificate.map { Report.Certificate.wholeDays(from: time, to: $0.notAfter) },
            certSha256: item.certificate?.fingerprint.hexadecimal,
            pins: PinsReport.Pins(
                okhttp: notations.okhttp, curl: notations.curl, hpkp: notations.hpkp, base64: notations.base64),
            savedAs: item.certificate.flatMap { saved[$0] })
    }
}

extension ExitStatus {
    /// The status that one source alone would lead to.
    init(_ source: KeySource) {
        self =
            switch source.standing {
            case .file, .verified: source.recommended?.isHeldBack == true ? .fail : .pass
            case .unverified: .fail
            case .unreachable: .unreachable
            }
    }
}
