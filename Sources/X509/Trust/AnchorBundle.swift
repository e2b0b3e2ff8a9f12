internal import COpenSSL
package import Pinning
internal import Synchronization

/// Anchors from one file or list, parsed one by one when a path needs them.
///
/// Parsing all the roots of a usual bundle takes 25 ms, several times as long as the rest of a check; finding out what their
/// names have in common with another takes less than 1 ms. A bundle of a few certificates is parsed at once, so that a broken one is
/// found at once.
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
    /// The certificates that it was made of; empty if it was read from a file.
    private let certificatesGiven: [Certificate]
    private let holdsDistrust: Bool
    /// What was found out so far, by position.
    private struct Parsed {
        /// The keys of the subjects, made at the first look-up.
        var keys: [UInt?]?
        var nodes: [PathNode?]
    }
    private let parsed: Mutex<Parsed>

    private init(_ entries: [Entry], of certificates: [Certificate] = []) {
        (self.entries, certificatesGiven) = (entries, certificates)
        holdsDistrust = entries.contains(where: \.isDistrusted)
        parsed = Mutex(Parsed(nodes: Array(repeating: nil, count: entries.count)))
    }

    /// Reads PEM text with any number of certificates, or one in DER: a file that was named for this run.
    ///
    /// Other PEM blocks are passed over.
    package convenience init(pemOrDER bytes: [UInt8]) throws(X509Error) {
        try self.init(
            PEM.looksLikePEM(bytes)
                ? PEM.blocks(in: bytes) : [PEMBlock(label: "CERTIFICATE", der: bytes, line: 0, isEncrypted: false)])
    }

    /// Reads a file of the system's store; what holds no PEM text holds no roots.
    ///
    /// It is read whole or not at all: a block that cannot be read may be a word of distrust.
    convenience init(storeFile bytes: [UInt8]) throws(X509Error) {
        guard PEM.looksLikePEM(bytes) else {
            self.init([Entry]())
            return
        }
        // OpenSSL reads each line up to a NUL in it, and stops at one that begins with it.
        if let nul = bytes.firstIndex(of: 0) {
            let line = bytes[..<nul].count { $0 == UInt8(ascii: "\n") } + 1
            throw X509Error(.brokenPEM, line: line, detail: "a NUL byte")
        }
        try self.init(PEM.blocks(in: bytes, isStore: true))
    }

    private convenience init(_ blocks: [PEMBlock]) throws(X509Error) {
        let blocks = blocks.filter { CertificateReader.certificateLabels.contains($0.label) }
        var entries: [Entry] = []
        for block in blocks {
            guard let entry = Self.entry(block) else {
                throw X509Error(.notACertificate, line: block.line == 0 ? nil : block.line)
            }
            entries.append(entry)
        }
        try self.init(entries) { X509Error(.notACertificate, line: blocks[$0].line == 0 ? nil : blocks[$0].line) }
    }

    /// Checks those of a few at once; of one that is no certificate `error` says so.
    private convenience init(_ entries: [Entry], else error: (Int) -> X509Error) throws(X509Error) {
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

    /// Takes certificates in DER, of which those that no path needs are never parsed.
    ///
    /// - Throws: ``X509Error`` with the number of what is no certificate, as far as that shows without parsing all of many.
    package convenience init(listed certificates: some Sequence<[UInt8]>) throws(X509Error) {
        func error(at position: Int) -> X509Error { X509Error(.notACertificate, detail: "number \(position + 1)") }
        var entries: [Entry] = []
        for der in certificates {
            guard let entry = Self.entry(der) else { throw error(at: entries.count) }
            entries.append(entry)
        }
        try self.init(entries, else: error)
    }

    /// The one certificate in a block, and what is said of it; `nil` when the block holds anything else.
    private static func entry(_ block: PEMBlock) -> Entry? {
        guard block.label == CertificateReader.trustedCertificateLabel else { return entry(block.der) }
        return TrustedCertificate(block.der).flatMap { entry($0.der, isDistrusted: $0.isDistrusted) }
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

    func distrusts(_ node: PathNode) -> Bool {
        guard holdsDistrust, let name = node.handle.subjectName else { return false }
        return nodes(named: name).contains {
            // `X509_V_ERR_CERT_REJECTED` is about a name and key, whatever copy of the certificate is presented.
            entries[$0.position].isDistrusted && $0.node.certificate.publicKey == node.certificate.publicKey
        }
    }

    /// The certificates whose subject is `name`, each with its position.
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
        // What was read once is not parsed again for each question.
        let given = certificatesGiven.isEmpty ? nil : PathNode(certificatesGiven[position])
        guard let node = given ?? X509Handle(der: entries[position].der).flatMap(PathNode.init(anchor:)) else {
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

    func distrusts(_ node: PathNode) -> Bool { false }
}

/// Somewhere anchors are looked up by name, so that only those a path needs are ever parsed.
protocol AnchorSource: Sendable {
    /// The certificates whose subject is `name`, compared in canonical form, distrusted ones among them.
    ///
    /// - Returns: the anchors, none when there is none of that name.
    func anchors(named name: OpaquePointer) -> [PathNode]

    /// Whether trust settings forbid to trust the certificate's subject and key for TLS servers, or may be in a file that cannot be read.
    ///
    /// Every path asks for each of its certificates, so an answer of none has to be cheap.
    func distrusts(_ node: PathNode) -> Bool

    /// Whether a file could not be read; costs next to nothing.
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
