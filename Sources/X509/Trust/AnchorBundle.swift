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
        let hasTrustSettings: Bool
        let subject: Range<Int>
    }

    private let entries: [Entry]
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
            let hasTrustSettings = block.label == CertificateReader.trustedCertificateLabel
            let line = block.line == 0 ? nil : block.line
            var der = block.der
            if hasTrustSettings {
                guard let handle = X509Handle(withTrustSettings: der),
                    let plain = DER.encoding(with: { i2d_X509(handle.pointer, $0) })
                else { throw X509Error(.notACertificate, line: line) }
                der = plain
            }
            guard let subject = DER.subject(ofCertificate: der) else {
                throw X509Error(.notACertificate, line: line)
            }
            entries.append(Entry(der: block.der, hasTrustSettings: hasTrustSettings, subject: subject))
        }
        self.entries = entries
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
            Entry(
                der: certificate.der,
                hasTrustSettings: false,
                subject: DER.subject(ofCertificate: certificate.der) ?? 0..<0
            )
        }
        parsed = Mutex(Parsed(nodes: Array(repeating: nil, count: certificates.count)))
    }

    /// How many anchors there are.
    package var count: Int { entries.count }

    /// All the certificates, parsed: for bundles known to be small.
    package var certificates: [Certificate] {
        entries.indices.compactMap { node(at: $0)?.certificate }
    }

    func anchors(named name: OpaquePointer) -> [PathNode] {
        let hash = X509_NAME_hash_ex(name, nil, nil, nil)
        let positions = parsed.withLock { parsed in
            let hashes = parsed.hashes ?? subjectHashes()
            parsed.hashes = hashes
            return hashes.indices.filter { hashes[$0] == hash }
        }
        return positions.compactMap { node(at: $0) }.filter { X509_NAME_cmp($0.handle.subjectName, name) == 0 }
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
        let entry = entries[position]
        let handle = entry.hasTrustSettings ? X509Handle(withTrustSettings: entry.der) : X509Handle(der: entry.der)
        guard let handle, let node = PathNode(anchor: handle) else { return nil }
        parsed.withLock { $0.nodes[position] = node }
        return node
    }
}
