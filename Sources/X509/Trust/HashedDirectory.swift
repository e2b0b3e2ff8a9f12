internal import COpenSSL
internal import COpenSSLShims

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Directories of certificates in files named after the hash of their subject, as `openssl rehash` lays them out.
///
/// A look-up opens the files of one name, so that a store of 140 roots costs no more than one of a single root.
/// Sendable because OpenSSL guards an `X509_STORE` and its look-ups with locks, and nothing else here ever changes.
final class HashedDirectory: AnchorSource, @unchecked Sendable {
    private let store: OpaquePointer

    /// - Parameter directories: paths, separated as in `SSL_CERT_DIR`.
    init?(_ directories: String) {
        guard let store = X509_STORE_new() else { return nil }
        guard let lookup = X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir()),
            COpenSSLShims_X509_LOOKUP_add_dir(lookup, directories, Int(X509_FILETYPE_PEM)) == 1
        else {
            X509_STORE_free(store)
            OpenSSLFailure.forget()
            return nil
        }
        self.store = store
    }

    /// Whether a directory holds a file with the name of a hashed certificate, as in `5ad8a5d6.0`.
    static func holdsFiles(_ path: String) -> Bool {
        guard let directory = opendir(path) else { return false }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].utf8.count == 8, parts[0].allSatisfy(\.isHexDigit),
                parts[1].allSatisfy(\.isNumber)
            {
                return true
            }
        }
        return false
    }

    deinit {
        X509_STORE_free(store)
    }

    func anchors(named name: OpaquePointer) -> [PathNode] {
        guard let context = X509_STORE_CTX_new() else { return [] }
        defer {
            X509_STORE_CTX_free(context)
            OpenSSLFailure.forget()
        }
        guard X509_STORE_CTX_init(context, store, nil, nil) == 1,
            let stack = X509_STORE_CTX_get1_certs(context, name)
        else { return [] }
        defer { COpenSSLShims_sk_X509_pop_free(stack) }
        return (0..<COpenSSLShims_sk_X509_num(stack)).compactMap { index in
            COpenSSLShims_sk_X509_value(stack, index).flatMap { PathNode(anchor: X509Handle(borrowing: $0)) }
        }
    }
}
