package import Base
package import Pinning

/// A file that was read, as the formats look at it.
package struct PinFile {
    package let path: String
    package let bytes: [UInt8]
    /// The contents as text, `nil` when they are not: not UTF-8, or with control characters no text file has.
    let text: String?
    /// Whether the path goes through an archive, so that no command can name the file.
    let isInArchive: Bool

    package init(path: String, bytes: [UInt8], isInArchive: Bool = false) {
        (self.path, self.isInArchive, self.bytes) = (path, isInArchive, bytes)
        let contents = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let isPlain = contents.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        text = isPlain ? String(validating: contents, as: UTF8.self) : nil
    }

    package var place: PinPlace { .at(path) }

    /// The place of one of its lines, from 1.
    package func place(line: Int?) -> PinPlace { PinPlace.at(path, line: line) }

    /// The name without the directories before it.
    var name: Substring { path.split(separator: "/").last ?? path[...] }

    /// What follows the last point of the name, in lower case; empty when there is none.
    var fileExtension: String { PinFile.fileExtension(of: name) }

    static func fileExtension(of name: some StringProtocol) -> String {
        name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    var shellWord: String { PinFile.shellWord(isInArchive ? String(name) : path) }

    static func shellWord(_ text: String) -> String {
        // A name with a line break cannot be part of a message of one line.
        guard !text.contains(where: \.isNewline) else { return "FILE" }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "/._-+@".unicodeScalars.contains(scalar)
        }
        return isPlain && text.utf8.first != UInt8(ascii: "-") ? text : "'\(text.replacingBytes(["'": #"'\''"#]))'"
    }
}

extension PinFile {
    /// Whether anything stands at `path`.
    package static func isThere(_ path: String) -> Bool { FileKind(at: path) != .absent }

    /// Reads the file and refuses a private key.
    package static func load(_ path: String, mayBePipe: Bool = false) throws(Problem) -> PinFile {
        let file = PinFile(path: path, bytes: try RegularFile.contents(of: path, mayBePipe: mayBePipe))
        try PrivateKeyGuard.refusePrivateKeys(in: file)
        return file
    }
}

/// Finds private keys in files before any reader looks at them, so that no message can show a part of one.
package enum PrivateKeyGuard {
    private static let pemMark = Array("PRIVATE KEY-----".utf8)
    private static let puttyMark = Array("PuTTY-User-Key-File-".utf8)

    /// Throws when `file` is or holds a private key: DER, PEM of any kind, OpenSSH's, PuTTY's, or a PKCS #12 store.
    package static func refusePrivateKeys(in file: PinFile) throws(Problem) {
        if file.bytes.starts(with: puttyMark) { throw .privateKey(at: file.place(line: 1)) }
        if let position = file.bytes.position(of: pemMark) {
            let line = file.bytes[..<position].count { $0 == UInt8(ascii: "\n") } + 1
            throw .privateKey(at: file.place(line: line))
        }
        guard file.text == nil else { return }
        switch DERShape(file.bytes) {
        case .privateKey: throw .privateKey(at: file.place)
        case .keyStore:
            throw Problem(
                .privateKey, at: file.place, "a PKCS #12 store, which holds a private key; it was not used",
                remedy: "take the certificates out of it:"
                    + " openssl pkcs12 -in \(file.shellWord) -nokeys -out certificates.pem")
        default: return
        }
    }
}

extension [UInt8] {
    /// Where `part` begins in the bytes, at least one.
    fileprivate func position(of part: [UInt8]) -> Int? {
        withUnsafeBufferPointer { bytes in
            (0..<Swift.max(0, bytes.count - part.count + 1)).first { start in
                bytes[start] == part[0] && part.indices.allSatisfy { bytes[start + $0] == part[$0] }
            }
        }
    }

    /// Whether `part` occurs in the bytes, at least one.
    func holds(_ part: [UInt8]) -> Bool { position(of: part) != nil }
}

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
    /// - Throws: `Problem` when there is none, when it is no regular file, cannot be read, or has more than `limit` bytes.
    package static func contents(
        of path: String, limit: Int = mostBytes, mayBePipe: Bool = false
    ) throws(Problem) -> [UInt8] {
        do throws(ReadFailure) {
            return try BoundedFile.bytes(
                at: path, limit: limit, accepting: mayBePipe ? .regularFilesAndPipes : .regularFiles)
        } catch { throw failure(error, at: .at(path)) }
    }

    /// The names in the directory at `path`, in the order of their bytes; hidden ones are left out.
    static func names(inDirectory path: String) throws(Problem) -> [String] {
        do throws(ReadFailure) {
            return try DirectoryListing.names(in: path) { !$0.isHidden }.map(String.init(fileName:))
        } catch { throw failure(error, at: .at(path)) }
    }

    /// What keeps what stands at `place` from being read, in words.
    package static func failure(_ failure: ReadFailure, at place: PinPlace) -> Problem {
        switch failure {
        case .unnamed, .absent: Problem(.missingFile, at: place, "there is no such file")
        case .wrongKind(.directory):
            Problem(.notARegularFile, at: place, "is a directory", remedy: "name a file in it")
        case .wrongKind:
            Problem(
                .notARegularFile, at: place, "is a pipe, a socket or a device and not a file",
                remedy: "save what it gives to a file first")
        case .tooLarge(let limit):
            Problem(.tooLarge, at: place, "has more than \(limit >> 20) MiB, the most that is read of a file")
        case .silent: Problem(.notARegularFile, at: place, "gives nothing to read, as a device may")
        case .withoutWriter: Problem(.unreadable, at: place, "is a pipe without a writer")
        case .system(let code):
            Problem(.unreadable, at: place, "cannot be read: \(SystemError.message(of: code))")
        }
    }
}
