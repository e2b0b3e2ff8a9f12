import Base
import Pinning
import X509

/// Searches a file of an app, chunk by chunk, for SHA-256 pins, and recognizes files of certificates or of a key.
struct FileScan {
    enum Contents { case closed, privateKey, certificates([Certificate]) }

    /// The limits of a file: bytes of certificates, hashes with and without prefix, and candidates for bare hashes.
    private static let (mostBytes, mostHashes, mostBare) = (4 << 20, 500, 10_000)
    private static let begin = "-----BEGIN ".bytes
    /// The prefixes of pins: OkHttp's, curl's, and OkHttp's in JSON that escapes slashes.
    private static let prefixes = ["sha256/", "sha256//", "sha256\\/"].map(\.bytes)
    /// Names of keys with bare hashes as values; without one in the file, a bare hash may be a symmetric key.
    private static let hashKeys = ["SKPublicKeyHashes", "publicKeyHashes", "SPKI-SHA256-BASE64"].map(\.bytes)
    /// The first bytes of files that are not searched: zip, JKS, and BKS of versions 1 and 2 with a salt of 20 bytes.
    private static let closed: [[UInt8]] = [
        [0x50, 0x4B, 0x03, 0x04], [0xFE, 0xED, 0xFE, 0xED], [0, 0, 0, 1, 0, 0, 0, 0x14], [0, 0, 0, 2, 0, 0, 0, 0x14],
    ]
    /// The first bytes of Hermes' code, in which no byte parts one text from the next.
    private static let hermes: [UInt8] = [0xC6, 0x1F, 0xBC, 0x03]
    /// The bytes that are searched again with the next chunk, longer than any pin and any name of a key.
    private static let overlap = 128
    /// The bytes after an `=` that decide if a bare hash ends there.
    private static let lookahead = 2

    private let takesBare: Bool
    private var window: [UInt8] = []
    private var isBegun = false
    private var prefixed: Set<SHA256Digest> = []
    private var bare: Set<SHA256Digest> = []
    private var hasHashKey = false
    private var isClosed = false
    private var isHermes = false
    /// The bytes so far; `nil` if they cannot be certificates or a key.
    private var contents: [UInt8]?
    private var candidates = 0
    private(set) var omitted = 0

    init(takesBare: Bool = true) { self.takesBare = takesBare }

    var pins: [SHA256Digest] {
        prefixed.union(hasHashKey && takesBare ? bare : []).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    mutating func take(_ chunk: UnsafeRawBufferPointer, isLast: Bool) {
        let first = max(0, window.count - Self.lookahead)
        window += chunk
        if !isBegun {
            isBegun = true
            isClosed = Self.closed.contains(where: window.starts)
            isHermes = window.starts(with: Self.hermes)
            if window.starts(with: [0xEF, 0xBB, 0xBF]) { window.removeFirst(3) }
            contents = window.first == 0x30 || window.holds(Self.begin) ? window : nil
        } else if let known = contents {
            contents = known.count + chunk.count <= Self.mostBytes ? known + chunk : nil
        }
        hasHashKey = hasHashKey || Self.hashKeys.contains(where: window.holds)
        window.withUnsafeBytes { bytes in
            let end = isLast ? bytes.count : bytes.count - Self.lookahead
            var position = first
            while position < end, let base = bytes.baseAddress,
                let found = memchr(base + position, Int32(UInt8(ascii: "=")), end - position)
            {
                position = found - UnsafeMutableRawPointer(mutating: base)
                takeHash(in: bytes, endingAt: position)
                position += 1
            }
        }
        window.removeFirst(max(0, window.count - Self.overlap))
    }

    /// Adds the 43 digits of base64 before the `=` at `end` if they are a hash.
    private mutating func takeHash(in bytes: UnsafeRawBufferPointer, endingAt end: Int) {
        var (digits, start): ([UInt8], Int) = ([], end)
        while digits.count < 43 {
            guard start > 0, Self.isDigit(bytes[start - 1]) else { return }
            start -= 1
            digits.append(bytes[start])
            // JSON may escape a slash.
            if bytes[start] == "/", start > 0, bytes[start - 1] == "\\" { start -= 1 }
        }
        let isPin = Self.prefixes.contains { start >= $0.count && bytes[start - $0.count..<start].elementsEqual($0) }
        guard isPin || isHermes || isBoundary(bytes, start - 1) && isBoundary(bytes, end + 1) else { return }
        if !isPin { candidates += 1 }
        guard isPin || candidates <= Self.mostBare, (isPin ? prefixed : bare).count < Self.mostHashes else {
            if isPin { omitted += 1 }
            return
        }
        let text = String(utf8: digits.reversed() + "=".bytes)
        guard HashText.canonical(text[...]) == text, let digest = try? HashText.bare(text, at: .option) else { return }
        if isPin { prefixed.insert(digest.spkiSHA256) } else { bare.insert(digest.spkiSHA256) }
    }

    private func isBoundary(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        guard bytes.indices.contains(index) else { return true }
        // In a binary property list `_` and its length begin a string of 15 or more characters (CFBinaryPList.c).
        let isString = bytes[index] == "_" && index + 1 < bytes.count && (0x10...0x13).contains(bytes[index + 1])
        return isString || !Self.isDigit(bytes[index]) && !"=-_".utf8.contains(bytes[index])
    }

    private static func isDigit(_ byte: UInt8) -> Bool { Base64.value(of: byte) != nil && byte != "-" && byte != "_" }

    /// The certificates or the key that a file consists of; `nil` if it is another kind, such as code with PEM.
    func certificates(at place: PinPlace) -> Contents? {
        if isClosed { return .closed }
        guard let contents else { return nil }
        let file = PinFile(path: place.description, bytes: contents)
        let shape = DERShape(contents)
        if shape == .keyStore || shape == .privateKey { return shape == .keyStore ? .closed : .privateKey }
        var end = contents.count
        if let begin = contents.position(of: Self.begin) {
            guard file.text != nil, !isCode(contents[..<begin]) else { return nil }
            if (try? file.refusePrivateKeys()) == nil { return .privateKey }
        } else if let header = DERHeader(contents[...]), case let length = header.contentStart + header.length,
            length < end, contents[length...].allSatisfy({ $0 == 0x0A || $0 == 0x0D })
        {
            // Editors may add a line break after DER.
            end = length
        }
        guard let certificates = try? CertificateReader.plainCertificates(pemOrDER: Array(contents[..<end])),
            !certificates.isEmpty
        else { return nil }
        return .certificates(certificates)
    }

    /// `true` if the text before PEM is code: it has a brace, or an open quotation mark in a line.
    private func isCode(_ before: ArraySlice<UInt8>) -> Bool {
        if let last = before.last, last != "\n" { return true }
        return before.contains { $0 == "{" }
            || String(utf8: before).split(separator: "\n").contains { line in
                // An apostrophe between letters is not a quotation mark.
                let words = line.replacing(/\p{L}'\p{L}/, with: "")
                return "\"'`".contains { mark in !words.count(where: { $0 == mark }).isMultiple(of: 2) }
            }
    }
}

extension CodePins {
    /// The limits: bytes that are searched, and certificates and hashes that are kept.
    static let (mostBytes, mostCertificates, mostHashes) = (512 << 20, 100, 500)
    /// The number of certificates above which a file is a root store.
    private static let mostInFile = 20
    /// The extensions of files in which no client has pins.
    private static let skipped = Set(
        ("png jpg jpeg gif webp heic heif bmp ico svg pdf car mp3 mp4 m4a m4v aac wav caf ogg opus flac mov avi webm "
            + "ttf otf woff woff2 ttc").split(separator: " ").map(String.init))
    /// The processors' directories in `lib/`, the most usual first; a library has the same pins in each.
    private static let processors = ["arm64-v8a", "armeabi-v7a", "x86_64", "x86"]

    static func lines(in file: PinFile) -> [String] { hashes(in: file.bytes).prefix(mostHashes).map { "# HOST \($0)" } }

    static func hashes(in bytes: [UInt8]) -> [SHA256Digest] {
        var scan = FileScan()
        bytes.withUnsafeBytes { scan.take($0, isLast: true) }
        return scan.pins
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
        let parts = name.parts(at: "/")
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
        omitted += scan.omitted
        let kept = scan.pins.prefix(max(0, Self.mostHashes - hashes))
        omitted += scan.pins.count - kept.count
        found += kept.map { Pin(.publicKey($0), at: place) }
        guard let contents = scan.certificates(at: place) else { return }
        switch contents {
        case .closed: closed.append(place)
        case .privateKey: privateKeys.append(place)
        case .certificates(let certificates) where certificates.count > Self.mostInFile:
            stores.append((place, certificates.count))
        case .certificates(let certificates):
            let kept = certificates.prefix(max(0, Self.mostCertificates - (found.count - hashes)))
            omitted += certificates.count - kept.count
            found += kept.map { Pin(.certificate($0), at: place) }
        }
    }
}
