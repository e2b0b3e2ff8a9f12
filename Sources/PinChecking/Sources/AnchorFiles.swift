import Base
import X509

/// Reads certificates that paths may end at or pass through.
enum AnchorFiles {
    /// The anchors in a file, or in every file of a directory that holds certificates.
    ///
    /// - Throws: ``CheckError`` for a file that is missing, or holds none.
    static func bundles(at path: String, as role: String = "anchors") throws(CheckError) -> [AnchorBundle] {
        // The name alone does not say for what it was given.
        if case .absent = FileKind(at: path) {
            throw .said(.missing, "\(role): \(quoted(path)): there is no such file")
        }
        guard let names = fileNames(inDirectory: path) else { return [try bundle(inFile: path, as: role)] }
        var bundles: [AnchorBundle] = []
        for name in names {
            let bytes = try FileReader.contents(ofFile: name, inDirectory: path)
            // A directory of certificates often holds a note or a list of revocations too.
            guard CertificateReader.areForCertificates(bytes) else { continue }
            bundles.append(try bundle(bytes, from: "\(path)/\(String(fileName: name))", as: role))
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

    private static func bundle(_ bytes: [UInt8], from path: String, as role: String) throws(CheckError) -> AnchorBundle
    {
        do { return try AnchorBundle(pemOrDER: bytes) } catch {
            throw .said(.data, "\(quoted(path)) cannot be used as \(role): \(error)")
        }
    }

    /// The names of the files in a directory as the system has them, sorted; `nil` when the path names no directory.
    ///
    /// A name need not be UTF-8: as text it would be another.
    private static func fileNames(inDirectory path: String) -> [[CChar]]? {
        try? DirectoryListing.names(in: path) { $0.regularFile != nil }
    }
}
