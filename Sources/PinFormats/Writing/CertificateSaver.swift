import Base
package import Pinning

/// Writes certificates as DER files into one directory, and never overwrites a file with other contents.
package struct CertificateSaver {
    private let directory: String

    /// Saves into `directory`, which is made if its parent exists.
    package init(directory: String) throws(Problem) {
        guard !directory.isEmpty, !directory.utf8.contains(0) else {
            throw .inputOutput("the directory to save in has no name, or one with a NUL")
        }
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
            guard errno == ENOENT else { throw Self.failure(errno, at: directory) }
            throw .inputOutput(
                "cannot save in '\(shortened(directory, to: 1024))': the directory above it is not there: "
                    + "make it, or name another")
        }
        guard FileKind(at: directory) == .directory else {
            throw .inputOutput("cannot save in '\(shortened(directory, to: 1024))': it is a file: name a directory")
        }
        self.directory = directory
    }

    /// Saves a certificate with mode 0644, whole or not at all; a part of the fingerprint extends a name that is taken.
    ///
    /// `wasThere` is `true` if the file was there already, with the same bytes.
    package func save(
        _ certificate: Certificate, role: PinItem.Role
    ) throws(Problem) -> (path: String, wasThere: Bool) {
        let fingerprint = certificate.fingerprint.hexadecimal
        for suffix in ["", String(fingerprint.prefix(8)), fingerprint] {
            let name = CertificateFileName.name(of: certificate, role: role, suffix: suffix)
            let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            if try create(path, certificate.der) { return (path, false) }
            if (try? RegularFile.contents(of: path)) == certificate.der { return (path, true) }
        }
        throw .inputOutput("every name for \(shortened(certificate.description)) is taken in '\(shortened(directory))'")
    }

    /// Writes a temporary file and then links it to `path`; `false` if that is taken.
    private func create(_ path: String, _ bytes: [UInt8]) throws(Problem) -> Bool {
        var template = Array("\(directory)/.pincheck-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Self.failure(errno, at: directory) }
        defer { unlink(template) }
        let isWritten =
            (try? Descriptor.write(bytes, to: descriptor)) != nil && fchmod(descriptor, 0o644) == 0
            && fsync(descriptor) == 0
        let code = errno
        guard close(descriptor) == 0, isWritten else { throw Self.failure(isWritten ? errno : code, at: path) }
        // rename(2) would replace an existing file; link(2) does not.
        guard link(template, path) != 0 else { return true }
        guard errno == EEXIST else { throw Self.failure(errno, at: path) }
        return false
    }

    private static func failure(_ code: Int32, at path: String) -> Problem {
        .inputOutput("cannot write to '\(shortened(path, to: 1024))': \(SystemError.message(of: code))")
    }
}

/// Names for certificate files, made from untrusted names in certificates.
package enum CertificateFileName {
    private static let longest = 60

    /// A name as in `leaf-api.example.com.cer`, of ASCII letters, digits, `.`, `-` and `_`; `suffix` makes it unique.
    package static func name(of certificate: Certificate, role: PinItem.Role, suffix: String = "") -> String {
        var stem = ""
        for scalar in (certificate.commonName ?? "").unicodeScalars {
            guard stem.utf8.count < longest else { break }
            let isPlain = scalar.value < 0x80 && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isPlain || scalar == "_" {
                stem.unicodeScalars.append(scalar)
            } else if let last = stem.last, last != "-", last != "." {
                // A name has no two points in a row, and does not begin with one.
                stem += scalar == "." ? "." : "-"
            }
        }
        while let last = stem.last, last == "-" || last == "." { stem.removeLast() }
        if stem.isEmpty { stem = String(certificate.fingerprint.hexadecimal.prefix(16)) }
        return "\(role.rawValue)-\(stem)\(suffix.isEmpty ? "" : "-" + suffix).cer"
    }
}
