/// Something in a store's file that cannot be read as it stands there.
package struct StoreDamage: Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let error: X509Error

    package var description: String { "\(path): \(error)" }
}

/// Which certificates of a damaged file are anchors all the same, as OpenSSL 3.0 has it.
enum AnchorsOfDamagedFile {
    /// None: a bundle is loaded as a whole or not at all (`X509_load_cert_crl_file`).
    case none
    /// Those before the damage: a hashed file is read block by block up to the first that is broken (`X509_load_cert_file`).
    case beforeDamage
}
