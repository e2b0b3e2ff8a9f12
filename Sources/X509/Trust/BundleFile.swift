internal import COpenSSL
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The system's roots in one file, read when the hashed directory was not enough.
final class BundleFile: AnchorSource {
    let path: String
    private let bundle = Mutex<AnchorBundle?>(nil)
    /// No bundle of roots is anywhere near this size, in bytes.
    private static let sizeLimit = 64 << 20

    init(path: String) {
        self.path = path
    }

    func anchors(named name: OpaquePointer) -> [PathNode] {
        loaded().anchors(named: name)
    }

    /// How many anchors the file holds; 0 when there is no such file.
    var count: Int { loaded().count }

    /// A file that is missing or broken holds no roots, as in OpenSSL itself: less is trusted, never more.
    private func loaded() -> AnchorBundle {
        bundle.withLock { bundle in
            if let bundle { return bundle }
            let loaded = (try? AnchorBundle(pemOrDER: read())) ?? AnchorBundle([])
            bundle = loaded
            return loaded
        }
    }

    private func read() -> [UInt8] {
        defer { OpenSSLFailure.forget() }
        // Opening a pipe that nobody writes to would never end.
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let bio = BIO_new_file(path, "r") else {
            return []
        }
        defer { BIO_free(bio) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < Self.sizeLimit {
            let count = BIO_read(bio, &buffer, Int32(buffer.count))
            guard count > 0 else { break }
            bytes += buffer[..<Int(count)]
        }
        return bytes
    }
}
