import Base

/// Reads files of bounded size, and pipes where the user names one; a device could be read for ever.
package enum RegularFile {
    /// The size in bytes above which a file is no pin, certificate or chain file.
    ///
    /// A bundle of all public roots has a quarter of
    /// a megabyte.
    package static let mostBytes = 16 << 20

    /// What a text in a file means: the path beside that file where something is there, and the text itself otherwise, which may
    /// be a pin as well as a path.
    ///
    /// The directory of the file ends in a slash; it is `nil` for the current one.
    package static func path(_ text: String, besideFilesIn directory: String?) -> String {
        guard let directory, text.utf8.first != UInt8(ascii: "/"), FileKind(at: directory + text) != .absent else {
            return text
        }
        return directory + text
    }

    /// The contents of the file at `path`.
    ///
    /// A pipe is read where `mayBePipe` allows it, as for what the user names by `<(…)`.
    ///
    /// - Throws: ``PinFormatError`` when there is none, when it is no regular file, cannot be read, or has more than
    ///   ``mostBytes`` bytes.
    package static func contents(of path: String, mayBePipe: Bool = false) throws(PinFormatError) -> [UInt8] {
        do throws(ReadFailure) {
            return try BoundedFile.bytes(
                at: path, limit: mostBytes, accepting: mayBePipe ? .regularFilesAndPipes : .regularFiles)
        } catch { throw failure(error, at: .at(path)) }
    }

    /// The names in the directory at `path`, in the order of their bytes; hidden ones are left out.
    static func names(inDirectory path: String) throws(PinFormatError) -> [String] {
        do throws(ReadFailure) {
            return try DirectoryListing.names(in: path) { !$0.isHidden }.map(String.init(fileName:))
        } catch { throw failure(error, at: .at(path)) }
    }

    /// What keeps what stands at `place` from being read, in words.
    static func failure(_ failure: ReadFailure, at place: PinPlace) -> PinFormatError {
        switch failure {
        case .unnamed, .absent: PinFormatError(.missingFile, at: place, "there is no such file")
        case .wrongKind(.directory):
            PinFormatError(.notARegularFile, at: place, "is a directory", remedy: "name a file in it")
        case .wrongKind:
            PinFormatError(
                .notARegularFile, at: place, "is a pipe, a socket or a device and not a file",
                remedy: "save what it gives to a file first")
        case .tooLarge(let limit):
            PinFormatError(.tooLarge, at: place, "has more than \(limit >> 20) MiB, no pin file is that large")
        case .silent: PinFormatError(.notARegularFile, at: place, "gives nothing to read, as a device may")
        case .withoutWriter: PinFormatError(.empty, at: place, "is a pipe into which nobody writes")
        case .system(let code):
            PinFormatError(.unreadable, at: place, "cannot be read: \(SystemError.message(of: code))")
        }
    }
}
