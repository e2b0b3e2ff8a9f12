internal import COpenSSL
package import Pinning
internal import Synchronization

/// Anchors from one file or list, parsed one by one when a path needs them.
///
/// Parsing all the roots of a usual bundle takes 25 ms, several times as long as the rest of a check; finding out their
/// names takes 1 ms. A bundle of a few certificates is parsed at once, so that a broken one is found at once.
package final class AnchorBundle: AnchorSource {
    /// Up to this many certificates are parsed when the bundle is read.
    private static let eagerCount = 16

    private struct Entry {
        let der: [UInt8]
        let subject: Range<Int>
        /// Whether the trust settings beside the certificate forbid to trust it for TLS servers.
        var isDistrusted = false
    }

    private let entries: [Entry]
    private let holdsDistrust: Bool
    /// What could not be read; nothing in a bundle that was read with ``init(pemOrDER:)``.
    let damage: [X509Error]
    /// What was found out so far, by position.
    private struct Parsed {
        /// The hashes of the canonical subjects, `nil` for one that is no name; made at the first look-up.
        var hashes: [UInt?]?
        var nodes: [PathNode?]
    }
    private let parsed: Mutex<Parsed>

    private init(_ entries: [Entry], damage: [X509Error] = []) {
        (self.entries, self.damage) = (entries, damage)
        holdsDistrust = entries.contains(where: \.isDistrusted)
        parsed = Mutex(Parsed(nodes: Array(repeating: nil, count: entries.count)))
    }

    /// Reads PEM text with any number of certificates, or one in DER: a file that was named for this run.
    ///
    /// Other PEM blocks are passed over.
    package convenience init(pemOrDER bytes: [UInt8]) throws(X509Error) {
        let blocks =
            PEM.looksLikePEM(bytes)
            ? try PEM.blocks(in: bytes).filter { CertificateReader.certificateLabels.contains($0.label) }
            : [PEMBlock(label: "CERTIFICATE", der: bytes, line: 0, isEncrypted: false)]
        var entries: [Entry] = []
        for block in blocks {
            guard let entry = Self.entry(block) else {
                throw X509Error(.notACertificate, line: block.line == 0 ? nil : block.line)
            }
            entries.append(entry)
        }
        self.init(entries)
        if entries.count <= Self.eagerCount {
            for position in entries.indices where node(at: position) == nil {
                throw X509Error(.notACertificate, line: blocks[position].line == 0 ? nil : blocks[position].line)
            }
        }
    }

    /// Reads a file of the system's store, of which everything counts that can be read.
    ///
    /// What the file distrusts is distrusted, wherever it stands and whatever is broken beside it. What it trusts is what OpenSSL
    /// would find in it: there is no error to throw, because OpenSSL goes on without it too.
    convenience init(storeFile bytes: [UInt8], ifDamaged anchors: AnchorsOfDamagedFile) {
        let blocks = PEM.storedBlocks(in: bytes)
        let isSmall = blocks.count <= Self.eagerCount
        var entries: [Entry] = []
        var damage: [X509Error] = []
        var isWhole = true
        for stored in blocks {
            if let error = stored.damage {
                damage.append(error)
                isWhole = isWhole && stored.isPassedOver
            }
            guard let block = stored.block, CertificateReader.certificateLabels.contains(block.label) else { continue }
            guard let found = Self.entry(ofStored: block), !isSmall || X509Handle(der: found.entry.der) != nil else {
                damage.append(X509Error(.notACertificate, line: block.line))
                isWhole = isWhole && !stored.isRead
                continue
            }
            if let flaw = found.flaw { damage.append(X509Error(.notACertificate, line: block.line, detail: flaw)) }
            if !found.hasReadableSettings, anchors == .none { isWhole = false }
            let isAnchor = isWhole && stored.isRead && found.isClear
            if isAnchor || found.entry.isDistrusted { entries.append(found.entry) }
        }
        if !isWhole, anchors == .none { entries.removeAll { !$0.isDistrusted } }
        self.init(entries, damage: damage)
    }

    /// What a file of the system's store is that is too large to be read: what it trusts and distrusts is not known.
    static func tooLarge() -> AnchorBundle { AnchorBundle([], damage: [X509Error(.tooLarge)]) }

    package convenience init(_ certificates: [Certificate]) {
        self.init(
            certificates.map { certificate in
                Entry(der: certificate.der, subject: DER.subject(ofCertificate: certificate.der) ?? 0..<0)
            })
    }

    /// Takes certificates in DER, of which those that no path needs are never parsed.
    ///
    /// - Throws: ``X509Error`` with the number of what is no certificate, as far as that shows without parsing all of many.
    package convenience init(listed certificates: some Sequence<[UInt8]>) throws(X509Error) {
        var entries: [Entry] = []
        for der in certificates {
            guard let entry = Self.entry(der) else { throw Self.notACertificate(number: entries.count + 1) }
            entries.append(entry)
        }
        self.init(entries)
        guard entries.count <= Self.eagerCount else { return }
        for position in entries.indices where node(at: position) == nil {
            throw Self.notACertificate(number: position + 1)
        }
    }

    private static func notACertificate(number: Int) -> X509Error {
        X509Error(.notACertificate, detail: "number \(number)")
    }

    /// The one certificate in a block, and what is said of it; `nil` when the block holds anything else.
    private static func entry(_ block: PEMBlock) -> Entry? {
        guard block.label == CertificateReader.trustedCertificateLabel else { return entry(block.der) }
        return TrustedCertificate(block.der).flatMap { entry($0.der, isDistrusted: $0.isDistrusted) }
    }

    /// What the block of a store's file comes to.
    private struct Stored {
        let entry: Entry
        /// What is wrong with it, `nil` for nothing.
        var flaw: String?
        var hasReadableSettings = true
        /// Whether it is known what the store says of the certificate: what cannot be read may have been meant to take trust away.
        var isClear = true
    }

    /// The certificate a block begins with; `nil` when it begins with anything else.
    ///
    /// OpenSSL passes over bytes behind it. From a directory it takes trust settings for what they are under every label.
    private static func entry(ofStored block: PEMBlock) -> Stored? {
        let isPlain = block.label != CertificateReader.trustedCertificateLabel
        if isPlain, let entry = entry(block.der) { return Stored(entry: entry) }
        let whole = TrustedCertificate(beginning: block.der)
        guard let certificate = whole ?? TrustedCertificate(ignoringSettingsOf: block.der),
            let entry = entry(certificate.der, isDistrusted: certificate.isDistrusted)
        else { return nil }
        return Stored(
            entry: entry, flaw: certificate.hasTail ? "more bytes follow it" : nil,
            hasReadableSettings: isPlain || whole != nil, isClear: isPlain || !certificate.hasTail)
    }

    private static func entry(_ der: [UInt8], isDistrusted: Bool = false) -> Entry? {
        DER.subject(ofCertificate: der).map { Entry(der: der, subject: $0, isDistrusted: isDistrusted) }
    }

    package var count: Int { entries.count }

    /// All the certificates but the distrusted ones, parsed: for bundles known to be small.
    package var certificates: [Certificate] {
        entries.indices.filter { !entries[$0].isDistrusted }.compactMap { node(at: $0)?.certificate }
    }

    func anchors(named name: OpaquePointer) -> [PathNode] { nodes(named: name).map(\.node) }

    func distrusted(named name: OpaquePointer) -> [PathNode] {
        guard holdsDistrust else { return [] }
        return nodes(named: name).filter { entries[$0.position].isDistrusted }.map(\.node)
    }

    /// The certificates whose subject is `name`, each with its position.
    func nodes(named name: OpaquePointer) -> [(position: Int, node: PathNode)] {
        let hash = X509_NAME_hash_ex(name, nil, nil, nil)
        let positions = parsed.withLock { parsed in
            let hashes = parsed.hashes ?? subjectHashes()
            parsed.hashes = hashes
            return hashes.indices.filter { hashes[$0] == hash }
        }
        return positions.compactMap { position in
            guard let node = node(at: position), X509_NAME_cmp(node.handle.subjectName, name) == 0 else { return nil }
            return (position, node)
        }
    }

    private func subjectHashes() -> [UInt?] {
        defer { OpenSSLFailure.forget() }
        return entries.map { entry in
            entry.der.withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress.map { $0 + entry.subject.lowerBound }
                guard let name = d2i_X509_NAME(nil, &cursor, entry.subject.count) else { return nil }
                defer { X509_NAME_free(name) }
                return X509_NAME_hash_ex(name, nil, nil, nil)
            }
        }
    }

    private func node(at position: Int) -> PathNode? {
        if let known = parsed.withLock({ $0.nodes[position] }) { return known }
        guard let handle = X509Handle(der: entries[position].der), let node = PathNode(anchor: handle) else {
            return nil
        }
        parsed.withLock { $0.nodes[position] = node }
        return node
    }
}

/// Those certificates of a bundle that one device trusts.
///
/// Devices have most of their roots in common: what is found out about a certificate is found out for all selections of its bundle.
package final class AnchorSelection: AnchorSource {
    let bundle: AnchorBundle
    private let isSelected: [Bool]

    /// The certificates at these positions of a bundle; none is distrusted.
    package init(_ positions: some Sequence<Int>, of bundle: AnchorBundle) {
        self.bundle = bundle
        var isSelected = [Bool](repeating: false, count: bundle.count)
        for position in positions { isSelected[position] = true }
        self.isSelected = isSelected
    }

    func holds(_ position: Int) -> Bool { isSelected[position] }

    func anchors(named name: OpaquePointer) -> [PathNode] {
        bundle.nodes(named: name).filter { holds($0.position) }.map(\.node)
    }

    func distrusted(named name: OpaquePointer) -> [PathNode] { [] }
}

/// Somewhere anchors are looked up by name, so that only those a path needs are ever parsed.
protocol AnchorSource: Sendable {
    /// The certificates whose subject is `name`, compared in canonical form, distrusted ones among them.
    ///
    /// - Returns: the anchors, none when there is none of that name.
    func anchors(named name: OpaquePointer) -> [PathNode]

    /// Those of them whose trust settings forbid to trust them for TLS servers.
    ///
    /// Every path asks for each of its certificates, so an answer of none has to be cheap.
    func distrusted(named name: OpaquePointer) -> [PathNode]

    /// Whether something in a file that was read could not be read as it stands; costs next to nothing.
    var isDamaged: Bool { get }

    /// What could not be read where certificates of this name are looked for.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage]
}

extension AnchorSource {
    /// Whole: what is given for a run is refused when it is not.
    var isDamaged: Bool { false }

    /// None: what is given for a run is refused when it is damaged.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage] { [] }
}
