internal import COpenSSL
package import Pinning
internal import Synchronization

/// Anchors from one file or list, parsed one by one when a path needs them.
///
/// Parsing all the roots of a usual bundle takes 25 ms, several times as long as the rest of a check; comparing the
/// keys of their names takes less than 1 ms. A small bundle is parsed at once, to report a broken certificate.
package final class AnchorBundle: AnchorSource {
    /// The most certificates of a bundle that is parsed when it is read.
    private static let eagerCount = 16

    private struct Entry {
        let der: [UInt8]
        let subject: Range<Int>
        /// `true` if the trust settings next to the certificate forbid TLS servers.
        var isDistrusted = false
    }

    private let entries: [Entry]
    /// The certificates that the bundle was made of; empty if it was read from a file.
    private let certificatesGiven: [Certificate]
    private let holdsDistrust: Bool
    private struct Parsed {
        /// The keys of the subjects; `nil` before the first look-up.
        var keys: [UInt?]?
        var nodes: [PathNode?]
    }
    private let parsed: Mutex<Parsed>

    private init(_ entries: [Entry], of certificates: [Certificate] = []) {
        (self.entries, certificatesGiven) = (entries, certificates)
        holdsDistrust = entries.contains(where: \.isDistrusted)
        parsed = Mutex(Parsed(nodes: Array(repeating: nil, count: entries.count)))
    }

    /// Reads a file that was named for this run: PEM text, whose other blocks are ignored, or one certificate in DER.
    package convenience init(pemOrDER bytes: [UInt8]) throws(X509Error) {
        try self.init(
            PEM.looksLikePEM(bytes)
                ? PEM.blocks(in: bytes) : [PEMBlock(label: "CERTIFICATE", der: bytes, line: 0, isEncrypted: false)])
    }

    /// Reads a file of the system's store as a whole: a block that cannot be read may mean distrust.
    convenience init(storeFile bytes: [UInt8]) throws(X509Error) {
        guard PEM.looksLikePEM(bytes) else {
            self.init([Entry]())
            return
        }
        // OpenSSL reads a line up to a NUL in it, and stops at a line that begins with one.
        if let nul = bytes.firstIndex(of: 0) {
            let line = bytes[..<nul].count { $0 == UInt8(ascii: "\n") } + 1
            throw X509Error(.brokenPEM, line: line, detail: "a NUL byte")
        }
        try self.init(PEM.blocks(in: bytes, isStore: true))
    }

    private convenience init(_ blocks: [PEMBlock]) throws(X509Error) {
        let blocks = blocks.filter { CertificateReader.certificateLabels.contains($0.label) }
        try self.init(each: blocks, { Self.entry($0) }) {
            X509Error(.notACertificate, line: blocks[$0].line == 0 ? nil : blocks[$0].line)
        }
    }

    /// Parses the certificates of a small bundle at once; `error` is the error for a broken one, by its position.
    private convenience init<Source>(
        each sources: some Sequence<Source>, _ entry: (Source) -> Entry?, else error: (Int) -> X509Error
    ) throws(X509Error) {
        var entries: [Entry] = []
        for source in sources {
            guard let entry = entry(source) else { throw error(entries.count) }
            entries.append(entry)
        }
        self.init(entries)
        guard entries.count <= Self.eagerCount else { return }
        for position in entries.indices where node(at: position) == nil { throw error(position) }
    }

    package convenience init(_ certificates: [Certificate]) {
        self.init(
            certificates.map { certificate in
                Entry(der: certificate.der, subject: DER.subject(ofCertificate: certificate.der) ?? 0..<0)
            }, of: certificates)
    }

    /// Takes certificates in DER, and parses only those that a path needs.
    ///
    /// - Throws: ``X509Error`` with the number of a broken certificate, if that shows without parsing all of many.
    package convenience init(listed certificates: some Sequence<[UInt8]>) throws(X509Error) {
        try self.init(each: certificates, { Self.entry($0) }) {
            X509Error(.notACertificate, detail: "number \($0 + 1)")
        }
    }

    /// The certificate of a block with its trust settings; `nil` if the block contains anything else.
    private static func entry(_ block: PEMBlock) -> Entry? {
        guard block.label == CertificateReader.trustedCertificateLabel else { return entry(block.der) }
        return TrustedCertificate(block.der).flatMap { entry($0.der, isDistrusted: $0.isDistrusted) }
    }

    private static func entry(_ der: [UInt8], isDistrusted: Bool = false) -> Entry? {
        DER.subject(ofCertificate: der).map { Entry(der: der, subject: $0, isDistrusted: isDistrusted) }
    }

    package var count: Int { entries.count }

    /// All the certificates but the distrusted ones, parsed: for small bundles.
    package var certificates: [Certificate] {
        entries.indices.filter { !entries[$0].isDistrusted }.compactMap { node(at: $0)?.certificate }
    }

    func anchors(named name: OpaquePointer) -> [PathNode] { nodes(named: name).map(\.node) }

    func distrusts(_ node: PathNode) -> Bool {
        guard holdsDistrust, let name = node.handle.subjectName else { return false }
        return nodes(named: name).contains {
            // Distrust is about a name and key, in any copy of the certificate (`X509_V_ERR_CERT_REJECTED`).
            entries[$0.position].isDistrusted && $0.node.certificate.publicKey == node.certificate.publicKey
        }
    }

    func nodes(named name: OpaquePointer) -> [(position: Int, node: PathNode)] {
        let der = DistinguishedNames.der(name)
        guard !der.isEmpty else { return [] }
        let wanted = DER.nameKey(der, at: der.indices)
        let positions = parsed.withLock { parsed in
            let keys = parsed.keys ?? entries.map { DER.nameKey($0.der, at: $0.subject) }
            parsed.keys = keys
            return keys.indices.filter { wanted == nil || keys[$0] == nil || keys[$0] == wanted }
        }
        return positions.compactMap { position in
            guard let node = node(at: position), X509_NAME_cmp(node.handle.subjectName, name) == 0 else { return nil }
            return (position, node)
        }
    }

    private func node(at position: Int) -> PathNode? {
        if let known = parsed.withLock({ $0.nodes[position] }) { return known }
        // A given certificate has been parsed before, and is taken from the cache.
        let given = certificatesGiven.isEmpty ? nil : PathNode(certificatesGiven[position])
        guard let node = given ?? X509Handle(der: entries[position].der).flatMap(PathNode.init(anchor:)) else {
            return nil
        }
        parsed.withLock { $0.nodes[position] = node }
        return node
    }
}

/// The certificates of a bundle that one device trusts; all devices share the bundle's parsed certificates.
package final class AnchorSelection: AnchorSource {
    let bundle: AnchorBundle
    private let isSelected: [Bool]

    /// Selects the certificates at these positions of a bundle, none of which is distrusted.
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

    func distrusts(_ node: PathNode) -> Bool { false }
}

/// A source in which anchors are looked up by name, so that only those a path needs are parsed.
protocol AnchorSource: Sendable {
    /// The certificates whose subject is `name`, compared in canonical form, distrusted ones among them.
    func anchors(named name: OpaquePointer) -> [PathNode]

    /// `true` if trust settings or an unreadable file may forbid the certificate's subject and key for TLS servers.
    ///
    /// Called for each certificate of every path, so a `false` has to be cheap.
    func distrusts(_ node: PathNode) -> Bool

    /// `true` if a file could not be read; costs next to nothing.
    var isDamaged: Bool { get }

    /// The damage to files in which certificates of this name are looked for.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage]
}

extension AnchorSource {
    /// Always `false`: a file given for a run is refused if it is damaged.
    var isDamaged: Bool { false }

    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage] { [] }
}
