import Base
import COpenSSL
import Synchronization

/// Directories of certificates in files named by the hash of their subject, as `openssl rehash` makes them.
///
/// A look-up opens only the files of one name, however many roots the store has, and keeps only certificates of that
/// name; OpenSSL's look-up (`X509_LOOKUP_hash_dir`) keeps all that it reads.
final class HashedDirectory: AnchorSource {
    /// The most files opened for one name; no store has as many, and further files count as damage.
    private static let fileLimit = 10_000
    /// The most bytes read for one name, far more than a bundle of all public roots has.
    private static let sizeLimit = 64 << 20

    /// The directories, separated by colons as in `SSL_CERT_DIR`.
    let path: String
    private let directories: [String]
    private let known = BoundedCache<UInt, [StoreFile]>()
    private let hasDamage = Mutex(false)

    init(_ path: String) { (self.path, directories) = (path, path.split(separator: ":").map(String.init)) }

    /// `true` if a directory contains the first file of a hashed certificate, as in `5ad8a5d6.0`.
    var holdsFiles: Bool {
        directories.contains { (try? DirectoryListing.names(in: $0) { $0.text.hasSuffix(".0") })?.isEmpty == false }
    }

    func anchors(named name: OpaquePointer) -> [PathNode] { files(named: name).flatMap { $0.anchors(named: name) } }

    func distrusts(_ node: PathNode) -> Bool {
        node.subjectName.map { files(named: $0).contains { $0.distrusts(node) } } ?? false
    }

    var isDamaged: Bool { hasDamage.withLock { $0 } }

    /// Damage counts for valid paths, too: a broken file of this name may have meant distrust.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> String? {
        files(named: name).compactMap(\.damage).first
    }

    private func files(named name: OpaquePointer) -> [StoreFile] {
        var isName: Int32 = 0
        let hash = X509_NAME_hash_ex(name, nil, nil, &isName)
        defer { ERR_clear_error() }
        guard isName == 1 else { return [] }
        if let files = known.value(for: hash) { return files }
        let files = read(hash)
        known.remember(files, for: hash)
        if files.contains(where: { $0.damage != nil }) { hasDamage.withLock { $0 = true } }
        return files
    }

    /// Reads `HASH.0`, `HASH.1` and so on, up to the first missing number.
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
                do {
                    let bytes = try BoundedFile.bytes(at: path, limit: sizeLeft)
                    sizeLeft -= bytes.count
                    files.append(StoreFile(path, bytes, mayBeDER: true))
                } catch .tooLarge { files.append(StoreFile(tooLarge: path)) } catch {
                    // The first file that does not exist or cannot be reached ends the numbers.
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

/// A file of the system's store: its certificates, or the reason why they are unknown.
struct StoreFile {
    private let path: String
    private let content: Result<AnchorBundle, X509Error>

    /// Reads a file; in a hashed directory OpenSSL 3 also finds a single certificate in DER (`X509_LOOKUP_store`).
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

    var damage: String? { if case .failure(let error) = content { "\(path): \(error)" } else { nil } }

    func anchors(named name: OpaquePointer) -> [PathNode] { (try? content.get())?.anchors(named: name) ?? [] }

    /// `true` if the file distrusts a certificate; one that cannot be read may do so, and counts as if it did.
    func distrusts(_ node: PathNode) -> Bool { (try? content.get())?.distrusts(node) ?? true }
}

/// The system's roots in one file, read only if the hashed directory was not enough.
final class BundleFile: AnchorSource {
    let path: String
    private let content = Mutex(Content.unread)
    /// The most bytes read, far more than any bundle of roots has.
    private static let sizeLimit = 64 << 20

    private enum Content {
        case unread
        /// The bytes of a file without any trust settings.
        case plain([UInt8])
        case file(StoreFile, holdsSettings: Bool)
    }

    init(path: String) { self.path = path }

    func anchors(named name: OpaquePointer) -> [PathNode] { load().anchors(named: name) }

    /// Parses the file only if it has trust settings: every path calls this, and few files have any.
    func distrusts(_ node: PathNode) -> Bool {
        content.withLock { content in
            if case .unread = content { content = read() }
            return if case .file(let file, holdsSettings: true) = content { file.distrusts(node) } else { false }
        }
    }

    var isEmpty: Bool { load().isEmpty }
    var isDamaged: Bool { content.withLock { if case .file(let file, _) = $0 { file.damage != nil } else { false } } }

    /// Damage counts only if it may hide a missing anchor or distrust.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> String? {
        content.withLock { content in
            guard case .file(let file, let holdsSettings) = content, isMissing || holdsSettings else { return nil }
            return file.damage
        }
    }

    private func load() -> StoreFile {
        content.withLock { content in
            if case .unread = content { content = read() }
            if case .file(let file, _) = content { return file }
            let file = if case .plain(let bytes) = content { StoreFile(path, bytes) } else { StoreFile(path, []) }
            content = .file(file, holdsSettings: false)
            return file
        }
    }

    private func read() -> Content {
        do {
            let bytes = try BoundedFile.bytes(at: path, limit: Self.sizeLimit)
            guard PEM.hasBlock(CertificateReader.trustedCertificateLabel, in: bytes) else { return .plain(bytes) }
            return .file(StoreFile(path, bytes), holdsSettings: true)
        } catch .tooLarge {
            // The file may distrust any certificate.
            return .file(StoreFile(tooLarge: path), holdsSettings: true)
        } catch { return .plain([]) }
    }
}
