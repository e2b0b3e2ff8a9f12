import Base
import PinFormats
import Pinning
import X509

/// Judges the pins without a match: a pin is a backup if the client accepts a future chain by it.
extension Forecaster {
    /// The result for a pin: the reason why it is not a backup, or the backup's end, `nil` if it is a key.
    typealias UnusedPin = (noBackup: Outlook.NoBackup?, until: Timestamp?)

    private static let mostCertificates = 64

    /// The unmatched pins that no server of the run uses, by position, and the end of the last backup certificate for
    /// each condition; `nil` if a key or a hash is a backup.
    func unusedPins(from end: Timestamp, inUse: Set<SHA256Digest>) -> (pins: [Int: UnusedPin], ends: [Timestamp?]) {
        let conditions = comparison.conditions
        var places: [Int: [Int]] = [:]
        for (place, condition) in conditions.enumerated() {
            for pin in condition.pins { places[pin, default: []].append(place) }
        }
        let matched = Set(holding.joined().map(\.pinIndex))
        var (unused, ends): ([Int: UnusedPin], [Timestamp?]) = ([:], conditions.map { _ in end })
        // By conditions, role and kind of key, of which `nil` means that of the leaf's key.
        var shared: [[AnyHashable]: Outlook.NoBackup?] = [:]
        var certificates: [(pin: Int, certificate: Certificate, isWhole: Bool, end: Timestamp)] = []
        lazy var otherHashes = self.otherHashes
        for (index, pin) in pins.enumerated() where !matched.contains(index) {
            let own = places[index] ?? []
            let isWhole = own.contains { conditions[$0].comparesWhole(pin) }
            let why: Outlook.NoBackup?
            if pin.certificate == nil, Placeholder(pin.spkiSHA256) != nil {
                why = ("placeholder", "it is a placeholder")
            } else if pin.certificate == nil, otherHashes.contains(pin.spkiSHA256) {
                why = ("hash-of-certificate", "it is the hash of a certificate, not of a key")
            } else if inUse.contains((isWhole ? pin.certificate?.fingerprint : nil) ?? pin.spkiSHA256) {
                continue
            } else if own.isEmpty {
                why = ("not-compared", "this client does not compare it")
            } else if let certificate = pin.certificate, isWhole || !certificate.isContainer {
                certificates.append((index, certificate, isWhole, endOfUse(of: certificate)))
                continue
            } else if pin.certificate == nil, let known = knownCAs(pin.spkiSHA256) {
                let begun = known.filter { $0.notBefore <= end }
                let last = begun.max { endOfUse(of: $0) < endOfUse(of: $1) } ?? known[0]
                why =
                    dates(of: last, until: endOfUse(of: last), from: end)
                    ?? renewal(spareKey, by: known, at: end).flatMap { noBackup($0, by: index) }
            } else {
                let isIssuer =
                    own.allSatisfy { conditions[$0].place == .authorities }
                    || data.publicRoot(withKey: pin.spkiSHA256) != nil
                let known = pin.certificate?.publicKey ?? policy.settings.sources.read.publicKeys[pin.spkiSHA256]
                let group: [AnyHashable] = [own, isIssuer, known?.algorithm]
                if isIssuer, own.contains(where: { conditions[$0].place == .everywhere }) {
                    // Equal pins can match as often as an assumed chain is long.
                    why = ("not-judged", "how many certificates are above it is not known")
                } else if let same = shared[group] {
                    why = same
                } else {
                    let key = known ?? leaf.publicKey.standIn(pin.spkiSHA256)
                    let renewal = isIssuer ? renewal(spareKey, issuer: key, at: end) : renewal(key, at: end)
                    why = noBackup(renewal, by: index)
                    shared[group] = .some(why)
                }
            }
            unused[index] = (why, nil)
            if why == nil { for place in own { ends[place] = nil } }
        }
        for (count, pin) in certificates.sorted(by: { $0.end < $1.end }).enumerated() {
            let own = places[pin.pin] ?? []
            let start = own.compactMap { ends[$0] }.min() ?? end
            var result: Outlook.NoBackup? = count < Self.mostCertificates ? nil : ("not-judged", "it was not judged")
            result = result ?? dates(of: pin.certificate, until: pin.end, from: start)
            result = result ?? self.result(of: pin.certificate, pin.isWhole, pin.pin, at: start)
            unused[pin.pin] = (result, result == nil ? pin.end : nil)
            if result == nil { for place in own { ends[place] = ends[place].map { max($0, pin.end) } } }
        }
        return (unused, ends)
    }

    /// The key of an assumed renewal under a pinned CA: another one, or today's if the leaf has to be pinned, too.
    private var spareKey: PublicKey {
        let isAlone = comparison.conditions.count == 1 && comparison.conditions[0].place != .everywhere
        return isAlone ? leaf.publicKey.unknown : leaf.publicKey
    }

    private func endOfUse(of certificate: Certificate) -> Timestamp {
        let left = data.publicRoot(withKey: certificate.spkiSHA256)?.until
        return min(certificate.notAfter, left ?? certificate.notAfter)
    }

    private func dates(of certificate: Certificate, until end: Timestamp, from start: Timestamp) -> Outlook.NoBackup? {
        if end > start {
            guard certificate.notBefore > start else { return nil }
            return ("begins-after", "it begins on \(certificate.notBefore.date), after the gap")
        }
        guard end < certificate.notAfter else { return ("ends-before", "it ends on \(end.date), before it is needed") }
        return ("ends-before", "its CA leaves it on \(end.date)")
    }

    private func result(
        of certificate: Certificate, _ isWhole: Bool, _ pin: Int, at time: Timestamp
    ) -> Outlook.NoBackup? {
        if certificate.isCA { return renewal(spareKey, by: [certificate], at: time).flatMap { noBackup($0, by: pin) } }
        if isWhole {
            let presented = PresentedChain(certificate, below: cas + today.fetchable)
            let issuer = Certificate.assumedIssuer(like: certificate, key: leaf.publicKey.unknown, at: time)
            return noBackup(forecast(presented, at: time, .search(orBelow: issuer)), by: pin)
        }
        // The names in a certificate show whose key it has.
        let question = PathQuestion(
            presented: PresentedChain(certificate), anchors: .only([certificate]),
            policy: .sslServer(name: today.referenceName), time: time, platform: platform)
        if let other = real.findPaths(question).failures.first(where: { $0.id == "name-mismatch" }) {
            return noBackup(.untrusted([other]))
        }
        return noBackup(renewal(certificate.publicKey, at: time), by: pin)
    }

    private func noBackup(_ verdict: Verdict, by pin: Int) -> Outlook.NoBackup? {
        // A verdict also names matches at places that the client does not compare.
        let compared = comparison.conditions.flatMap { $0.matches(on: verdict.reach) }
        if verdict.isByPins, [verdict.matches, compared].allSatisfy({ $0.contains { $0.pinIndex == pin } }) {
            return nil
        }
        return verdict.isAccepted ? ("not-compared", "this client does not compare it there") : noBackup(verdict.reason)
    }

    private func noBackup(_ reason: Verdict.Reason) -> Outlook.NoBackup {
        let words: String
        switch reason {
        case .untrusted(let failures):
            if case .nameMismatch? = failures.first?.reason, let certificate = failures.first?.certificate {
                let names = certificate.names.map(\.description)
                words = "it is for \(names.isEmpty ? certificate.shownName : listed(names, first: 2))"
            } else {
                words = failures.first.map { "\($0)" } ?? "its chain is not trusted"
            }
        case .pinsFallShort(let why): words = why
        case .clientError(_, let message): words = message
        case .refusedByTransportSecurity(let failure): words = "\(failure)"
        default: words = "the client rejects a chain with it"
        }
        return (reason.id, words)
    }

    func knownCAs(_ key: SHA256Digest) -> [Certificate]? {
        let listed = data.roots(withKey: key).compactMap { try? CertificateReader.certificate(der: $0.der) }
        let known = givenCAs.filter { $0.spkiSHA256 == key } + listed
        return known.isEmpty ? nil : known
    }

    /// The hashes of certificates in the run that users mistake for pins.
    private var otherHashes: Set<SHA256Digest> {
        let all = today.presented.certificates + verdict.certificates + (policy.pins?.certificates ?? [])
        return Set(all.distinct.flatMap(\.otherHashes).map(\.hash))
    }
}
