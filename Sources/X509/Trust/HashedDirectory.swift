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
    /// The most names that are remembered; hostile chains can ask for as many as they like.
    private static let nameLimit = 1_024

    private let directories: [String]
    private struct File {
        let path: String
        let bundle: AnchorBundle
    }

    private struct Known {
        var files: [UInt: [File]] = [:]
        var isDamaged = false
    }
    private let known = Mutex(Known())

    init(_ directories: String) { self.directories = directories.split(separator: ":").map(String.init) }

    /// Whether a directory holds a file with the name of a hashed certificate, as in `5ad8a5d6.0`.
    static func holdsFiles(_ path: String) -> Bool {
        var isFound = false
        try? DirectoryListing.visit(path) { entry in
            let parts = entry.text.split(separator: ".", omittingEmptySubsequences: false)
            isFound =
                parts.count == 2 && parts[0].utf8.count == 8 && parts[0].allSatisfy(\.isHexDigit)
                && parts[1].allSatisfy(\.isNumber)
            return !isFound
        }
        return isFound
    }

    func anchors(named name: OpaquePointer) -> [PathNode] {
        files(named: name).flatMap { $0.bundle.anchors(named: name) }
    }

    func distrusted(named name: OpaquePointer) -> [PathNode] {
        files(named: name).flatMap { $0.bundle.distrusted(named: name) }
    }

    var isDamaged: Bool { known.withLock(\.isDamaged) }

    /// What is broken under the hash of a name may have been a word of distrust, so it counts for valid paths too.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage] {
        files(named: name).flatMap { file in file.bundle.damage.map { StoreDamage(path: file.path, error: $0) } }
    }

    private func files(named name: OpaquePointer) -> [File] {
        var isName: Int32 = 0
        let hash = X509_NAME_hash_ex(name, nil, nil, &isName)
        defer { OpenSSLFailure.forget() }
        guard isName == 1 else { return [] }
        if let files = known.withLock({ $0.files[hash] }) { return files }
        let files = read(hash)
        known.withLock { known in
            if known.files.count >= Self.nameLimit { known.files = [:] }
            known.files[hash] = files
            if files.contains(where: { !$0.bundle.damage.isEmpty }) { known.isDamaged = true }
        }
        return files
    }

    /// Reads `HASH.0`, `HASH.1` and so on, up to the first number that is not there.
    private func read(_ hash: UInt) -> [File] {
        let digits = String(hash, radix: 16)
        let stem = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        var files: [File] = []
        var fileCount = 0
        var sizeLeft = Self.sizeLimit
        for directory in directories {
            numbers: for number in 0... {
                let path = "\(directory)/\(stem).\(number)"
                guard fileCount < Self.fileLimit else { return files + [File(path: path, bundle: .tooLarge())] }
                do throws(ReadFailure) {
                    let bytes = try BoundedFile.bytes(at: path, limit: sizeLeft)
                    sizeLeft -= bytes.count
                    files.append(File(path: path, bundle: Self.bundle(bytes)))
                } catch .tooLarge { files.append(File(path: path, bundle: .tooLarge())) } catch {
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

    /// What a file holds; OpenSSL 3 finds one certificate in DER there too (`X509_LOOKUP_store`).
    private static func bundle(_ bytes: [UInt8]) -> AnchorBundle {
        if !PEM.looksLikePEM(bytes), let certificate = try? AnchorBundle(pemOrDER: bytes) { return certificate }
        return AnchorBundle(storeFile: bytes, ifDamaged: .beforeDamage)
    }
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

/// Something in a store's file that cannot be read as it stands there.
package struct StoreDamage: Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let error: X509Error

    package var description: String { "\(path): \(error)" }
}

/// Which certificates of a damaged file are anchors all the same, as OpenSSL 3.0 has it.
enum AnchorsOfDamagedFile {
    /// None: a bundle is loaded as a whole or not at all (`X509_load_cert_crl_file`).
    case none
    /// Those before the damage: a hashed file is read block by block up to the first that is broken (`X509_load_cert_file`).
    case beforeDamage
}
