package import Base
package import Pinning

/// Pins in the code and assets of a built app, which are shown but never compared, since their hosts are unknown.
package struct CodePins {
    package let place: PinPlace
    /// The hashes and certificates found, with their files as origins.
    package internal(set) var found: [Pin] = []
    /// The hashes of all pins in the app's configuration, for any host.
    private var configured: Set<SHA256Digest> = []
    var omitted = 0
    /// Archives and keystores, which are not searched, and links out of the app.
    var closed: [PinPlace] = []
    package internal(set) var privateKeys: [PinPlace] = []
    var stores: [(place: PinPlace, count: Int)] = []
    /// The numbers of files and bytes searched, and of files that ``mostBytes`` left out.
    var (files, bytes, unread) = (0, 0, 0)

    init(of place: PinPlace) { self.place = place }

    /// The problem of an app that has pins only in its code; `nil` if it has none there.
    var refusal: Problem? {
        guard !found.isEmpty else { return nil }
        return Problem(
            .pinsInCode, at: place,
            "nothing that was read pins a host, and \(Self.count(found)): for which hosts cannot be told",
            "give a list with lines such as: host sha256/…", lines: lines(found))
    }

    /// A copy without the certificates that the configuration names; ``new`` leaves out its hashes.
    func beside(_ reading: PinReading) -> Self {
        let entries = reading.configurations.flatMap(\.entries)
        let anchors = reading.networkSecurity.flatMap(\.certificates)
        let known = Set((entries.flatMap(\.pins).compactMap(\.certificate) + anchors).map(\.fingerprint))
        var rest = self
        rest.configured = Set(entries.flatMap(\.pins).map(\.spkiSHA256))
        rest.found.removeAll { pin in pin.certificate.map { known.contains($0.fingerprint) } ?? false }
        return rest
    }

    /// The words about files that were looked through in vain; empty if something was found.
    func nothingFound(isOfApple: Bool) -> String {
        guard found.isEmpty else { return "" }
        let size = bytes < 1_000_000 ? "\(bytes / 1_000) kB" : "\(bytes / 1_000_000) MB"
        return ", or as sha256/… in \(files) file\(files == 1 ? "" : "s") (\(size)) of code and assets"
            + "; a pin that code puts together is not seen"
            + (isOfApple ? ", and an executable that the App Store encrypted shows none" : "")
    }

    /// The words that count `pins`, as in `2 hashes and a certificate stand in the app's code`.
    package static func count(_ pins: [Pin]) -> String {
        let hashes = Set(pins.filter { $0.certificate == nil }.map(\.spkiSHA256)).count
        let certificates = Set(pins.compactMap(\.certificate?.fingerprint)).count
        let counts = [(hashes, "a hash", "hashes"), (certificates, "a certificate", "certificates")]
        let parts = counts.filter { $0.0 > 0 }.map { count, one, many in count == 1 ? one : "\(count) \(many)" }
        return parts.joined(separator: " and ") + (hashes + certificates == 1 ? " stands" : " stand")
            + " in the app's code"
    }

    package func file(of pin: Pin) -> String { inner(pin.origin) }

    private func inner(_ path: String) -> String {
        guard path.hasPrefix(place.description) else { return path }
        return String(path.dropFirst(place.description.count).drop { ":/".contains($0) })
    }

    /// The words about files that were not looked into and hashes that are not kept; `nil` if there are none.
    var gaps: String? {
        let files = listed(closed.lazy.map { shortened(inner($0.description), isPublic: true) })
        let parts = [
            closed.isEmpty ? nil : "archives, keystores and links out of the app were not looked into: \(files)",
            unread == 0 ? nil : "files beyond \(Self.mostBytes >> 20) MiB were not looked through: \(unread)",
            omitted == 0 ? nil : "hashes and certificates beyond this list: \(omitted)",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    package func lines(_ pins: [Pin]) -> [String] {
        pins.map { pin in
            "# HOST \(pin.spkiSHA256)   \(shortened(file(of: pin), isPublic: true))"
                + (pin.certificate == nil ? "" : " (a certificate)")
        }
    }

    /// The pins next to a configuration: the hashes are left out if they are exactly those that it pins.
    package var new: [Pin] {
        let isKnown = Set(found.filter { $0.certificate == nil }.map(\.spkiSHA256)) == configured
        return isKnown ? found.filter { $0.certificate != nil } : found
    }
}
