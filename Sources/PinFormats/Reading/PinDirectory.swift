import Base
import Pinning

/// A directory of pin files, read in the order of names, without subdirectories and hidden files but `.env`.
///
/// A file named like a certificate or key must be one. A file with pins that are not read, or with code that makes a
/// pinner, is reported. Other files get a note, except for a README, license or policy. Documentation is not searched.
package struct PinDirectory {
    /// Directories with third-party code or build products, which `lint` does not search.
    private static let foreign = ["build", "Carthage", "DerivedData", "node_modules", "Pods", "vendor"]
    package static var foreignNames: String { foreign.listed }
    private static let certificates: Set = ["cer", "crt", "der", "pem"]
    private static let promising = certificates.union(["pub", "key", "csr", "p7b", "p7c"])
    private static let documentation: Set = ["md", "markdown", "rst", "adoc", "html", "htm", "pdf", "rtf"]
    /// The names of files for people, which get no note.
    private static let companions: Set = ["readme", "license", "licence", "copying", "notice", "changelog"]

    /// The words of configurations with pins, and the words of all files that concern pins.
    private static let words = ["pin-set", "ublicKeyHashes", "NSPinned", "network-security-config"].map(\.bytes)
    private static let marks =
        ["sha256/", "TSKPinned", "NSAppTransportSecurity", "BEGIN CERTIFICATE", "BEGIN PUBLIC KEY"]
        .map(\.bytes) + words + UnreadKind.pinners

    private static let closed = "a subdirectory, which was not looked into"

    let path: String
    /// `true` if it was found below the named directory; files without a mark then get no note.
    var isFound = false

    func read(into reading: inout PinReading) throws(Problem) {
        var notLoaded: [String] = []
        let names = try RegularFile.names(inDirectory: path)
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        if let app = AppReader(directory: path, names) {
            // The code of an Android project is next to its manifest.
            for name in names where names.contains(AndroidPackage.manifest) && name != "res" {
                noteSubdirectory(name, at: "\(folder)/\(name)", in: &reading)
            }
            let others = isFound ? [] : reading.subdirectories
            noteTexts(of: folder + "/res", in: &reading)
            do { try app.read(into: &reading) } catch {
                guard isFound, error.id == .missingFile else { throw error }
                return reading.note(
                    .notFollowed, at: error.place,
                    "\(error.reason) in this module: Gradle merges modules, and refuses a build without it")
            }
            // Of a project, only what its manifest names was read.
            for other in others where reading.code.isEmpty { reading.note(.notAPinFile, at: .at(other), Self.closed) }
            return
        }
        if PathParts(folder).name == "res", names.contains("xml") {
            noteTexts(of: folder, in: &reading)
            return try PinDirectory(path: folder + "/xml", isFound: isFound).read(into: &reading)
        }
        for name in names {
            let before = reading.pins.count
            do { try readFile(name, into: &reading) } catch { reading.report(error) }
            let hasCertificate = reading.pins[before...].contains { $0.certificate != nil }
            // AFNetworking's search for `cer` files in a bundle is case-sensitive.
            if hasCertificate, !name.hasSuffix(".cer") { notLoaded.append(name) }
        }
        if !notLoaded.isEmpty {
            let names = listed(notLoaded.lazy.map { "'\(shortened($0, isPublic: true))'" })
            reading.note(
                .notLoadedByAFNetworking, at: .at(path),
                "AFNetworking loads only DER files named .cer from a bundle, not \(names)")
        }
    }

    private func readFile(_ name: String, into reading: inout PinReading) throws(Problem) {
        let file = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
        let fileExtension = PinFile.fileExtension(of: name)
        let isPromised = (isFound ? Self.certificates : Self.promising).contains(fileExtension)
        func pass(_ reason: String) { if !isFound { reading.note(.notAPinFile, at: .at(file), reason) } }
        switch FileKind(at: file) {
        case .directory:
            noteSubdirectory(name, at: file, in: &reading)
            return pass(Self.closed)
        case .pipe where !isPromised, .special where !isPromised:
            return pass("a pipe, a socket or a device, which was not read")
        case .absent where isFound: return
        default: break
        }
        let stem = name.prefix { $0 != "." }.lowercased()
        if !isPromised, Self.companions.contains(stem) { return }
        if Self.documentation.contains(fileExtension) { return pass("documentation, which was not looked into") }
        if ["apk", "aab", "apks", "xapk", "ipa"].contains(fileExtension), ArchivedApp.isArchive(path: file) {
            let reason = "is an app, which is judged by itself"
            return reading.unread.append((Problem(.pinsNotRead, at: .at(file), reason, "name it"), []))
        }
        let contents: PinFile
        do { contents = try PinFile.load(file) } catch {
            // A large binary file, such as a film, is ignored; a large text may be a list that is too long.
            let start = BoundedFile.start(of: file, count: 4) ?? []
            let isFilm = error.id == .tooLarge && start.contains { $0 < 0x09 || $0 > 0x7F }
            guard !isPromised, isFilm || isFound else { throw error }
            return pass(error.reason)
        }
        if isFound, !isPromised, !Self.marks.contains(where: contents.bytes.holds) { return }
        do {
            let kind = try PinFileKind(contents)
            // A policy names pins next to it, which must not count twice.
            if case .policy = kind { return reading.policies.append(file) }
            var own = PinReading()
            try kind.read(contents, into: &own)
            reading.add(own)
        } catch {
            guard !isPromised, OkHttpSource.isFound(in: contents) || !isDamaged(contents, error.id) else { throw error }
            if let (problem, pins) = UnreadKind.pins(in: contents, after: error) {
                return reading.unread.append((problem, pins))
            }
            reading.note(.notAPinFile, at: .at(file), error.reason)
        }
    }

    /// Remembers a directory of first-party code, for callers that search it.
    private func noteSubdirectory(_ name: String, at path: String, in reading: inout PinReading) {
        guard !Self.foreign.contains(name), FileKind(at: path, followingLinks: false) == .directory else { return }
        reading.subdirectories.append(path)
    }

    /// Remembers the directories of an app's texts in `res`; its `raw` has anchors, which are not pins.
    private func noteTexts(of res: String, in reading: inout PinReading) {
        for name in (try? RegularFile.names(inDirectory: res)) ?? [] where name.hasPrefix("values") {
            noteSubdirectory(name, at: "\(res)/\(name)", in: &reading)
        }
    }

    /// `true` if a file seems to be a configuration that cannot be read.
    private func isDamaged(_ file: PinFile, _ problem: FindingID?) -> Bool {
        if [.notAPin, .notation, .missingValue, .tooLarge, .binaryJunk].contains(problem) { return false }
        // UTF-16 has NULs between the characters.
        let bytes = file.bytes.filter { $0 != 0 }
        return (Self.words + ["sha256".bytes]).contains(where: bytes.holds)
    }
}
