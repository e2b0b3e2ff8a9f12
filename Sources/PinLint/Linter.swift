import Base
package import PinFormats
package import Pinning

/// Judges sources of pins without a network: each by itself, and all in comparison.
package struct Linter {
    let now: Timestamp
    /// The remaining time below which an expiry is near.
    let warnBefore: Threshold
    /// The clients that ship the pins; empty if they are unknown.
    let clients: [LintClient]

    package init(now: Timestamp, warnBefore: Threshold, clients: [LintClient] = []) {
        self.now = now
        self.warnBefore = warnBefore
        self.clients = clients
    }

    /// The findings of each source in the order of their places, then the differences between sources.
    package func findings(in readings: [PinReading]) -> [Finding] {
        let sources = LintSource.sources(readings)
        let certificates = readings.flatMap(\.pins).compactMap(\.certificate).map(\.publicKey)
        let publicKeys = Dictionary(
            (certificates + readings.flatMap(\.publicKeys.values)).map { ($0.spkiSHA256, $0) },
            uniquingKeysWith: { first, _ in first })
        var findings = sources.flatMap { source in
            var found = Findings(source: source, linter: self, publicKeys: publicKeys)
            found.problems()
            found.certificates()
            found.sets()
            found.clients()
            found.remarks()
            found.code()
            return inOrder(found.all)
        }
        if sources.count > 1 { findings += Drift(sources: sources).findings() }
        // Hosts that share a list of pins would repeat its findings.
        return findings.grouped { "\($0.id) \($0.placedMessage)" }.map { $0.elements[0] }
    }

    /// Reports on the readings of sources; ignored findings are left out, unless they make data unusable.
    package func report(
        on sources: [String], _ readings: [PinReading], ignoring ignored: Set<FindingID>, failOn: Finding.Level?
    ) -> LintReport {
        let told = findings(in: readings).filter { $0.isObstacle || !ignored.contains($0.kind) }
        return LintReport(findings: told, sources: sources.map(LintReport.name), time: now, failOn: failOn)
    }

    /// Sorts the findings of a source by place; those of one place stay in the order of the rules.
    private func inOrder(_ findings: [Finding]) -> [Finding] {
        findings.sorted { left, right in
            let (path, other) = (left.place?.path ?? "", right.place?.path ?? "")
            guard path == other else { return path.utf8.lexicographicallyPrecedes(other.utf8) }
            return (left.place?.line ?? 0) < (right.place?.line ?? 0)
        }
    }
}

/// The findings of one run, in the order of the sources and rules.
package struct LintReport {
    package let findings: [Finding]
    package let sources: [String]
    package let time: Timestamp
    /// The mildest level that fails; `nil` if none does.
    let failOn: Finding.Level?

    /// The name of a source: text that is neither a file nor all pins may be a piece of a private key.
    static func name(of source: String) -> String {
        // A pin has 44 digits in Base64: a longer word may contain a key.
        let isPins = source.split(whereSeparator: { $0 == ";" || $0 == "," || $0.isWhitespace }).allSatisfy { part in
            part.hasPrefix("sha256/") && part.utf8.count == "sha256/".utf8.count + 44
        }
        return isPins || PinFile.isThere(source) ? source : withoutSecrets(source)
    }

    package func fails(_ finding: Finding) -> Bool { failOn.map { finding.level >= $0 } ?? false }
    package func count(_ level: Finding.Level) -> Int { findings.count { $0.level == level } }
    package var malformed: Int { findings.count(where: \.isObstacle) }

    package var summary: String {
        let name = sources.count == 1 ? TerminalText.excerpt(sources[0], to: 120) : "\(sources.count) sources"
        let parts = [Finding.Level.error, .warning, .note].map { ($0.rawValue, count($0)) }.filter { $0.1 > 0 }.map {
            "\($1) \($0)\($1 == 1 ? "" : "s")"
        }
        return name + ": " + (parts.isEmpty ? "nothing found" : parts.listed)
            + (malformed > 0 ? " (\(malformed) malformed or missing)" : "")
    }
}

extension Finding {
    package var placeText: String { place?.description ?? "" }
    package var advice: String? { remedy?.ownWords }
    package var sentence: String { message + (remedy?.words ?? "") }
}

package struct LintClient {
    let pinForm: PinForm
    let platform: PlatformFamily?
    let kinds: Set<PinConfiguration.Kind>

    package init(_ pinForm: PinForm, _ platform: PlatformFamily?, kinds: Set<PinConfiguration.Kind> = []) {
        self.pinForm = pinForm
        self.platform = platform
        self.kinds = kinds
    }
}

struct Findings {
    let source: LintSource
    let linter: Linter
    let publicKeys: [SHA256Digest: PublicKey]
    private(set) var all: [Finding] = []

    mutating func add(
        _ kind: FindingID, _ level: Finding.Level? = nil, of set: PinnedSet? = nil, at place: PinPlace? = nil,
        host: String? = nil, pin: SHA256Digest? = nil, _ message: String, _ remedy: String? = nil
    ) {
        let place = (place ?? set?.place ?? source.place).named(source.name)
        var finding = Finding(
            kind, level ?? kind.lintLevels[0], message, at: place, of: host ?? set?.host,
            remedy: remedy.map(Remedy.advice))
        finding.pin = pin
        all.append(finding)
    }

    mutating func problems() {
        all += source.readings.flatMap(\.problems).map { error in
            Finding(
                error.id ?? .wrongValue, .error, error.reason, at: (error.place ?? .option).named(source.name),
                remedy: error.remedy, isObstacle: error.id != .hostNotPinned)
        }
    }
}

extension Linter {
    func isPast(_ time: Timestamp) -> Bool { time < now }

    func isNearEnd(of certificate: Certificate) -> Bool {
        !isPast(certificate.notAfter)
            && warnBefore.isReached(at: now, from: certificate.notBefore, to: certificate.notAfter)
    }

    /// `true` if pins expire soon; a percentage never applies, because pins have no start of validity.
    func isNear(expiration time: Timestamp) -> Bool {
        guard case .seconds = warnBefore else { return false }
        return !isPast(time) && warnBefore.isReached(at: now, from: now, to: time)
    }

    func isFor(_ kind: PinConfiguration.Kind) -> Bool { clients.contains { $0.kinds.contains(kind) } }

    /// `true` if one of the clients compares whole certificates, or if no client is named.
    var comparesCertificates: Bool {
        clients.isEmpty
            || clients.contains { client in
                switch client.pinForm {
                case .file, .any: true
                case .hash, .leafKey: false
                }
            }
    }

    var isForAFNetworking: Bool { isFor(.afNetworking4) || isFor(.afNetworking3) }
    var comparesLeafKeyAlone: Bool { clients.contains { if case .leafKey = $0.pinForm { true } else { false } } }

    func isFor(_ loader: BundleLoader) -> Bool { clients.contains { $0.pinForm.loader == loader } }
}
