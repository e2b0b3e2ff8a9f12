internal import Synchronization

/// The system's roots in one file, read when the hashed directory was not enough.
final class BundleFile: AnchorSource {
    let path: String
    private let content = Mutex(Content.unread)
    /// No bundle of roots is anywhere near this size, in bytes.
    private static let sizeLimit = 64 << 20

    private enum Content {
        case unread
        /// The bytes, in which no certificate has trust settings.
        case plain([UInt8])
        case bundle(AnchorBundle)
    }

    init(path: String) {
        self.path = path
    }

    func anchors(named name: OpaquePointer) -> [PathNode] {
        loaded().anchors(named: name)
    }

    /// Whether the file has trust settings is found out without taking it apart: every path asks, and few files have any.
    func distrusted(named name: OpaquePointer) -> [PathNode] {
        content.withLock { content in
            if case .unread = content {
                let bytes = read()
                content =
                    PEM.hasBlock(CertificateReader.trustedCertificateLabel, in: bytes)
                    ? .bundle(Self.bundle(bytes)) : .plain(bytes)
            }
            return if case .bundle(let bundle) = content { bundle.distrusted(named: name) } else { [] }
        }
    }

    /// How many anchors the file holds; 0 when there is no such file.
    var count: Int { loaded().count }

    private func loaded() -> AnchorBundle {
        content.withLock { content in
            let bundle =
                switch content {
                case .bundle(let bundle): bundle
                case .plain(let bytes): Self.bundle(bytes)
                case .unread: Self.bundle(read())
                }
            content = .bundle(bundle)
            return bundle
        }
    }

    /// A file that is missing or broken holds no roots, as in OpenSSL itself.
    private static func bundle(_ bytes: [UInt8]) -> AnchorBundle {
        (try? AnchorBundle(pemOrDER: bytes)) ?? AnchorBundle([])
    }

    private func read() -> [UInt8] {
        if case .bytes(let bytes) = SystemFile.contents(of: path, limit: Self.sizeLimit) { bytes } else { [] }
    }
}
