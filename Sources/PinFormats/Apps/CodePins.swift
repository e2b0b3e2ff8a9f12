package import Base
package import Pinning
internal import X509

/// Pins in the code and assets of a built app, which are shown but never compared, since their hosts are unknown.
package struct CodePins: Sendable {
    /// The limits: bytes that are searched, and certificates and hashes that are kept.
    private static let (mostBytes, mostCertificates, mostHashes) = (512 << 20, 100, 500)
    /// The number of certificates above which a file is a root store.
    private static let mostInFile = 20
    /// The extensions of files in which no client has pins.
    private static let skipped = Set(
        ("png jpg jpeg gif webp heic heif bmp ico svg pdf car mp3 mp4 m4a m4v aac wav caf ogg opus flac mov avi webm "
            + "ttf otf woff woff2 ttc").split(separator: " ").map(String.init))
    /// The processors' directories in `lib/`, the most usual first; a library has the same pins in each.
    private static let processors = ["arm64-v8a", "armeabi-v7a", "x86_64", "x86"]

    package let place: PinPlace
    /// The hashes and certificates found, with their files as origins.
    package private(set) var found: [Pin] = []
    /// The hashes of all pins in the app's configuration, for any host.
    private var configured: Set<SHA256Digest> = []
    private var omitted = 0
    /// Archives and keystores, which are not searched, and links out of the app.
    var closed: [PinPlace] = []
    package private(set) var privateKeys: [PinPlace] = []
    private(set) var stores: [(place: PinPlace, count: Int)] = []
    /// The numbers of files and bytes searched, and of files that ``mostBytes`` left out.
    private var (files, bytes, unread) = (0, 0, 0)

    init(of place: PinPlace) { self.place = place }

    static func found(in file: PinFile) -> [String] { hashes(in: file.bytes).prefix(mostHashes).map { "# HOST \($0)" } }

    static func hashes(in bytes: [UInt8]) -> [SHA256Digest] {
        var scan = FileScan()
        bytes.withUnsafeBytes { scan.take($0, isLast: true) }
        return scan.pins
    }

    /// The problem of an app that has pins only in its code; `nil` if it has none there.
    package var refusal: Problem? {
        guard !found.isEmpty else { return nil }
        return Problem(
            .pinsInCode, at: place,
            "nothing that was read pins a host, and \(Self.count(found)): for which hosts cannot be told",
            remedy: "give a list with lines such as: host sha256/…", lines: lines(found))
    }

    private var hashes: Int { found.count { $0.certificate == nil } }

    /// Searches an app's files; in those of `configuration` only `sha256/…` counts: bare hashes there have known hosts.
    mutating func scan(_ app: any AppFiles, _ names: [String], configuration: Set<String> = []) throws(Problem) {
        let all = Set(names)
        var (scan, isCut): (FileScan?, Bool) = (nil, false)
        try app.each { name in
            Self.isLookedThrough(name) && !Self.isRepeated(name, in: all)
        } _: { name, chunk, isLast in
            guard !isCut, bytes + chunk.count <= Self.mostBytes else {
                if let begun = scan.take() { add(begun, at: PinPlace.at(app.path(of: name))) }
                isCut = !isLast
                if isLast { unread += 1 }
                return true
            }
            bytes += chunk.count
            var own = scan.take() ?? FileScan(takesBare: !configuration.contains(name))
            own.take(chunk, isLast: isLast)
            if isLast { add(own, at: PinPlace.at(app.path(of: name))) } else { scan = own }
            return true
        }
    }

    /// `true` if the app or module has the same library for a processor earlier in ``processors``.
    private static func isRepeated(_ name: String, in names: Set<String>) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard let lib = parts.prefix(2).firstIndex(of: "lib"), lib + 2 < parts.count,
            lib == 0 || names.contains("\(parts[0])/manifest/AndroidManifest.xml"),
            let own = processors.firstIndex(of: String(parts[lib + 1]))
        else { return false }
        return processors[..<own].contains { processor in
            names.contains((parts[...lib] + [processor[...]] + parts[(lib + 2)...]).joined(separator: "/"))
        }
    }

    private static func isLookedThrough(_ name: String) -> Bool {
        let parts = name.split(separator: "/")
        return !skipped.contains(PinFile.fileExtension(of: name)) && parts.first != "META-INF"
            && !parts.contains("_CodeSignature") && parts.last != "embedded.mobileprovision"
    }

    private mutating func add(_ scan: FileScan, at place: PinPlace) {
        files += 1
        let origin = place.description
        omitted += scan.omitted
        let kept = scan.pins.prefix(max(0, Self.mostHashes - hashes))
        omitted += scan.pins.count - kept.count
        found += kept.map { Pin(.publicKey($0), origin: origin) }
        guard let contents = scan.certificates(at: place) else { return }
        switch contents {
        case .closed: closed.append(place)
        case .privateKey: privateKeys.append(place)
        case .certificates(let certificates) where certificates.count > Self.mostInFile:
            stores.append((place, certificates.count))
        case .certificates(let certificates):
            let kept = certificates.prefix(max(0, Self.mostCertificates - (found.count - hashes)))
            omitted += certificates.count - kept.count
            found += kept.map { Pin(.certificate($0), origin: origin) }
        }
    }

    /// A copy without the certificates that the configuration names; ``new`` leaves out its hashes.
    func beside(_ reading: PinReading) -> CodePins {
        let entries = reading.configurations.flatMap(\.entries)
        let anchors = reading.networkSecurity.flatMap(\.certificates)
        let known = Set((entries.flatMap(\.pins).compactMap(\.certificate) + anchors).map(\.fingerprint))
        var rest = self
        rest.configured = Set(entries.flatMap(\.pins).map(\.spkiSHA256))
        rest.found.removeAll { pin in pin.certificate.map { known.contains($0.fingerprint) } ?? false }
        return rest
    }

    /// The words about a search that found nothing; empty if something was found.
    func nothingFound(isOfApple: Bool) -> String {
        guard found.isEmpty else { return "" }
        let size = bytes < 1_000_000 ? "\(bytes / 1_000) kB" : "\(bytes / 1_000_000) MB"
        return ", or as sha256/… in \(files) file\(files == 1 ? "" : "s") (\(size)) of code and assets"
            + "; a pin that code puts together is not seen"
            + (isOfApple ? ", and an executable that the App Store encrypted shows none" : "")
    }

    /// The number of `pins` in words, as in `2 hashes and a certificate stand in the app's code`.
    package static func count(_ pins: [Pin]) -> String {
        let hashes = Set(pins.filter { $0.certificate == nil }.map(\.spkiSHA256)).count
        let certificates = Set(pins.compactMap(\.certificate?.fingerprint)).count
        let parts = [
            hashes == 0 ? nil : hashes == 1 ? "a hash" : "\(hashes) hashes",
            certificates == 0 ? nil : certificates == 1 ? "a certificate" : "\(certificates) certificates",
        ].compactMap(\.self)
        return parts.joined(separator: " and ") + (hashes + certificates == 1 ? " stands" : " stand")
            + " in the app's code"
    }

    package func file(of pin: Pin) -> String { inner(pin.origin) }

    private func inner(_ path: String) -> String {
        guard path.hasPrefix(place.description) else { return path }
        return String(path.dropFirst(place.description.count).drop { ":/".contains($0) })
    }

    /// The words about files that were not searched and hashes that were not kept; `nil` if there are none.
    var gaps: String? {
        let files = listed(closed.lazy.map { shortened(inner($0.description), isPublic: true) })
        let parts = [
            closed.isEmpty ? nil : "archives, keystores and links out of the app were not looked into: \(files)",
            unread == 0 ? nil : "files beyond \(Self.mostBytes >> 20) MiB were not looked through: \(unread)",
            omitted == 0 ? nil : "hashes and certificates beyond this list: \(omitted)",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The lines of a list, one for each of `pins`, as comments with HOST for the unknown host.
    package func lines(_ pins: [Pin]) -> [String] {
        pins.map { pin in
            "# HOST \(pin.spkiSHA256)   \(shortened(file(of: pin), isPublic: true))"
                + (pin.certificate == nil ? "" : " (a certificate)")
        }
    }

    /// The pins found; hashes are left out if they are exactly those of the configuration.
    package var new: [Pin] {
        let isKnown = Set(found.filter { $0.certificate == nil }.map(\.spkiSHA256)) == configured
        return isKnown ? found.filter { $0.certificate != nil } : found
    }
}
