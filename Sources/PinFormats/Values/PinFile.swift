package import Base
package import Pinning
import X509

package struct PinFile {
    package let path: String
    package let bytes: [UInt8]
    /// The contents as text; `nil` if they are not UTF-8 or have control characters that no text file has.
    let text: String?
    /// `true` if the file is in an archive, so that no command can name it.
    let isInArchive: Bool

    package init(path: String, bytes: [UInt8], isInArchive: Bool = false) {
        (self.path, self.isInArchive, self.bytes) = (path, isInArchive, bytes)
        let contents = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let isPlain = contents.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        text = isPlain ? String(validating: contents, as: UTF8.self) : nil
    }

    package var place: PinPlace { .at(path) }
    package func place(line: Int?) -> PinPlace { PinPlace.at(path, line: line) }

    func problem(
        _ id: FindingID, line: Int? = nil, _ reason: String, _ remedy: String? = nil, lines: [String] = []
    ) -> Problem { Problem(id, at: place(line: line), reason, remedy, lines: lines) }

    var name: Substring { path.split(separator: "/").last ?? path[...] }
    var fileExtension: String { PinFile.fileExtension(of: name) }

    static func fileExtension(of name: some StringProtocol) -> String {
        name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    var shellWord: String {
        let text = isInArchive ? String(name) : path
        // A name with a line break would break a message of one line.
        guard !text.contains(where: \.isNewline) else { return "FILE" }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "/._-+@".unicodeScalars.contains(scalar)
        }
        return isPlain && text.utf8.first != "-" ? text : "'\(text.replacingBytes(["'": #"'\''"#]))'"
    }

    private static let endings: Set = [
        "pem", "cer", "crt", "der", "csr", "pub", "key", "p7b", "ipa", "apk", "aab", "apks", "xapk", "plist", "xml",
        "json",
    ]

    /// `true` if an argument can only be a file: none of the endings is a top-level domain.
    package static func isMeant(by argument: String) -> Bool {
        argument.contains("/") && !argument.contains("://") || endings.contains(fileExtension(of: argument))
    }

    package static func isThere(_ path: String) -> Bool { FileKind(at: path) != .absent }

    package static func load(_ path: String, mayBePipe: Bool = false) throws(Problem) -> PinFile {
        let file = PinFile(path: path, bytes: try RegularFile.contents(of: path, mayBePipe: mayBePipe))
        try file.refusePrivateKeys()
        return file
    }

    private static let (pemMark, puttyMark) = ("PRIVATE KEY-----".bytes, "PuTTY-User-Key-File-".bytes)

    /// Throws if the file has a private key: DER, PEM of any kind, OpenSSH's, PuTTY's, or a PKCS #12 store.
    ///
    /// Called before any reader, so that no message can show a part of a key.
    func refusePrivateKeys() throws(Problem) {
        if bytes.starts(with: Self.puttyMark) { throw .privateKey(at: place(line: 1)) }
        if let position = bytes.position(of: Self.pemMark) {
            throw .privateKey(at: place(line: bytes[..<position].count { $0 == "\n" } + 1))
        }
        let shape = text == nil ? DERShape(bytes) : nil
        if shape == .privateKey { throw .privateKey(at: place) }
        guard shape == .keyStore else { return }
        throw problem(
            .privateKey, "a PKCS #12 store, which holds a private key; it was not used",
            "take the certificates out of it: openssl pkcs12 -in \(shellWord) -nokeys -out certificates.pem")
    }
}

/// Reads files of limited size, and pipes if the user names one; reading a device may never end.
package enum RegularFile {
    /// The limit of a file, in bytes; all public roots together take a quarter of a megabyte.
    static let mostBytes = 16 << 20

    /// The path of `text` in a file: next to the file if something is there, else `text`, which may be a pin or a path.
    ///
    /// `directory` is that of the file and ends in a slash; `nil` means the current one.
    package static func path(_ text: String, besideFilesIn directory: String?) -> String {
        guard let directory, text.utf8.first != "/", FileKind(at: directory + text) != .absent else {
            return text
        }
        return directory + text
    }

    /// The contents of the file at `path`, at most `limit` bytes; `mayBePipe` allows a pipe, as in `<(…)`.
    static func contents(
        of path: String, limit: Int = mostBytes, mayBePipe: Bool = false
    ) throws(Problem) -> [UInt8] {
        do {
            return try BoundedFile.bytes(
                at: path, limit: limit, accepting: mayBePipe ? .regularFilesAndPipes : .regularFiles)
        } catch { throw failure(error, at: .at(path)) }
    }

    /// The names in the directory at `path`, in the order of their bytes; of hidden ones files `.env…`, or all but `.git`.
    static func names(inDirectory path: String, withHidden: Bool = false) throws(Problem) -> [String] {
        do {
            return try DirectoryListing.names(in: path) {
                !$0.isHidden || withHidden && ![".", "..", ".git"].contains($0.text)
                    || $0.text.hasPrefix(".env") && $0.regularFile != nil
            }
        } catch { throw failure(error, at: .at(path)) }
    }

    package static func failure(_ failure: ReadFailure, at place: PinPlace) -> Problem {
        switch failure {
        case .unnamed, .absent: Problem(.missingFile, at: place, "there is no such file")
        case .wrongKind(.directory): Problem(.notARegularFile, at: place, "is a directory", "name a file in it")
        case .wrongKind:
            Problem(
                .notARegularFile, at: place, "is a pipe, a socket or a device and not a file",
                "save what it gives to a file first")
        case .tooLarge(let limit):
            Problem(.tooLarge, at: place, "has more than \(limit >> 20) MiB, the most that is read of a file")
        case .silent: Problem(.notARegularFile, at: place, "gives nothing to read, as a device may")
        case .withoutWriter: Problem(.unreadable, at: place, "is a pipe without a writer")
        case .system(let code): Problem(.unreadable, at: place, "cannot be read: \(SystemError.message(of: code))")
        }
    }
}

extension BoundedFile {
    /// The most bytes of one file: far more than a bundle of certificates, far less than memory.
    private static let limit = 64 * 1024 * 1024

    package static func contents(ofFile path: String) throws(Problem) -> [UInt8] {
        try reading(quoted(path)) { () throws(ReadFailure) in try bytes(at: path, limit: limit, accepting: .anything) }
    }

    package static func contents(ofDescriptor descriptor: Int32, name: String) throws(Problem) -> [UInt8] {
        try reading(name) { () throws(ReadFailure) in try bytes(from: descriptor, limit: limit) }
    }

    private static func reading(_ name: String, _ read: () throws(ReadFailure) -> [UInt8]) throws(Problem) -> [UInt8] {
        do { return try read() } catch {
            let failure = RegularFile.failure(error, at: .file(name))
            throw Problem(failure.kind, "\(name): \(failure.reason)")
        }
    }
}
