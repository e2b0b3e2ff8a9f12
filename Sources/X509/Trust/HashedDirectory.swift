internal import Base
internal import COpenSSL
internal import Synchronization

/// Directories of certificates in files named after the hash of their subject, as `openssl rehash` lays them out.
///
/// A look-up opens the files of one name, so that a store of 140 roots costs no more than one of a single root. It yields the
/// certificates of that name and no others, whatever else the files hold and whatever was looked up before; the look-up of
/// OpenSSL itself (`X509_LOOKUP_hash_dir`) puts all that it reads into one store.
final class HashedDirectory: AnchorSource {
    /// The most files that are opened for one name: no store has more, and what stands behind them is reported as damage.
    private static let fileLimit = 10_000
    /// The most that is read for one name, in bytes: far more than a bundle of all public roots.
    private static let sizeLimit = 64 << 20

    private let directories: [String]
    private let known = BoundedCache<UInt, [StoreFile]>()
    private let hasDamage = Mutex(false)

    init(_ directories: String) { self.directories = directories.split(separator: ":").map(String.init) }

    /// Whether a directory holds the first file of a hashed certificate, as in `5ad8a5d6.0`.
    static func holdsFiles(_ path: String) -> Bool {
        (try? DirectoryListing.names(in: path) { $0.text.hasSuffix(".0") })?.isEmpty == false
    }

    func anchors(named name: OpaquePointer) -> [PathNode] { files(named: name).flatMap { $0.anchors(named: name) } }

    func distrusts(_ node: PathNode) -> Bool {
        node.handle.subjectName.map { files(named: $0).contains { $0.distrusts(node) } } ?? false
    }

    var isDamaged: Bool { hasDamage.withLock { $0 } }

    /// What is broken under the hash of a name may have been a word of distrust, so it counts for valid paths too.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage] {
        files(named: name).compactMap(\.damage)
    }

    private func files(named name: OpaquePointer) -> [StoreFile] {
        var isName: Int32 = 0
        let hash = X509_NAME_hash_ex(name, nil, nil, &isName)
        defer { OpenSSLFailure.forget() }
        guard isName == 1 else { return [] }
        if let files = known.value(for: hash) { return files }
        let files = read(hash)
        known.remember(files, for: hash)
        if files.contains(where: { $0.damage != nil }) { hasDamage.withLock { $0 = true } }
        return files
    }

    /// Reads `HASH.0`, `HASH.1` and so on, up to the first number that is not there.
    private func read(_ hash: UInt) -> [StoreFile] {
        let digits = String(hash, radix: 16)
        let stem = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        var files: [StoreFile] = []
        var fileCount = 0
        var sizeLeft = Self.sizeLimit
        for directory in directories {
            numbers: for number in 0... {
                let path = "\(directory)/\(stem).\(number)"
                guard fileCount < Self.fileLimit else { return files + [StoreFile(tooLarge: path)] }
                do throws(ReadFailure) {
                    let bytes = try BoundedFile.bytes(at: path, limit: sizeLeft)
                    sizeLeft -= bytes.count
                    files.append(StoreFile(path, bytes, mayBeDER: true))
                } catch .tooLarge { files.append(StoreFile(tooLarge: path)) } catch {
                    // Up to the first number at which nothing stands that could be found; what cannot be read holds no roots.
                    switch FileKind(at: path) {
                    case .absent, .inaccessible: break numbers
                    default: break
                    }
                }
                fileCount += 1
            }
        }
        return files
    }
}

/// A file of the system's store: what it holds, or why that is not known.
struct StoreFile {
    private let path: String
    private let content: Result<AnchorBundle, X509Error>

    /// OpenSSL 3 finds one certificate in DER under a hashed name too (`X509_LOOKUP_store`).
    init(_ path: String, _ bytes: [UInt8], mayBeDER: Bool = false) {
        self.path = path
        if mayBeDER, !PEM.looksLikePEM(bytes), let certificate = try? AnchorBundle(pemOrDER: bytes) {
            content = .success(certificate)
        } else {
            content = Result { () throws(X509Error) in try AnchorBundle(storeFile: bytes) }
        }
    }

    init(tooLarge path: String) { (self.path, content) = (path, .failure(X509Error(.tooLarge))) }

    var isEmpty: Bool { if case .success(let bundle) = content { bundle.count == 0 } else { false } }

    var damage: StoreDamage? {
        if case .failure(let error) = content { StoreDamage(path: path, error: error) } else { nil }
    }

    func anchors(named name: OpaquePointer) -> [PathNode] { (try? content.get())?.anchors(named: name) ?? [] }

    /// Whether it distrusts a certificate, or may: what cannot be read is taken for a word of distrust.
    func distrusts(_ node: PathNode) -> Bool { (try? content.get())?.distrusts(node) ?? true }
}

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
        case file(StoreFile, holdsSettings: Bool)
    }

    init(path: String) { self.path = path }

    func anchors(named name: OpaquePointer) -> [PathNode] { loaded().anchors(named: name) }

    /// Whether the file has trust settings is found out without taking it apart: every path asks, and few files have any.
    func distrusts(_ node: PathNode) -> Bool {
        content.withLock { content in
            if case .unread = content { content = read() }
            return if case .file(let file, holdsSettings: true) = content { file.distrusts(node) } else { false }
        }
    }

    /// Whether there is no such file, or nothing in it.
    var isEmpty: Bool { loaded().isEmpty }

    var isDamaged: Bool { content.withLock { if case .file(let file, _) = $0 { file.damage != nil } else { false } } }

    /// What is broken counts where an anchor may be missing for it, or a word of distrust.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage] {
        content.withLock { content in
            guard case .file(let file, let holdsSettings) = content, isMissing || holdsSettings else { return [] }
            return file.damage.map { [$0] } ?? []
        }
    }

    private func loaded() -> StoreFile {
        content.withLock { content in
            if case .unread = content { content = read() }
            if case .file(let file, _) = content { return file }
            let file = if case .plain(let bytes) = content { StoreFile(path, bytes) } else { StoreFile(path, []) }
            content = .file(file, holdsSettings: false)
            return file
        }
    }

    private func read() -> Content {
        do throws(ReadFailure) {
            let bytes = try BoundedFile.bytes(at: path, limit: Self.sizeLimit)
            guard PEM.hasBlock(CertificateReader.trustedCertificateLabel, in: bytes) else { return .plain(bytes) }
            return .file(StoreFile(path, bytes), holdsSettings: true)
        } catch .tooLarge {
            // It may hold a word of distrust for any certificate.
            return .file(StoreFile(tooLarge: path), holdsSettings: true)
        } catch { return .plain([]) }
    }
}

/// Something in a store's file that cannot be read as it stands there.
package struct StoreDamage: Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let error: X509Error

    package var description: String { "\(path): \(error)" }
}
