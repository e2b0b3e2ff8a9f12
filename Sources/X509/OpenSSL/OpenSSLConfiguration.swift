internal import COpenSSL

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The configuration file that OpenSSL reads by itself when it is first used.
package enum OpenSSLConfiguration {
    /// No configuration is anywhere near this size, in bytes.
    private static let sizeLimit = 1 << 20

    /// The path of the file when reading it could block or never end: a pipe, a device, something huge; `nil` when it may be read.
    ///
    /// Ask before anything else is asked of OpenSSL, which opens whatever stands there. `/dev/null` is how people ask for no
    /// configuration at all.
    package static var dangerousPath: String? {
        let path =
            getenv("OPENSSL_CONF").map { String(cString: $0) }
            ?? String(cString: X509_get_default_cert_area()) + "/openssl.cnf"
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status.st_size <= sizeLimit ? nil : path
        // OpenSSL finds nothing to read there and says so.
        case S_IFDIR: return nil
        case S_IFCHR:
            var null = stat()
            return stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev ? nil : path
        default: return path
        }
    }
}
