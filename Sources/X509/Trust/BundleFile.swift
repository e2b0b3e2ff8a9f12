internal import Base
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
        case bundle(AnchorBundle, holdsSettings: Bool)
    }

    init(path: String) { self.path = path }

    func anchors(named name: OpaquePointer) -> [PathNode] { loaded().anchors(named: name) }

    /// Whether the file has trust settings is found out without taking it apart: every path asks, and few files have any.
    func distrusted(named name: OpaquePointer) -> [PathNode] {
        content.withLock { content in
            if case .unread = content { content = read() }
            return if case .bundle(let bundle, _) = content { bundle.distrusted(named: name) } else { [] }
        }
    }

    /// How many anchors the file holds; 0 when there is no such file, or when it is damaged.
    var count: Int { loaded().count }

    var isDamaged: Bool {
        content.withLock { if case .bundle(let bundle, _) = $0 { !bundle.damage.isEmpty } else { false } }
    }

    /// What is broken counts where an anchor may be missing for it, or a word of distrust.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage] {
        content.withLock { content in
            guard case .bundle(let bundle, let holdsSettings) = content, isMissing || holdsSettings else { return [] }
            return bundle.damage.map { StoreDamage(path: path, error: $0) }
        }
    }

    private func loaded() -> AnchorBundle {
        content.withLock { content in
            if case .bundle(let bundle, _) = content { return bundle }
            if case .unread = content { content = read() }
            switch content {
            case .bundle(let bundle, _): return bundle
            case .plain(let bytes):
                let bundle = Self.bundle(bytes)
                content = .bundle(bundle, holdsSettings: false)
                return bundle
            case .unread: return Self.bundle([])
            }
        }
    }

    /// A file that is missing or damaged holds no roots, as in OpenSSL itself.
    private static func bundle(_ bytes: [UInt8]) -> AnchorBundle { AnchorBundle(storeFile: bytes, ifDamaged: .none) }

    private func read() -> Content {
        do throws(ReadFailure) {
            let bytes = try BoundedFile.bytes(at: path, limit: Self.sizeLimit)
            guard PEM.hasBlock(CertificateReader.trustedCertificateLabel, in: bytes) else { return .plain(bytes) }
            return .bundle(Self.bundle(bytes), holdsSettings: true)
        } catch .tooLarge {
            // It may hold a word of distrust for any certificate.
            return .bundle(.tooLarge(), holdsSettings: true)
        } catch { return .plain([]) }
    }
}
