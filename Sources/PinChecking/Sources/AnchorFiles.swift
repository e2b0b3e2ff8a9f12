import Text
import X509

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads certificates that paths may end at or pass through.
enum AnchorFiles {
    /// The anchors in a file, or in every file of a directory that holds certificates.
    ///
    /// - Parameters:
    ///   - path: the file or directory.
    ///   - role: what the certificates are, for messages.
    /// - Returns: the certificates of each file that holds some.
    /// - Throws: ``CheckError`` for a file that is missing, or holds none.
    static func bundles(at path: String, as role: String = "anchors") throws(CheckError) -> [AnchorBundle] {
        guard let names = fileNames(inDirectory: path) else { return [try bundle(inFile: path, as: role)] }
        var bundles: [AnchorBundle] = []
        for name in names {
            let bytes = try FileReader.contents(ofFile: name, inDirectory: path)
            // A directory of certificates often holds a note or a list of revocations too.
            guard CertificateReader.areForCertificates(bytes) else { continue }
            bundles.append(try bundle(bytes, from: "\(path)/\(text(of: name))", as: role))
        }
        guard !bundles.isEmpty else {
            throw .said(.missing, "the directory \(quoted(path)) holds no certificate: name one with DER or PEM files")
        }
        return bundles
    }

    private static func bundle(inFile path: String, as role: String) throws(CheckError) -> AnchorBundle {
        let bundle = try bundle(try FileReader.contents(ofFile: path), from: path, as: role)
        guard bundle.count > 0 else {
            throw .said(.data, "\(quoted(path)) holds no certificate: give \(role) as DER or PEM certificates")
        }
        return bundle
    }

    private static func bundle(
        _ bytes: [UInt8],
        from path: String,
        as role: String
    ) throws(CheckError) -> AnchorBundle {
        do {
            return try AnchorBundle(pemOrDER: bytes)
        } catch {
            throw .said(.data, "\(quoted(path)) cannot be used as \(role): \(error)")
        }
    }

    private static func text(of name: [CChar]) -> String {
        name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
    }

    /// The names of the files in a directory as the system has them, sorted; `nil` when the path names no directory.
    ///
    /// A name need not be UTF-8: as text it would be another.
    private static func fileNames(inDirectory path: String) -> [[CChar]]? {
        guard !path.utf8.contains(0), let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [[CChar]] = []
        while let entry = readdir(directory) {
            // The name is read where it stands: its declared length goes past the end of a short entry.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let name = Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
            var status = stat()
            if fstatat(dirfd(directory), name, &status, 0) == 0, status.st_mode & S_IFMT == S_IFREG {
                names.append(name)
            }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) { UInt8(bitPattern: $0) < UInt8(bitPattern: $1) } }
    }
}
