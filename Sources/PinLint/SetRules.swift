import Base
import PinFormats
import Pinning

extension Findings {
    mutating func sets() {
        for set in source.sets { backup(set) }
        for set in source.sets { for list in lists(of: set) { duplicates(in: list) } }
        for pin in source.sets.flatMap(\.pins) {
            guard let placeholder = Placeholder(pin.spkiSHA256) else { continue }
            add(
                .placeholderPin, at: pin.place, "\(pin.spkiSHA256) \(placeholder.words)",
                "pin a key in reserve instead")
        }
        for set in source.sets { expiration(set) }
    }

    private mutating func backup(_ set: PinnedSet) {
        // If TrustKit enforces pinning, it refuses a single pin; its reader reports that.
        let isTrustKits = set.isTrustKits && set.entries.first?.enforcesPinning ?? true
        guard !set.isIncomplete, !set.isExcluded, !isTrustKits, set.kind != nil || !linter.isFor(.trustKit) else {
            return
        }
        for (list, what) in alternatives(in: set) where Set(list.map(\.spkiSHA256)).count == 1 {
            return add(
                .noBackupPin, of: set,
                "one key is pinned\(set.forHost)\(what), without a backup: when it is lost or replaced, "
                    + "the app stops working",
                "pin a second key that no server uses yet and whose private half lies in a safe place")
        }
    }

    /// The lists in each of which the client needs a matching pin.
    private func alternatives(in set: PinnedSet) -> [(pins: [Pin], what: String)] {
        guard let hosts = set.hosts, let kind = set.kind, kind.lookup == .union else {
            return [(set.pins, "")]
        }
        // A client that takes the union also takes the pins of other entries for the same hosts.
        let entries = source.entries(of: kind, covering: hosts.sample)
        let positions = entries.compactMap { entry -> (leaf: [Pin], authorities: [Pin])? in
            guard case .positions(let leaf, let authorities) = entry.identities else { return nil }
            return (leaf ?? [], authorities ?? [])
        }
        guard !positions.isEmpty else { return [(entries.flatMap(\.pins), "")] }
        return [(positions.flatMap(\.leaf), " as a leaf identity"), (positions.flatMap(\.authorities), " as a CA")]
    }

    /// The lists of a set: leaf and CA identities are two lists, and one key may be in both.
    private func lists(of set: PinnedSet) -> [ArraySlice<Pin>] {
        guard set.entries.count == 1, case .positions(let leaf, .some)? = set.entries.first?.identities else {
            return [set.pins[...]]
        }
        return [set.pins.prefix(leaf?.count ?? 0), set.pins.dropFirst(leaf?.count ?? 0)]
    }

    private mutating func duplicates(in pins: ArraySlice<Pin>) {
        func kind(_ pin: Pin) -> String { pin.certificate == nil ? "pin" : "certificate" }
        var places: [Pin.Material: PinPlace] = [:]
        var keys: [SHA256Digest: Pin] = [:]
        for pin in pins {
            let hash = pin.spkiSHA256
            if let first = places[pin.material] {
                add(
                    .duplicatePin, at: pin.place, "\(hash) is pinned already\(at(first, from: pin.place))",
                    "remove one of the two")
            } else if let first = keys[hash] {
                let (this, other) = (kind(pin), kind(first) + at(first.place, from: pin.place))
                add(
                    .sameKeyTwice, at: pin.place,
                    "this \(this) has the key of the \(other): the two are one pin for a client that compares keys",
                    "pin another key as a backup")
                places[pin.material] = pin.place
            } else {
                (places[pin.material], keys[hash]) = (pin.place, pin)
            }
        }
    }

    /// The words for the first place, without the parts that the second place shares.
    private func at(_ first: PinPlace, from second: PinPlace) -> String {
        if first == second { return " in the same place" }
        guard first.path == second.path else {
            return " at \(shortened("\(first.named(source.name))", isPublic: true))"
        }
        return first.line.map { " in line \($0)" } ?? first.key.map { " at \(shortened($0))" } ?? ""
    }

    private mutating func expiration(_ set: PinnedSet) {
        guard let end = set.entries.first?.expiration, !set.isExcluded else { return }
        let accepts = "accepts every trusted chain"
        if linter.isPast(end) || end == linter.now {
            add(
                .pinSetExpired, of: set, "the pins\(set.forHost) expired on \(end.date): the client \(accepts)",
                "ship pins with a later expiration")
        } else if linter.isNear(expiration: end) {
            add(
                .pinSetExpiresSoon, of: set,
                "the pins\(set.forHost) expire on \(end.date), and from then on the client \(accepts)",
                "ship pins with a later expiration before")
        } else if set.kind == .android {
            add(
                .androidFailsOpenAfterExpiration, of: set,
                "from \(end.date) on, midnight where the device is, Android \(accepts)\(set.forHost)",
                "have every user on a later version by then")
        } else if set.isTrustKits {
            add(
                .trustKitFailsOpenAfterExpiration, of: set,
                "from \(end.date) on, midnight UTC, TrustKit \(accepts)\(set.forHost)",
                "have every user on a later version by then")
        }
    }

    mutating func code() {
        for code in source.readings.flatMap(\.code) {
            for pin in code.new {
                let what = pin.certificate.map { "the certificate \($0)" } ?? "\(pin.spkiSHA256)"
                add(
                    .pinsInCode, at: pin.place, pin: pin.spkiSHA256,
                    "\(what) is in the app beside its configuration: for which hosts cannot be told",
                    "lint a list of the pins that are meant next to the app")
            }
            for place in code.privateKeys {
                add(
                    .privateKey, .error, at: place, "is a private key, which everybody who has the app can extract",
                    "replace the key")
            }
        }
        for file in source.readings.flatMap(\.unread) {
            add(.pinsNotRead, at: file.problem.place ?? source.place, file.problem.reason, file.problem.advice)
            for pin in file.pins {
                add(
                    .pinsNotRead, at: pin.place, pin: pin.spkiSHA256,
                    "\(pin.spkiSHA256) is in a file that is not read")
            }
        }
    }

    /// Reports the notes of readers that have no other rule.
    mutating func remarks() {
        for reading in source.readings {
            for note in reading.notes {
                let place = note.place ?? .at(reading.text)
                switch note.kind {
                case .notLoadedByAFNetworking, .loadedFromBundle, .trustKitConfig, .policySettings: continue
                case .nothingPinned:
                    add(.hostNotPinned, .error, at: place, note.message, "add pins, or leave the app out")
                // Only keys that Apple renamed have a remedy; the app works without them.
                case .unknownKey where note.remedy != nil:
                    add(.unknownKey, .warning, at: place, note.message, note.remedy?.ownWords)
                case .request: add(.certificateRequest, at: place, note.message)
                default: add(note.kind, at: place, note.message)
                }
            }
            // A file that configures hosts and pins none of them protects nothing.
            let entries = reading.configurations.flatMap(\.entries)
            guard reading.problems.isEmpty, reading.pins.isEmpty, !entries.isEmpty,
                entries.allSatisfy(\.pins.isEmpty), reading.networkSecurity.allSatisfy(\.isEmpty),
                !reading.notes.contains(where: { $0.kind == .pinnedToNothing || $0.kind == .emptyPinSet })
            else { continue }
            add(
                .hostNotPinned, at: .at(reading.text),
                "the file configures hosts and pins none of them", "add pins, or leave the file out")
        }
    }
}
