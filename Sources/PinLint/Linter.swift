import Base
package import PinFormats
package import Pinning

/// Judges sources of pins without a network: each by itself, and all in comparison.
package struct Linter: Sendable {
    package let now: Timestamp
    /// The remaining time below which an expiry is near.
    package let warnBefore: Threshold
    /// The clients that ship the pins; empty if they are unknown.
    package let clients: [LintClient]

    package init(now: Timestamp, warnBefore: Threshold, clients: [LintClient] = []) {
        self.now = now
        self.warnBefore = warnBefore
        self.clients = clients
    }

    /// The findings of each source in the order of their places, then the differences between sources.
    package func findings(in inspections: [PinReading]) -> [Finding] {
        let sources = LintSource.sources(inspections)
        let scene = LintScene(self, sources)
        var findings = sources.flatMap { source in
            var found = Findings(source: source, scene: scene)
            found.problems()
            found.certificates()
            found.sets()
            found.clients()
            found.remarks()
            found.code()
            return inOrder(found.all)
        }
        if sources.count > 1 { findings += Drift(sources: sources, scene: scene).findings() }
        // Hosts that share a list of pins would repeat its findings.
        return findings.grouped { "\($0.id) \($0.placedMessage)" }.map { $0.elements[0] }
    }

    /// Sorts the findings of a source by place; those of one place stay in the order of the rules.
    private func inOrder(_ findings: [Finding]) -> [Finding] {
        findings.enumerated().sorted { left, right in
            let (first, second) = (left.element.place, right.element.place)
            let names = (first?.path ?? "", second?.path ?? "")
            if names.0 != names.1 { return names.0.utf8.lexicographicallyPrecedes(names.1.utf8) }
            let lines = (first?.line ?? 0, second?.line ?? 0)
            return lines.0 != lines.1 ? lines.0 < lines.1 : left.offset < right.offset
        }.map(\.element)
    }
}

package struct LintClient: Sendable {
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
    let scene: LintScene
    private(set) var all: [Finding] = []

    mutating func add(
        _ kind: FindingID, _ level: Finding.Level? = nil, of set: PinnedSet? = nil, at place: PinPlace? = nil,
        host: String? = nil, pin: SHA256Digest? = nil, _ message: String, _ remedy: String? = nil
    ) {
        let place = place ?? set?.place ?? source.place
        var finding = Finding(
            kind, level ?? kind.lintLevels[0], message, at: place, of: host ?? set?.host,
            remedy: remedy.map(Remedy.advice))
        finding.pin = pin
        all.append(finding)
    }

    /// Adds the problems that keep clients from using the source as it is.
    mutating func problems() {
        all += source.inspections.flatMap(\.problems).map { error in
            Finding(
                error.id ?? .wrongValue, .error, error.reason, at: (error.place ?? .option).named(source.name),
                remedy: error.remedy, isObstacle: error.id != .hostNotPinned)
        }
    }
}

/// Facts that rules need in addition to their source.
struct LintScene {
    let linter: Linter
    let publicKeys: [SHA256Digest: PublicKey]

    init(_ linter: Linter, _ sources: [LintSource]) {
        self.linter = linter
        let inspections = sources.flatMap(\.inspections)
        let certificates = inspections.flatMap(\.pins).compactMap(\.certificate).map(\.publicKey)
        publicKeys = Dictionary(
            (certificates + inspections.flatMap(\.publicKeys.values)).map { ($0.spkiSHA256, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    func isPast(_ time: Timestamp) -> Bool { time < linter.now }

    func isNearEnd(of certificate: Certificate) -> Bool {
        !isPast(certificate.notAfter)
            && linter.warnBefore.isReached(at: linter.now, from: certificate.notBefore, to: certificate.notAfter)
    }

    /// `true` if pins expire soon; a percentage never applies, because pins have no start of validity.
    func isNear(expiration time: Timestamp) -> Bool {
        guard case .seconds = linter.warnBefore else { return false }
        return !isPast(time) && linter.warnBefore.isReached(at: linter.now, from: linter.now, to: time)
    }

    func isFor(_ kind: PinConfiguration.Kind) -> Bool { linter.clients.contains { $0.kinds.contains(kind) } }

    /// `true` if one of the clients compares whole certificates, or if no client is named.
    var comparesCertificates: Bool {
        linter.clients.isEmpty
            || linter.clients.contains { client in
                switch client.pinForm {
                case .file, .any: true
                case .hash, .leafKey: false
                }
            }
    }

    var isForAFNetworking: Bool { isFor(.afNetworking4) || isFor(.afNetworking3) }
    var comparesLeafKeyAlone: Bool { linter.clients.contains { if case .leafKey = $0.pinForm { true } else { false } } }

    func isFor(_ loader: BundleLoader) -> Bool { linter.clients.contains { $0.pinForm.loader == loader } }
}
