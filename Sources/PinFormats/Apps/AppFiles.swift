internal import Base

/// The files of an app as it ships, by their paths within it.
protocol AppFiles {
    /// The directory or archive.
    var path: String { get }

    /// The paths of all files, in the order of their bytes, without those that lead out of the app.
    ///
    /// What is passed over is noted.
    func names(_ reading: inout PinReading) throws(PinFormatError) -> [String]

    /// The contents of those of the files that are there.
    func contents(of names: Set<String>) throws(PinFormatError) -> [String: [UInt8]]

    /// The path of a file for messages and origins.
    func path(of name: String) -> String
}

/// Bounds that no app comes near.
enum AppBounds {
    /// How many files an app may have.
    static let mostFiles = 200_000
    /// How many directories may stand in each other.
    static let mostDepth = 24
    /// How long a path may be, in bytes.
    static let longestName = 4_096
    /// How many bytes are read from all of its files together.
    static let mostBytes = 64 << 20

    static func tooManyFiles(at place: PinPlace) -> PinFormatError {
        PinFormatError(.unreasonableDocument, at: place, "has more than \(mostFiles) files, no app is like that")
    }

    static func tooManyBytes(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .tooLarge, at: place,
            "has more than \(mostBytes >> 20) MiB of certificates and configuration, no app is like that")
    }
}

/// An app in a zip archive, as an `.ipa` or `.apk` is.
struct ArchivedApp: AppFiles {
    let path: String

    /// Whether the file at `path` begins as a zip archive does.
    static func isArchive(_ path: String) -> Bool {
        guard let start = BoundedFile.start(of: path, count: 4) else { return false }
        return start == [0x50, 0x4B, 0x03, 0x04] || start == [0x50, 0x4B, 0x05, 0x06]
    }

    func path(of name: String) -> String { "\(path):\(name)" }

    func names(_ reading: inout PinReading) throws(PinFormatError) -> [String] {
        let session = try ArchiveSession(path: path)
        var names: Set<String> = []
        var outside: String?
        var count = 0
        while let entry = try session.next() {
            count += 1
            guard count <= AppBounds.mostFiles else { throw AppBounds.tooManyFiles(at: .at(path)) }
            if entry.isSymbolicLink, let name = entry.name, Self.isLoaded(name) {
                throw PinFormatError(
                    .unreadable, at: .at(path(of: name)), "is a symbolic link, which is not followed in an archive",
                    remedy: "unpack the archive and name the directory")
            }
            guard entry.isFile, let name = entry.name, name.utf8.count <= AppBounds.longestName,
                name.utf8.count(where: { $0 == UInt8(ascii: "/") }) < AppBounds.mostDepth
            else { continue }
            guard Self.isInside(name) else {
                outside = outside ?? name
                continue
            }
            guard names.insert(name).inserted else {
                throw PinFormatError(
                    .duplicate, at: .at(path(of: name)),
                    "is in the archive twice, and readers differ in which of the two they take",
                    remedy: "build the archive again")
            }
        }
        if let outside {
            reading.note(
                .ignored, at: .at(path), "'\(shortened(outside))' leads out of the archive and was passed over")
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether a file of the name may be loaded by a client, or configures the app.
    private static func isLoaded(_ name: String) -> Bool {
        AppBundle.isNamedCertificate(name) || name.hasSuffix("Info.plist")
    }

    /// Whether a path stays below the place it is unpacked in.
    private static func isInside(_ name: String) -> Bool {
        let parts = name.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return !name.utf8.contains(UInt8(ascii: "\\")) && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    func contents(of names: Set<String>) throws(PinFormatError) -> [String: [UInt8]] {
        guard !names.isEmpty else { return [:] }
        let session = try ArchiveSession(path: path)
        var contents: [String: [UInt8]] = [:]
        var total = 0
        while contents.count < names.count, let entry = try session.next() {
            guard entry.isFile, let name = entry.name, names.contains(name) else { continue }
            let place = PinPlace.at(path(of: name))
            guard !entry.isEncrypted else {
                throw PinFormatError(
                    .encrypted, at: place, "is encrypted in the archive",
                    remedy: "unpack it with its password and name the directory")
            }
            guard let bytes = try session.contents(limit: RegularFile.mostBytes) else {
                throw PinFormatError(
                    .tooLarge, at: place,
                    "unpacks to more than \(RegularFile.mostBytes >> 20) MiB, no pin file is that large")
            }
            total += bytes.count
            guard total <= AppBounds.mostBytes else { throw AppBounds.tooManyBytes(at: .at(path)) }
            contents[name] = bytes
        }
        return contents
    }
}

/// An app as a directory: a bundle, or what an archive was unpacked to.
struct UnpackedApp: AppFiles {
    let path: String

    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    func names(_ reading: inout PinReading) throws(PinFormatError) -> [String] {
        var names: [String] = []
        try walk("", depth: 1, &names)
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func walk(_ folder: String, depth: Int, _ names: inout [String]) throws(PinFormatError) {
        guard depth <= AppBounds.mostDepth else { return }
        for name in try RegularFile.names(inDirectory: folder.isEmpty ? path : path(of: folder)) {
            let own = folder.isEmpty ? name : "\(folder)/\(name)"
            switch FileKind(at: path(of: own), followingLinks: false) {
            case .regular: names.append(own)
            case .directory: try walk(own, depth: depth + 1, &names)
            // A bundle of macOS has links to itself; those to files are files to whoever loads them.
            case .special where FileKind(at: path(of: own)) == .regular: names.append(own)
            default: continue
            }
            guard names.count <= AppBounds.mostFiles else { throw AppBounds.tooManyFiles(at: .at(path)) }
        }
    }

    func contents(of names: Set<String>) throws(PinFormatError) -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        var total = 0
        for name in names {
            let bytes = try RegularFile.contents(of: path(of: name))
            total += bytes.count
            guard total <= AppBounds.mostBytes else { throw AppBounds.tooManyBytes(at: .at(path)) }
            contents[name] = bytes
        }
        return contents
    }
}
