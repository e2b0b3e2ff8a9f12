package import Base

/// Why pin data could not be used.
///
/// Never a verdict: wrong data says nothing about a server.
package struct PinFormatError: Error, Sendable, Hashable {
    /// Which exit status the error ends in.
    package enum Kind: Sendable, Hashable {
        /// The data is there and is wrong (exit status 65).
        case malformed
        /// The data is not there or cannot be read (exit status 66).
        case missing
    }

    package let kind: Kind
    /// What is wrong, as a stable word for machines.
    package let problem: PinProblem
    package let place: PinPlace
    /// What is wrong, in words; text from outside in it is escaped.
    package let reason: String
    /// What it probably should be, or what to do about it.
    package let remedy: String?
    package let lines: [String]

    package init(
        _ problem: PinProblem, at place: PinPlace, _ reason: String, remedy: String? = nil, lines: [String] = []
    ) {
        self.lines = lines.map(TerminalText.escaped)
        self.kind = problem.isAbsence ? .missing : .malformed
        (self.problem, self.place) = (problem, place)
        self.reason = TerminalText.escaped(reason)
        self.remedy = remedy.map(TerminalText.escaped)
    }
}

extension PinFormatError: CustomStringConvertible {
    /// One line: the place, what is wrong, the remedy.
    package var description: String {
        // What is no file's name and no pin may be anything, a line of a key as well.
        let place = problem == .missingFile ? KeyMaterial.cut(place.description) : place.description
        return "\(place): \(KeyMaterial.cut(reason))" + (remedy.map { "; \($0)" } ?? "")
    }

    /// The description, and below it the lines to paste.
    package var message: SafeText {
        lines.isEmpty ? "\(self)" : .lines(["\(self); these were understood:"] + lines.map { "\($0)" })
    }
}

extension PinFormatError {
    /// What there is to say of a header that pins.
    static func responseHeader(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .notation, at: place, "is the header of a response, and no browser enforces its pins any more",
            remedy: "give its pins alone: pin-sha256=\"…\"")
    }

    /// What there is to say of PKCS #7.
    static func signedData(at place: PinPlace, _ word: String, isPEM: Bool) -> PinFormatError {
        PinFormatError(
            .otherKind, at: place, "PKCS #7, which is not read",
            remedy:
                "take its certificates: openssl pkcs7 -print_certs \(isPEM ? "" : "-inform der ")-in \(word) -out certificates.pem"
        )
    }
}

/// Where pin data stands.
///
/// The paths are no longer than messages can bear.
package enum PinPlace: Sendable, Hashable, CustomStringConvertible {
    /// The value of `--pins` itself.
    case option
    /// The value of `--pinnedpubkey`.
    case pinnedPublicKey
    case file(String)
    /// A line of a file, from 1.
    case line(Int, of: String)
    /// A value in a file without lines, by the keys that lead to it.
    case key(String, of: String)

    /// The file or directory, `nil` for an option.
    package var path: String? {
        switch self {
        case .option, .pinnedPublicKey: nil
        case .file(let path), .line(_, let path), .key(_, let path): path
        }
    }

    /// A message behind the place, or as it is where it begins with a place in the same file.
    package func before(_ message: SafeText) -> SafeText {
        let isPlaced = path.map { message.description.hasPrefix(TerminalText.escaped($0) + ":") } ?? false
        return isPlaced ? message : "\(self): \(message)"
    }

    /// The place of the file at `path`, or of a line of it.
    package static func at(_ path: String, line: Int? = nil) -> PinPlace {
        let path = path.utf8.count > 1024 ? shortened(path, to: 1024, isPublic: true) : path
        return line.map { .line($0, of: path) } ?? .file(path)
    }

    /// As people write it: `--pins`, `pins.txt`, `pins.txt:3`; names are escaped.
    package var description: String {
        switch self {
        case .option: "--pins"
        case .pinnedPublicKey: "--pinnedpubkey"
        case .file(let path): TerminalText.escaped(path)
        case .line(let line, let path): TerminalText.escaped("\(path):\(line)")
        case .key(let key, let path): TerminalText.escaped("\(path): \(key)")
        }
    }
}

extension PinPlace {
    /// The place that ``description`` gives as `origin`, in a source whose name it begins with when that is a file.
    init(origin: String, source: String) {
        guard origin != PinPlace.option.description else {
            self = .option
            return
        }
        // Separators in the name that the user gave separate nothing.
        let known = origin.hasPrefix(source) ? source.endIndex.utf16Offset(in: source) : 0
        let rest = origin[String.Index(utf16Offset: known, in: origin)...]
        if let colon = rest.lastIndex(of: ":"), let line = Int(rest[rest.index(after: colon)...]) {
            self = .line(line, of: String(origin[..<colon]))
        } else if let colon = rest.firstIndex(of: ":"), rest[rest.index(after: colon)...].hasPrefix(" ") {
            self = .key(String(rest[colon...].dropFirst(2)), of: String(origin[..<colon]))
        } else {
            self = .file(origin)
        }
    }
}
