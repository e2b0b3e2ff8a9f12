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
    /// What was found out so far, by position.
    private struct Parsed {
        /// The hashes of the canonical subjects, `nil` for one that is no name; made at the first look-up.
        var hashes: [UInt?]?
        var nodes: [PathNode?]
    }
    private let parsed: Mutex<Parsed>

    /// Reads PEM text with any number of certificates, or one in DER.
    ///
    /// Other PEM blocks are passed over.
    ///
    /// - Parameter bytes: the content of the file.
    /// - Throws: ``X509Error`` with the line of what is broken.
    package init(pemOrDER bytes: [UInt8]) throws(X509Error) {
        let blocks =
            PEM.looksLikePEM(bytes)
            ? try PEM.blocks(in: bytes).filter { CertificateReader.certificateLabels.contains($0.label) }
            : [PEMBlock(label: "CERTIFICATE", der: bytes, line: 0, isEncrypted: false)]
        var entries: [Entry] = []
        for block in blocks {
            let line = block.line == 0 ? nil : block.line
            var (der, isDistrusted) = (block.der, false)
            if block.label == CertificateReader.trustedCertificateLabel {
                guard let trusted = TrustedCertificate(der) else { throw X509Error(.notACertificate, line: line) }
                (der, isDistrusted) = (trusted.der, trusted.isDistrusted)
            }
            guard let subject = DER.subject(ofCertificate: der) else {
                throw X509Error(.notACertificate, line: line)
            }
            entries.append(Entry(der: der, subject: subject, isDistrusted: isDistrusted))
        }
        self.entries = entries
        holdsDistrust = entries.contains(where: \.isDistrusted)
        self.parsed = Mutex(Parsed(nodes: Array(repeating: nil, count: entries.count)))
        if entries.count <= Self.eagerCount {
            for position in entries.indices where node(at: position) == nil {
                throw X509Error(.notACertificate, line: blocks[position].line == 0 ? nil : blocks[position].line)
            }
        }
    }

    /// A bundle of certificates that were read already.
    package init(_ certificates: [Certificate]) {
        entries = certificates.map { certificate in
            Entry(der: certificate.der, subject: DER.subject(ofCertificate: certificate.der) ?? 0..<0)
        }
        holdsDistrust = false
        parsed = Mutex(Parsed(nodes: Array(repeating: nil, count: certificates.count)))
    }

    /// How many anchors there are.
    package var count: Int { entries.count }

    /// All the certificates but the distrusted ones, parsed: for bundles known to be small.
    package var certificates: [Certificate] {
        entries.indices.filter { !entries[$0].isDistrusted }.compactMap { node(at: $0)?.certificate }
    }

    func anchors(named name: OpaquePointer) -> [PathNode] {
        nodes(named: name).map(\.node)
    }

    func distrusted(named name: OpaquePointer) -> [PathNode] {
        guard holdsDistrust else { return [] }
        return nodes(named: name).filter { entries[$0.position].isDistrusted }.map(\.node)
    }

    private func nodes(named name: OpaquePointer) -> [(position: Int, node: PathNode)] {
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
