internal import COpenSSL

/// The OpenSSL library this process runs on.
package enum OpenSSLVersion {
    /// Its name and version, as in `OpenSSL 3.0.15 3 Sep 2024`.
    ///
    /// It is what was loaded, not what was compiled against.
    package static var text: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
