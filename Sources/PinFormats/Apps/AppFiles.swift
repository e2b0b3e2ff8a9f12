package import Base
import Pinning

/// The files of an app as it ships, by their paths within it.
protocol AppFiles {
    var path: String { get }

    /// The paths of all files, in the order of their bytes; adds links that lead out of the app to `closed`.
    func names(leavingOut closed: inout [PinPlace]) throws(Problem) -> [String]

    /// The contents of the files at `names`, at most `limit` bytes each.
    func contents(of names: Set<String>, limit: Int) throws(Problem) -> [String: [UInt8]]

    /// Visits each file that `isWanted`, chunk by chunk and once more at its end, until `visit` returns false.
    func each(
        _ isWanted: (String) -> Bool, _ visit: (String, UnsafeRawBufferPointer, _ isLast: Bool) -> Bool) throws(Problem)

    func path(of name: String) -> String
}

/// The limits: number of files, depth of directories, bytes of a path, and bytes read from all files.
private let (mostFiles, mostDepth, longestName, mostBytes) = (200_000, 24, 4_096, 64 << 20)

extension AppFiles {
    fileprivate var tooManyFiles: Problem { .tooMuch("\(mostFiles) files, no app is like that", at: .at(path)) }
    fileprivate var tooDeep: Problem { .tooMuch("\(mostDepth) directories in each other", at: .at(path)) }

    fileprivate var tooManyBytes: Problem {
        Problem(
            .tooLarge, at: .at(path),
            "has more than \(mostBytes >> 20) MiB of certificates and configuration, no app is like that")
    }
}

struct ArchivedApp: AppFiles {
    let path: String
    /// The bytes of the archive if it is in another archive, else `nil`.
    var bytes: [UInt8]?

    static func isArchive(path: String) -> Bool {
        BoundedFile.start(of: path, count: 4).map { isArchive(bytes: $0) } ?? false
    }

    static func isArchive(bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06])
    }

    /// The endings of the names of archives.
    static let endings = ["ipa", "zip", "apk", "aab", "apks", "xapk"]

    func path(of name: String) -> String { "\(path):\(name)" }

    func names(leavingOut closed: inout [PinPlace]) throws(Problem) -> [String] {
        let session = try Archive(path: path, bytes: bytes)
        var (names, links): (Set<String>, [String: String]) = ([], [:])
        var count = 0
        while let entry = try session.next() {
            count += 1
            guard count <= mostFiles else { throw tooManyFiles }
            if let target = entry.target, let name = entry.name {
                guard !AppBundle.isNamedCertificate(name), !name.hasSuffix("Info.plist") else {
                    throw Problem(
                        .wrongValue, at: .at(path(of: name)), "is a symbolic link, which is not followed in an archive",
                        "unpack the archive and name the directory")
                }
                links[name] = target
            }
            guard entry.isFile, let name = entry.name else { continue }
            guard name.utf8.count <= longestName, name.utf8.count(where: { $0 == "/" }) < mostDepth else {
                throw tooDeep
            }
            guard Self.isInside(name) else {
                throw Problem(
                    .wrongValue, at: .at(path), "'\(shortened(name))' leads out of the archive",
                    "build the archive again")
            }
            guard names.insert(name).inserted else {
                throw Problem(
                    .duplicate, at: .at(path(of: name)),
                    "is in the archive twice, and readers differ in which of the two they take",
                    "build the archive again")
            }
        }
        closed += Self.leadingOut(links, of: names).map { .at(path(of: $0)) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The names of links whose target is not a file, directory or link of the archive.
    private static func leadingOut(_ links: [String: String], of names: Set<String>) -> [String] {
        guard !links.isEmpty else { return [] }
        var folders: Set<Substring> = [""]
        for name in names {
            var rest = name[...]
            while let slash = rest.lastIndex(of: "/"), folders.insert(rest[..<slash]).inserted { rest = rest[..<slash] }
        }
        return links.filter { name, target in
            guard !target.isEmpty, !target.hasPrefix("/") else { return true }
            var path = name.split(separator: "/").dropLast()
            for part in target.split(separator: "/") where part != "." {
                if part != ".." { path.append(part) } else if path.popLast() == nil { return true }
            }
            let end = path.joined(separator: "/")
            let isBehindLink = path.indices.contains { links[path[...$0].joined(separator: "/")] != nil }
            return !isBehindLink && !names.contains(end) && !folders.contains(end[...])
        }.keys.sorted()
    }

    /// `true` if a path stays in the directory to which the archive is unpacked.
    private static func isInside(_ name: String) -> Bool {
        let parts = name.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return !name.utf8.contains { $0 == "\\" } && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    func contents(of names: Set<String>, limit: Int) throws(Problem) -> [String: [UInt8]] {
        guard !names.isEmpty else { return [:] }
        var (contents, bytes, total): ([String: [UInt8]], [UInt8], Int) = ([:], [], 0)
        var problem: Problem?
        try each(names.contains) { name, chunk, isLast in
            bytes += chunk
            total += chunk.count
            if bytes.count > limit {
                let reason = "unpacks to more than \(limit >> 20) MiB, no such file of an app is that large"
                problem = Problem(.tooLarge, at: .at(path(of: name)), reason)
            } else if total > max(mostBytes, limit) {
                problem = tooManyBytes
            }
            if isLast { (contents[name], bytes) = (bytes, []) }
            return problem == nil && contents.count < names.count
        }
        if let problem { throw problem }
        return contents
    }

    func each(
        _ isWanted: (String) -> Bool, _ visit: (String, UnsafeRawBufferPointer, _ isLast: Bool) -> Bool
    ) throws(Problem) {
        let session = try Archive(path: path, bytes: bytes)
        while let entry = try session.next() {
            // A device may be able to read a name that is not text here.
            let name = entry.name ?? "a file whose name is not text"
            guard entry.isFile, isWanted(name) else { continue }
            guard !entry.isEncrypted else {
                throw Problem(
                    .encrypted, at: .at(path(of: name)), "is encrypted in the archive",
                    "unpack it with its password and name the directory")
            }
            var goesOn = true
            try session.each { chunk in
                goesOn = visit(name, chunk, false)
                return goesOn
            }
            guard goesOn, visit(name, UnsafeRawBufferPointer(start: nil, count: 0), true) else { return }
        }
    }
}

/// An app as a directory: a bundle, or an unpacked archive.
struct UnpackedApp: AppFiles {
    let path: String

    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    func names(leavingOut closed: inout [PinPlace]) throws(Problem) -> [String] {
        var names: [String] = []
        try walk("", depth: 1, &names, &closed)
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func walk(
        _ folder: String, depth: Int, _ names: inout [String], _ closed: inout [PinPlace]
    ) throws(Problem) {
        guard depth <= mostDepth else { throw tooDeep }
        for name in try RegularFile.names(inDirectory: folder.isEmpty ? path : path(of: folder), withHidden: true) {
            let own = folder.isEmpty ? name : "\(folder)/\(name)"
            switch FileKind(at: path(of: own), followingLinks: false) {
            case .regular: names.append(own)
            case .directory: try walk(own, depth: depth + 1, &names, &closed)
            // Bundles of macOS have links to their own parts; loaders treat a link to a file as a file.
            case .special where FileKind(at: path(of: own)) == .regular: names.append(own)
            case .special where leadsOut(own): closed.append(.at(path(of: own)))
            default: continue
            }
            guard names.count <= mostFiles else { throw tooManyFiles }
        }
    }

    /// `true` if a link leads out of the app, or nowhere.
    private func leadsOut(_ name: String) -> Bool {
        let ends = [path, path(of: name)].map { path in
            let end = realpath(path, nil)
            defer { free(end) }
            return end.map { String(cString: $0) + "/" }
        }
        guard let app = ends[0], let end = ends[1] else { return true }
        return !end.hasPrefix(app)
    }

    func contents(of names: Set<String>, limit: Int) throws(Problem) -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        var total = 0
        for name in names where FileKind(at: path(of: name)) != .absent {
            let bytes = try RegularFile.contents(of: path(of: name), limit: limit)
            total += bytes.count
            guard total <= max(mostBytes, limit) else { throw tooManyBytes }
            contents[name] = bytes
        }
        return contents
    }

    func each(
        _ isWanted: (String) -> Bool, _ visit: (String, UnsafeRawBufferPointer, _ isLast: Bool) -> Bool
    ) throws(Problem) {
        var closed: [PinPlace] = []
        for name in try names(leavingOut: &closed) where isWanted(name) {
            var goesOn = true
            do {
                try BoundedFile.each(at: path(of: name)) { chunk in
                    goesOn = visit(name, chunk, false)
                    return goesOn
                }
            } catch { throw RegularFile.failure(error, at: .at(path(of: name))) }
            guard goesOn, visit(name, UnsafeRawBufferPointer(start: nil, count: 0), true) else { return }
        }
    }
}

extension PinPlace {
    /// The archive in the path and the name in it, as in `App.ipa:Payload/App.app/Info.plist`; `nil` without one.
    package var archive: (path: String, name: String)? {
        let ranges = ArchivedApp.endings.compactMap { path?.firstRange(of: ".\($0):") }
        guard let path, let range = ranges.min(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
        return (String(path[..<path.index(before: range.upperBound)]), String(path[range.upperBound...]))
    }
}
