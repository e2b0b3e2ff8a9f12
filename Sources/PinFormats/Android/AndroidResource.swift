internal import Base
internal import Pinning
internal import X509

/// A reference such as `@raw/my_root` from one resource of an Android app to another.
struct AndroidResource {
    /// The file it names, `nil` when there is none.
    let path: String?

    /// Looks where an app's `res` directory has it, seen from within and from the manifest, and beside the file.
    init(_ reference: String, beside file: PinFile) throws(PinFormatError) {
        let parts = reference.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let isPlain =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            }
        guard isPlain else {
            path = nil
            return
        }
        let directory = PathParts(file.path).directory
        let folder = directory.isEmpty ? "./" : directory
        for candidate in ["\(folder)../\(parts[0])/", "\(folder)res/\(parts[0])/", folder] {
            guard let names = try? RegularFile.names(inDirectory: candidate) else { continue }
            // A resource is named by what stands before the first point of its file's name.
            // A build takes one file of a name and fails for two.
            let found = names.filter { $0.prefix { $0 != "." } == parts[1] && candidate + $0 != file.path }
            if found.count > 1 {
                throw PinFormatError(
                    .duplicate, at: file.place,
                    "\(reference) is '\(shortened(found[0], isPublic: true))' as well as "
                        + "'\(shortened(found[1], isPublic: true))' in \(candidate)",
                    remedy: "keep the one that the app ships")
            }
            if let name = found.first {
                path = candidate + name
                try Self.refuseQualified(String(parts[1]), reference, beside: candidate, at: file.place)
                return
            }
        }
        path = nil
    }

    /// Refuses a resource that some devices take from a directory of their own, such as `xml-v31`.
    private static func refuseQualified(
        _ name: String, _ reference: String, beside directory: String, at place: PinPlace
    ) throws(PinFormatError) {
        let parts = PathParts(String(directory.dropLast()))
        guard ["xml", "raw"].contains(parts.name) else { return }
        let parent = parts.directory.isEmpty ? "." : parts.directory
        for other in (try? RegularFile.names(inDirectory: parent)) ?? [] where other.hasPrefix(parts.name + "-") {
            let files = (try? RegularFile.names(inDirectory: "\(parts.directory)\(other)")) ?? []
            guard files.contains(where: { $0.prefix { $0 != "." } == name }) else { continue }
            throw PinFormatError(
                .duplicate, at: place,
                "\(reference) is in '\(shortened(other, isPublic: true))' for some devices and in '\(parts.name)' for others",
                remedy: "name the configuration of the devices that are meant, in a directory of its own")
        }
    }

    /// The certificates in a resource, PEM or DER.
    static func certificates(inFileAt path: String) throws(PinFormatError) -> [Certificate] {
        let file = try PinFile.load(path)
        do throws(X509Error) { return try CertificateReader.plainCertificates(pemOrDER: file.bytes) } catch {
            throw PinFormatError(.brokenCertificate, at: file.place, "holds no readable certificate: \(error)")
        }
    }
}
