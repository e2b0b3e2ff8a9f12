import Base
package import PinFormats
package import Pinning
import X509

/// A future deployment to judge: a chain, or a key that does not have a certificate yet.
package struct NextItem {
    package enum Kind: String, CaseIterable {
        case chain
        case certificate
        case request
        case publicKey = "public-key"
    }

    package let file: String
    package let item: PinItem
    /// The certificates of the file, the leaf first; empty for a key.
    let certificates: [Certificate]

    /// Reads files: one with certificates is one chain; in another, each certification request or key is an item.
    package static func read(_ paths: [String]) throws(Problem) -> [NextItem] { try paths.map(read).flatMap(\.self) }

    private static func read(_ path: String) throws(Problem) -> [NextItem] {
        var items: [PinItem] = []
        do { if case .items(let found) = try PinInput.read(path) { items = found } } catch {
            if error.id == .privateKey {
                throw .data(
                    "\(quoted(path)) holds a private key, which was not used: give its public half "
                        + "(openssl pkey -in KEY -pubout)")
            }
            throw error
        }
        guard !items.isEmpty else {
            throw .data(
                "\(quoted(path)) holds pins and not what they are pins of: give a chain, certificate, request or public key"
            )
        }
        let certificates = items.compactMap(\.certificate)
        if let first = certificates.first, EmbeddedTimestamps.isPrecertificate(first) {
            throw .data(
                "\(quoted(path)) is a Certificate Transparency precertificate: ask with the certificate, or with its public key"
            )
        }
        guard certificates.isEmpty || certificates.count == items.count else {
            throw .data("\(quoted(path)) holds certificates and keys: give each with a --next of its own")
        }
        if let first = items.first(where: { $0.certificate != nil }) {
            return [NextItem(file: path, item: first, certificates: certificates)]
        }
        return items.map { NextItem(file: path, item: $0, certificates: []) }
    }

    package var kind: Kind {
        guard certificates.isEmpty else { return certificates.count > 1 ? .chain : .certificate }
        return item.role == .request ? .request : .publicKey
    }

    package var title: String {
        switch kind {
        case .chain, .certificate: "the key of \(item.subject ?? file)"
        case .request: "the key of the request for \(item.subject ?? file)"
        case .publicKey: "the key"
        }
    }
}
