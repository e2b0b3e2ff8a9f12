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
