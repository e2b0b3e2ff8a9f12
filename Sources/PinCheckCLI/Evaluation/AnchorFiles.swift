import X509

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the values of `--anchors`.
enum AnchorFiles {
    /// The anchors in a file, or in every file of a directory that holds certificates.
    static func bundles(at path: String) throws(CommandError) -> [AnchorBundle] {
        guard let names = fileNames(inDirectory: path) else { return [try bundle(inFile: path)] }
        var bundles: [AnchorBundle] = []
        for name in names {
            let bytes = try FileReader.contents(ofFile: path + "/" + name)
            // A directory of certificates often holds a note or a list of revocations too.
            if let bundle = try? AnchorBundle(pemOrDER: bytes), bundle.count > 0 { bundles.append(bundle) }
        }
        guard !bundles.isEmpty else {
            throw .noInput("the directory \(quoted(path)) holds no certificate: name one with DER or PEM files")
        }
        return bundles
    }

    private static func bundle(inFile path: String) throws(CommandError) -> AnchorBundle {
        let bytes = try FileReader.contents(ofFile: path)
        let bundle: AnchorBundle
        do {
            bundle = try AnchorBundle(pemOrDER: bytes)
        } catch {
            throw .data("\(quoted(path)) cannot be used as anchors: \(error)")
        }
        guard bundle.count > 0 else {
            throw .data("\(quoted(path)) holds no certificate: give anchors as DER or PEM certificates")
        }
        return bundle
    }

    /// The names of the files in a directory, sorted; `nil` when the path names no directory.
    private static func fileNames(inDirectory path: String) -> [String]? {
        guard !path.utf8.contains(0), let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            var status = stat()
            if stat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG { names.append(name) }
        }
        return names.sorted()
    }
}
