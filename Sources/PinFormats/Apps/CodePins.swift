package import Base
package import Pinning
internal import X509

/// Pins in the code and the assets of a built app.
///
/// They are shown with their files and never compared: for which hosts they are cannot be told.
package struct CodePins: Sendable {
    /// The bytes that are looked through, and the certificates and hashes that are kept.
    private static let (mostBytes, mostCertificates, mostHashes) = (512 << 20, 100, 500)
    /// A file of more certificates than this is a store of roots.
    private static let mostInFile = 20
    /// The kinds of files that no client has pins in, by their endings.
    private static let skipped = Set(
        ("png jpg jpeg gif webp heic heif bmp ico svg pdf car mp3 mp4 m4a m4v aac wav caf ogg opus flac mov avi webm "
            + "ttf otf woff woff2 ttc").split(separator: " ").map(String.init))
    /// The names for processors in `lib/`, of which one says what all say.
    private static let processors = ["arm64-v8a", "armeabi-v7a", "x86_64", "x86"]

    /// The app.
    package let place: PinPlace
    /// The hashes and certificates, with their files as origins.
    package private(set) var found: [Pin] = []
    /// The hashes of all pins that the app configures, for whatever host.
    private var configured: Set<SHA256Digest> = []
    /// The hashes and certificates that are not kept, since there are too many.
    package private(set) var omitted = 0
    /// Files that are private keys.
    package private(set) var privateKeys: [PinPlace] = []
    /// Files of so many certificates that they are stores of roots.
    private(set) var stores: [(place: PinPlace, count: Int)] = []
    /// The files and bytes that were looked through, and the files that were not since they were too many bytes.
    package private(set) var (files, bytes, unread) = (0, 0, 0)

    init(of place: PinPlace) { self.place = place }

    /// The lines for the hashes in a file that is given alone.
    static func found(in file: PinFile) -> [String] { hashes(in: file.bytes).prefix(mostHashes).map { "# HOST \($0)" } }

    /// Each hash in `bytes` once.
    static func hashes(in bytes: [UInt8]) -> [SHA256Digest] {
        var scan = FileScan()
        bytes.withUnsafeBytes { scan.take($0, isLast: true) }
        return scan.pins.distinct
    }

    /// The refusal of an app in which nothing but code has pins; `nil` if there are none.
    package var refusal: Problem? {
        guard !found.isEmpty else { return nil }
        return Problem(
            .pinsInCode, at: place,
            "nothing that was read pins a host, and \(Self.count(found)): for which hosts cannot be told",
            remedy: "give a list with lines such as: host sha256/…", lines: lines(found))
    }

    private var hashes: Int { found.count { $0.certificate == nil } }

    /// Looks through the files of an app but for those that were read as its configuration.
    mutating func scan(_ app: any AppFiles, _ names: [String], except read: Set<String> = []) throws(Problem) {
        let processor = Self.processors.first { processor in names.contains { Self.processor(of: $0) == processor[...] }
        }
        var scan: FileScan?
        try app.each { name in
            let own = Self.processor(of: name).map(String.init)
            let isOther = own.map { $0 != processor && Self.processors.contains($0) } ?? false
            return !isOther && !read.contains(name) && Self.isLookedThrough(name)
        } _: { name, chunk, isLast in
            guard bytes + chunk.count <= Self.mostBytes else {
                unread += 1
                scan = nil
                return true
            }
            bytes += chunk.count
            var own = scan.take() ?? FileScan()
            own.take(chunk, isLast: isLast)
            if isLast { add(own, at: PinPlace.at(app.path(of: name))) } else { scan = own }
            return true
        }
    }

    private static func processor(of name: String) -> Substring? {
        let parts = name.split(separator: "/", maxSplits: 3)
        return parts.indices.dropLast(2).first { $0 < 2 && parts[$0] == "lib" }.map { parts[$0 + 1] }
    }

    private static func isLookedThrough(_ name: String) -> Bool {
        let parts = name.split(separator: "/")
        return !skipped.contains(PinFile.fileExtension(of: name)) && parts.first != "META-INF"
            && !parts.contains("_CodeSignature") && parts.last != "embedded.mobileprovision"
    }

    private mutating func add(_ scan: FileScan, at place: PinPlace) {
        files += 1
        let origin = place.description
        for digest in scan.pins.distinct {
            guard hashes < Self.mostHashes else {
                omitted += 1
                continue
            }
            found.append(Pin(.publicKey(digest), origin: origin))
        }
        guard let contents = scan.certificates(at: place) else { return }
        switch contents {
        case .privateKey: privateKeys.append(place)
        case .certificates(let certificates) where certificates.count > Self.mostInFile:
            stores.append((place, certificates.count))
        case .certificates(let certificates):
            for certificate in certificates {
                guard found.count - hashes < Self.mostCertificates else {
                    omitted += 1
                    continue
                }
                found.append(Pin(.certificate(certificate), origin: origin))
            }
        }
    }

    /// The pins without the certificates that the app's configuration names, which are known; its hashes are told apart later.
    func beside(_ reading: PinReading) -> CodePins {
        let entries = reading.configurations.flatMap(\.entries)
        let anchors = reading.networkSecurity.flatMap(\.certificates)
        let known = Set((entries.flatMap(\.pins).compactMap(\.certificate) + anchors).map(\.fingerprint))
        var rest = self
        rest.configured = Set(entries.flatMap(\.pins).map(\.spkiSHA256))
        rest.found.removeAll { pin in pin.certificate.map { known.contains($0.fingerprint) } ?? false }
        return rest
    }

    /// The words about what was looked through in vain; empty if something was found.
    func nothingFound(isOfApple: Bool) -> String {
        guard found.isEmpty else { return "" }
        let size = bytes < 1_000_000 ? "\(bytes / 1_000) kB" : "\(bytes / 1_000_000) MB"
        return ", or as sha256/… in \(files) file\(files == 1 ? "" : "s") (\(size)) of code and assets"
            + (unread > 0 ? ", of which \(unread) were not looked through" : "")
            + "; a pin that code puts together is not seen"
            + (isOfApple ? ", and an executable that the App Store encrypted shows none" : "")
    }

    /// The words that count `pins`, as in `2 hashes and a certificate stand in the app's code`.
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

    /// The path of a pin's file within the app.
    package func file(of pin: Pin) -> String {
        guard pin.origin.hasPrefix(place.description) else { return pin.origin }
        return String(pin.origin.dropFirst(place.description.count).drop { ":/".contains($0) })
    }

    /// The lines of a list for some host, one for each of `pins`.
    package func lines(_ pins: [Pin]) -> [String] {
        pins.map { pin in
            "# HOST \(pin.spkiSHA256)   \(shortened(file(of: pin), isPublic: true))"
                + (pin.certificate == nil ? "" : " (a certificate)")
        }
    }

    /// The pins that say something next to a configuration: the hashes are left out if they are exactly those that it pins.
    package var new: [Pin] {
        let isKnown = Set(found.filter { $0.certificate == nil }.map(\.spkiSHA256)) == configured
        return isKnown ? found.filter { $0.certificate != nil } : found
    }
}

/// The pass through one file.
private struct FileScan {
    enum Contents { case privateKey, certificates([Certificate]) }

    /// The bytes that a file of certificates may have at most.
    private static let mostBytes = 4 << 20
    private static let (prefix, mark, begin) = (
        Array("sha256/".utf8), Array("ublicKeyHashes".utf8), Array("-----BEGIN ".utf8)
    )
    /// The bytes of a chunk that are kept for the next one: a pin and a mark fit into them.
    private static let overlap = 64

    private var window: [UInt8] = []
    private var isBegun = false
    /// Hashes with `sha256/` before them.
    private var marked: [SHA256Digest] = []
    /// Hashes without it, which are pins in a file with TrustKit's or TrustKit-like key alone: elsewhere they may be symmetric keys.
    private var bare: [SHA256Digest] = []
    private var hasKeyOfPins = false
    /// The whole file if it may be certificates or a key, else `nil`.
    private var contents: [UInt8]?

    var pins: [SHA256Digest] { marked + (hasKeyOfPins ? bare : []) }

    mutating func take(_ chunk: UnsafeRawBufferPointer, isLast: Bool) {
        let first = max(0, window.count - 1)
        window += chunk
        if !isBegun {
            isBegun = true
            let mayBeCertificates =
                window.first == 0x30 || window.withUnsafeBytes { Self.position(of: Self.begin, in: $0) } != nil
            contents = mayBeCertificates ? window : nil
        } else if let known = contents {
            contents = known.count + chunk.count <= Self.mostBytes ? known + chunk : nil
        }
        window.withUnsafeBytes { bytes in
            hasKeyOfPins = hasKeyOfPins || Self.hasKeyOfPins(bytes)
            // The byte behind the last one is not known yet.
            let end = isLast ? bytes.count : bytes.count - 1
            var position = first
            while position < end, let base = bytes.baseAddress,
                let found = memchr(base + position, Int32(UInt8(ascii: "=")), end - position)
            {
                position = found - UnsafeMutableRawPointer(mutating: base)
                judge(bytes, endingAt: position)
                position += 1
            }
        }
        window.removeFirst(max(0, window.count - Self.overlap))
    }

    /// Takes the 43 letters before the `=` at `end` if they are a hash.
    private mutating func judge(_ bytes: UnsafeRawBufferPointer, endingAt end: Int) {
        let start = end - 43
        guard start >= 0, bytes[start..<end].reversed().allSatisfy(Self.isLetter) else { return }
        let prefix = start - Self.prefix.count
        let isMarked = prefix >= 0 && bytes[prefix..<start].elementsEqual(Self.prefix)
        func isApart(_ index: Int) -> Bool {
            !bytes.indices.contains(index) || !Self.isLetter(bytes[index]) && !"=-_".utf8.contains(bytes[index])
        }
        guard isMarked || isApart(start - 1) && isApart(end + 1),
            let digest = try? HashText.bare(String(decoding: bytes[start...end], as: UTF8.self), at: .option).spkiSHA256
        else { return }
        if isMarked { marked.append(digest) } else { bare.append(digest) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        Base64.value(of: byte) != nil && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_")
    }

    /// Whether `SKPublicKeyHashes` or `publicKeyHashes` is in the bytes.
    private static func hasKeyOfPins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while let found = position(of: mark, in: UnsafeRawBufferPointer(rebasing: rest)) {
            let before = rest[..<(rest.startIndex + found)].suffix(3)
            if before.last == UInt8(ascii: "p") || before.elementsEqual("SKP".utf8) { return true }
            rest = rest.dropFirst(found + mark.count)
        }
        return false
    }

    private static func position(of part: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, let first = part.first else { return nil }
        var start = 0
        while start + part.count <= bytes.count,
            let found = memchr(base + start, Int32(first), bytes.count - start - part.count + 1)
        {
            guard memcmp(found, part, part.count) != 0 else { return found - UnsafeMutableRawPointer(mutating: base) }
            start = found - UnsafeMutableRawPointer(mutating: base) + 1
        }
        return nil
    }

    /// The certificates that the file is as a whole; `nil` for any other file, code with certificates in it included.
    func certificates(at place: PinPlace) -> Contents? {
        guard let contents else { return nil }
        let file = PinFile(path: place.description, bytes: contents)
        if [.privateKey, .keyStore].contains(DERShape(contents)) { return .privateKey }
        if let begin = contents.withUnsafeBytes({ Self.position(of: Self.begin, in: $0) }) {
            let before = contents[..<begin]
            guard file.text != nil, before.isEmpty || before.last == UInt8(ascii: "\n"),
                !before.contains(where: "\"'`{".utf8.contains)
            else { return nil }
            if (try? PrivateKeyGuard.refusePrivateKeys(in: file)) == nil { return .privateKey }
        }
        guard let certificates = try? CertificateReader.plainCertificates(pemOrDER: contents), !certificates.isEmpty
        else { return nil }
        return .certificates(certificates)
    }
}
