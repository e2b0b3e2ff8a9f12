internal import Base
internal import Pinning
internal import X509

/// Searches a file of an app, chunk by chunk, for SHA-256 pins, and recognizes files of certificates or of a key.
struct FileScan {
    enum Contents { case closed, privateKey, certificates([Certificate]) }

    /// The limits of a file: bytes of certificates, hashes with and without prefix, and candidates for bare hashes.
    private static let (mostBytes, mostHashes, mostBare) = (4 << 20, 500, 10_000)
    private static let begin = Array("-----BEGIN ".utf8)
    /// The prefixes of pins: OkHttp's, curl's, and OkHttp's in JSON that escapes slashes.
    private static let prefixes = ["sha256/", "sha256//", "sha256\\/"].map { Array($0.utf8) }
    /// Names of keys with bare hashes as values; without one in the file, a bare hash may be a symmetric key.
    private static let hashKeys = ["SKPublicKeyHashes", "publicKeyHashes", "SPKI-SHA256-BASE64"].map { Array($0.utf8) }
    /// The first bytes of files that are not searched: zip, JKS, and BKS of versions 1 and 2 with a salt of 20 bytes.
    private static let closed: [[UInt8]] = [
        [0x50, 0x4B, 0x03, 0x04], [0xFE, 0xED, 0xFE, 0xED], [0, 0, 0, 1, 0, 0, 0, 0x14], [0, 0, 0, 2, 0, 0, 0, 0x14],
    ]
    /// The bytes of a chunk that are searched again with the next one, longer than any pin and any name of a key.
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
            if window.starts(with: [0xEF, 0xBB, 0xBF]) { window.removeFirst(3) }
            contents = window.first == 0x30 || window.holds(Self.begin) ? window : nil
        } else if let known = contents {
            contents = known.count + chunk.count <= Self.mostBytes ? known + chunk : nil
        }
        window.withUnsafeBytes { bytes in
            hasHashKey = hasHashKey || Self.hashKeys.contains { bytes.position(of: $0) != nil }
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
            if bytes[start] == UInt8(ascii: "/"), start > 0, bytes[start - 1] == UInt8(ascii: "\\") { start -= 1 }
        }
        let isPin = Self.prefixes.contains { start >= $0.count && bytes[start - $0.count..<start].elementsEqual($0) }
        guard isPin || isBoundary(bytes, start - 1) && isBoundary(bytes, end + 1) else { return }
        if !isPin { candidates += 1 }
        guard isPin || candidates <= Self.mostBare, (isPin ? prefixed : bare).count < Self.mostHashes else {
            if isPin { omitted += 1 }
            return
        }
        let text = String(decoding: digits.reversed() + [UInt8(ascii: "=")], as: UTF8.self)
        guard HashText.canonical(text[...]) == text, let digest = try? HashText.bare(text, at: .option) else { return }
        if isPin { prefixed.insert(digest.spkiSHA256) } else { bare.insert(digest.spkiSHA256) }
    }

    private func isBoundary(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        guard bytes.indices.contains(index) else { return true }
        // In a binary property list `_` and its length begin a string of 15 or more characters (CFBinaryPList.c).
        let isString =
            bytes[index] == UInt8(ascii: "_") && index + 1 < bytes.count && (0x10...0x13).contains(bytes[index + 1])
        return isString || !Self.isDigit(bytes[index]) && !"=-_".utf8.contains(bytes[index])
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        Base64.value(of: byte) != nil && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_")
    }

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

    /// `true` if the text before PEM is code: it has a brace, or a line with a quotation mark that is not closed.
    private func isCode(_ before: ArraySlice<UInt8>) -> Bool {
        if let last = before.last, last != UInt8(ascii: "\n") { return true }
        return before.contains(UInt8(ascii: "{"))
            || String(decoding: before, as: UTF8.self).split(separator: "\n").contains { line in
                // An apostrophe between letters is not a quotation mark.
                let words = line.replacing(/\p{L}'\p{L}/, with: "")
                return "\"'`".contains { mark in !words.count(where: { $0 == mark }).isMultiple(of: 2) }
            }
    }
}
