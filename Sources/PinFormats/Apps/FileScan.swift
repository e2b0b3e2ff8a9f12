internal import Base
internal import Pinning
internal import X509

struct FileScan {
    enum Contents { case closed, privateKey, certificates([Certificate]) }

    /// The most bytes of a file of certificates, and the most hashes and candidates for them that are taken of a file.
    private static let (mostBytes, mostHashes, mostCandidates) = (4 << 20, 500, 10_000)
    private static let begin = Array("-----BEGIN ".utf8)
    /// OkHttp's, curl's, and OkHttp's in JSON that escapes slashes.
    private static let prefixes = ["sha256/", "sha256//", "sha256\\/"].map { Array($0.utf8) }
    /// Keys of configurations that hold bare hashes; elsewhere these may be symmetric keys.
    private static let marks = ["SKPublicKeyHashes", "publicKeyHashes", "SPKI-SHA256-BASE64"].map { Array($0.utf8) }
    private static let closed: [[UInt8]] = [
        [0x50, 0x4B, 0x03, 0x04], [0xFE, 0xED, 0xFE, 0xED], [0, 0, 0, 1, 0, 0, 0, 0x14], [0, 0, 0, 2, 0, 0, 0, 0x14],
    ]
    /// The bytes of a chunk that are kept for the next one: a pin with escaped slashes fits into them, and a mark.
    private static let overlap = 128
    /// The bytes behind an `=` that decide about it.
    private static let lookahead = 2

    private let takesBare: Bool
    private var window: [UInt8] = []
    private var isBegun = false
    private var marked: Set<SHA256Digest> = []
    private var bare: Set<SHA256Digest> = []
    private var hasMark = false
    private var isClosed = false
    /// The whole file if it may be certificates or a key, else `nil`.
    private var contents: [UInt8]?
    private var candidates = 0
    private(set) var omitted = 0

    init(takesBare: Bool = true) { self.takesBare = takesBare }

    /// Each hash once, in the order of their letters.
    var pins: [SHA256Digest] {
        marked.union(hasMark && takesBare ? bare : []).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
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
            hasMark = hasMark || Self.marks.contains { bytes.position(of: $0) != nil }
            let end = isLast ? bytes.count : bytes.count - Self.lookahead
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
        var (letters, start): ([UInt8], Int) = ([], end)
        while letters.count < 43 {
            guard start > 0, Self.isLetter(bytes[start - 1]) else { return }
            start -= 1
            letters.append(bytes[start])
            // JSON may escape a slash.
            if bytes[start] == UInt8(ascii: "/"), start > 0, bytes[start - 1] == UInt8(ascii: "\\") { start -= 1 }
        }
        let isMarked = Self.prefixes.contains { start >= $0.count && bytes[start - $0.count..<start].elementsEqual($0) }
        guard isMarked || isApart(bytes, start - 1) && isApart(bytes, end + 1) else { return }
        if !isMarked { candidates += 1 }
        guard candidates <= Self.mostCandidates || isMarked, (isMarked ? marked : bare).count < Self.mostHashes else {
            if isMarked { omitted += 1 }
            return
        }
        let text = String(decoding: letters.reversed() + [UInt8(ascii: "=")], as: UTF8.self)
        guard HashText.canonical(text[...]) == text, let digest = try? HashText.bare(text, at: .option) else { return }
        if isMarked { marked.insert(digest.spkiSHA256) } else { bare.insert(digest.spkiSHA256) }
    }

    private func isApart(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        guard bytes.indices.contains(index) else { return true }
        // In a binary property list the byte `_` begins a text of 15 letters and more, with the kind of its length behind it.
        let isText =
            bytes[index] == UInt8(ascii: "_") && index + 1 < bytes.count && (0x10...0x13).contains(bytes[index + 1])
        return isText || !Self.isLetter(bytes[index]) && !"=-_".utf8.contains(bytes[index])
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        Base64.value(of: byte) != nil && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_")
    }

    /// The certificates or the key that the whole file is; `nil` for any other file, also for code with certificates in it.
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
            // Ends of lines, as editors add them.
            end = length
        }
        guard let certificates = try? CertificateReader.plainCertificates(pemOrDER: Array(contents[..<end])),
            !certificates.isEmpty
        else { return nil }
        return .certificates(certificates)
    }

    /// Whether the text before PEM is a program's: a brace, or a line with a quotation mark that is not closed.
    private func isCode(_ before: ArraySlice<UInt8>) -> Bool {
        if let last = before.last, last != UInt8(ascii: "\n") { return true }
        return before.contains(UInt8(ascii: "{"))
            || String(decoding: before, as: UTF8.self).split(separator: "\n").contains { line in
                // An apostrophe stands between letters.
                let words = line.replacing(/\p{L}'\p{L}/, with: "")
                return "\"'`".contains { mark in !words.count(where: { $0 == mark }).isMultiple(of: 2) }
            }
    }
}
