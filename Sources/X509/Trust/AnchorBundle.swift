import COpenSSL
package import Pinning
import Synchronization

/// Anchors from one file or list, parsed one by one when a path needs them.
///
/// Parsing all roots of a usual bundle takes 25 ms, comparing the keys of their names less than 1 ms. A small bundle is
/// parsed at once, so that a broken certificate is reported.
package final class AnchorBundle: AnchorSource {
    /// The most certificates of a bundle that is parsed at once.
    private static let eagerCount = 16

    private struct Entry {
        let der: [UInt8]
        let subject: Range<Int>
        var isDistrusted = false
    }

    private let entries: [Entry]
    /// The certificates that the bundle was made from; empty if it was read from a file.
    private let certificatesGiven: [Certificate]
    private let holdsDistrust: Bool
    private struct Parsed {
        /// The name keys of the subjects (``DER/nameKey(_:at:)``); `nil` before the first look-up.
        var keys: [UInt?]?
        var nodes: [PathNode?]
    }
    private let parsed: Mutex<Parsed>

    private init(_ entries: [Entry], of certificates: [Certificate] = []) {
        self.entries = entries
        certificatesGiven = certificates
        holdsDistrust = entries.contains(where: \.isDistrusted)
        parsed = Mutex(Parsed(nodes: Array(repeating: nil, count: entries.count)))
    }

    /// Reads a file that the user named: PEM text, whose other blocks are ignored, or one certificate in DER.
    package convenience init(pemOrDER bytes: [UInt8]) throws(X509Error) {
        try self.init(PEM.looksLikePEM(bytes) ? PEM.blocks(in: bytes) : [PEMBlock(der: bytes)])
    }

    /// Reads a file of the system's store; fails if any block cannot be read, because it may mean distrust.
    convenience init(storeFile bytes: [UInt8]) throws(X509Error) {
        guard PEM.looksLikePEM(bytes) else {
            self.init([Entry]())
            return
        }
        // OpenSSL reads a line only up to a NUL, and stops at a line that begins with one.
        if let nul = bytes.firstIndex(of: 0) {
            let line = bytes[..<nul].count { $0 == UInt8(ascii: "\n") } + 1
            throw X509Error(.brokenPEM, line: line, detail: "a NUL byte")
        }
        try self.init(PEM.blocks(in: bytes, isStore: true))
    }

    private convenience init(_ blocks: [PEMBlock], isList: Bool = false) throws(X509Error) {
        let blocks = blocks.filter { CertificateReader.certificateLabels.contains($0.label) }
        func broken(_ index: Int) -> X509Error {
            let line = blocks[index].line
            return X509Error(
                .notACertificate, line: line == 0 ? nil : line, detail: isList ? "number \(index + 1)" : nil)
        }
        var entries: [Entry] = []
        for (index, block) in blocks.enumerated() {
            guard let entry = Self.entry(block) else { throw broken(index) }
            entries.append(entry)
        }
        self.init(entries)
        guard entries.count <= Self.eagerCount else { return }
        for index in entries.indices where node(at: index) == nil { throw broken(index) }
    }

    package convenience init(_ certificates: [Certificate]) {
        self.init(
            certificates.map { certificate in
                Entry(der: certificate.der, subject: DER.subject(ofCertificate: certificate.der) ?? 0..<0)
            }, of: certificates)
    }

    /// Takes certificates in DER, and parses only those that a path needs.
    ///
    /// - Throws: ``X509Error`` with the number of a broken certificate; a large bundle is not parsed for it.
    package convenience init(listed certificates: some Sequence<[UInt8]>) throws(X509Error) {
        try self.init(certificates.map { PEMBlock(der: $0) }, isList: true)
    }

    private static func entry(_ block: PEMBlock) -> Entry? {
        guard block.label == CertificateReader.trustedCertificateLabel else { return entry(block.der) }
        return TrustedCertificate(block.der).flatMap { entry($0.der, isDistrusted: $0.isDistrusted) }
    }

    private static func entry(_ der: [UInt8], isDistrusted: Bool = false) -> Entry? {
        DER.subject(ofCertificate: der).map { Entry(der: der, subject: $0, isDistrusted: isDistrusted) }
    }

    package var count: Int { entries.count }

    /// All certificates except distrusted ones, parsed; for small bundles.
    package var certificates: [Certificate] {
        entries.indices.filter { !entries[$0].isDistrusted }.compactMap { node(at: $0)?.certificate }
    }

    func anchors(named name: OpaquePointer) -> [PathNode] { nodes(named: name).map(\.node) }

    func distrusts(_ node: PathNode) -> Bool {
        guard holdsDistrust, let name = node.subjectName else { return false }
        return nodes(named: name).contains {
            // Distrust applies to a name and key, in any copy of the certificate (`X509_V_ERR_CERT_REJECTED`).
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
            guard let node = node(at: position), X509_NAME_cmp(node.subjectName, name) == 0 else { return nil }
            return (position, node)
        }
    }

    private func node(at position: Int) -> PathNode? {
        if let known = parsed.withLock({ $0.nodes[position] }) { return known }
        // A given certificate was parsed before, so it comes from the cache.
        let node = certificatesGiven.isEmpty ? PathNode.read(entries[position].der) : certificatesGiven[position].node
        if let node { parsed.withLock { $0.nodes[position] = node } }
        return node
    }
}

/// The certificates of a bundle that one device trusts; all devices share the bundle's parsed certificates.
package struct AnchorSelection: AnchorSource {
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

/// A source of anchors by name, so that only the anchors that a path needs are parsed.
protocol AnchorSource: Sendable {
    /// The certificates with the subject `name`, compared in canonical form, even distrusted ones.
    func anchors(named name: OpaquePointer) -> [PathNode]

    /// `true` if trust settings or a broken file may forbid the subject and key; called often, so it must be cheap.
    func distrusts(_ node: PathNode) -> Bool

    /// `true` if a file could not be read; costs almost nothing.
    var isDamaged: Bool { get }

    /// The path and the fault of a damaged file that may contain certificates of this name.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> String?
}

extension AnchorSource {
    /// Always `false`: a damaged file that the user named is rejected.
    var isDamaged: Bool { false }

    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> String? { nil }
}
