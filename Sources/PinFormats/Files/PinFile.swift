internal import Base

/// A file that was read, as the formats look at it.
package struct PinFile {
    package let path: String
    package let bytes: [UInt8]
    /// The contents as text, `nil` when they are not: not UTF-8, or with control characters no text file has.
    let text: String?
    /// Whether the path goes through an archive, so that no command can name the file.
    let isInArchive: Bool

    package init(path: String, bytes: [UInt8], isInArchive: Bool = false) {
        self.path = path
        self.isInArchive = isInArchive
        self.bytes = bytes
        let contents = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let isPlain = contents.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        text = isPlain ? String(validating: contents, as: UTF8.self) : nil
    }

    /// The place of the whole file.
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

    /// The path as a word of a shell command.
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
    package static func load(_ path: String, mayBePipe: Bool = false) throws(PinFormatError) -> PinFile {
        let file = PinFile(path: path, bytes: try RegularFile.contents(of: path, mayBePipe: mayBePipe))
        try PrivateKeyGuard.refusePrivateKeys(in: file)
        return file
    }
}
