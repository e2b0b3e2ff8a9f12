import Base
import Pinning

/// The resources of an app that its manifest and its configuration name, as in `@xml/network_security_config`.
protocol AndroidResources {
    /// The file that a reference names, `nil` if there is none; throws if devices have different files.
    func file(for reference: String) throws(Problem) -> PinFile?

    /// The name of `NAME_debug`, in which a debuggable build looks for `<debug-overrides>` if the file NAME has none.
    func debugTwin(of file: PinFile) throws(Problem) -> String?
}

struct ResourceDirectory: AndroidResources {
    let file: PinFile

    /// Looks in an app's `res` directory, by the path of a file in it or of the manifest, and next to the file.
    func file(for reference: String) throws(Problem) -> PinFile? {
        guard let parts = AndroidReference(reference) else { return nil }
        let directory = PathParts(file.path).directory
        let folder = directory.isEmpty ? "./" : directory
        for candidate in ["\(folder)../\(parts.type)/", "\(folder)res/\(parts.type)/", folder] {
            guard let names = try? RegularFile.names(inDirectory: candidate) else { continue }
            // A build fails if two files have one name.
            let found = names.filter { parts.isNamed($0) && candidate + $0 != file.path }
            if found.count > 1 {
                throw file.problem(
                    .duplicate,
                    "\(reference) is '\(shortened(found[0], isPublic: true))' as well as "
                        + "'\(shortened(found[1], isPublic: true))' in \(candidate)",
                    "keep the one that the app ships")
            }
            if let name = found.first {
                try Self.refuseQualified(candidate + name, at: file.place)
                return try PinFile.load(candidate + name)
            }
        }
        return nil
    }

    func debugTwin(of file: PinFile) -> String? {
        guard !file.isInArchive, file.name.hasSuffix(".xml") else { return nil }
        let path = String(file.path.dropLast(".xml".count)) + "_debug.xml"
        return FileKind(at: path) == .regular ? PathParts(path).name : nil
    }

    /// Refuses a resource of which some devices have a variant in another directory, such as `xml-v31`.
    static func refuseQualified(_ path: String, at place: PinPlace) throws(Problem) {
        let parts = PathParts(path)
        let folder = parts.directory.isEmpty ? "./" : parts.directory
        let names = ((try? RegularFile.names(inDirectory: folder + "..")) ?? []).filter { name in
            ["xml", "raw"].contains(name.prefix { $0 != "-" })
        }
        let identity = FileIdentity(of: folder)
        guard let own = names.first(where: { FileIdentity(of: "\(folder)../\($0)") == identity }) else { return }
        let resource = parts.name.prefix { $0 != "." }
        for other in names where other != own && other.prefix(3) == own.prefix(3) {
            let files = (try? RegularFile.names(inDirectory: "\(folder)../\(other)")) ?? []
            guard files.contains(where: { $0.prefix { $0 != "." } == resource }) else { continue }
            throw Problem(
                .duplicate, at: place,
                "'\(shortened(resource, isPublic: true))' is in '\(shortened(other, isPublic: true))' for some devices "
                    + "and in '\(own)' for others",
                "name the configuration of the devices that are meant, in a directory of its own")
        }
    }
}

/// A reference by name, such as `@raw/my_root`.
struct AndroidReference {
    let type: Substring
    private let name: Substring

    init?(_ text: String) {
        let parts = text.dropFirst().parts(at: "/", atMost: 2)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        }
        guard parts.count == 2, isPlain else { return nil }
        (type, name) = (parts[0], parts[1])
    }

    func isNamed(_ file: some StringProtocol) -> Bool { file.prefix { $0 != "." } == name }
}
