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

    /// Which exit status the error ends in.
    package let kind: Kind
    /// What is wrong, as a stable word for machines.
    package let problem: PinProblem
    /// Where.
    package let place: PinPlace
    /// What is wrong, in words; text from outside in it is escaped.
    package let reason: String
    /// What it probably should be, or what to do about it.
    package let remedy: String?
    /// Lines to look at and paste.
    package let lines: [String]

    package init(
        _ problem: PinProblem, at place: PinPlace, _ reason: String, remedy: String? = nil, lines: [String] = []
    ) {
        self.lines = lines.map(TerminalText.escaped)
        self.kind = problem.isAbsence ? .missing : .malformed
        self.problem = problem
        self.place = place
        self.reason = TerminalText.escaped(reason)
        self.remedy = remedy.map(TerminalText.escaped)
    }
}

extension PinFormatError: CustomStringConvertible {
    /// One line: the place, what is wrong, the remedy.
    package var description: String {
        // What is no file's name may be anything, a line of a key as well.
        let place = problem == .missingFile ? KeyMaterial.hidden(in: place.description) : place.description
        return "\(place): \(reason)" + (remedy.map { "; \($0)" } ?? "")
    }

    /// The description, and below it the lines to paste.
    package var message: SafeText { .lines(["\(self)"] + lines.map { "\($0)" }) }
}

/// Where pin data stands.
///
/// The paths are no longer than messages can bear.
package enum PinPlace: Sendable, Hashable, CustomStringConvertible {
    /// The value of `--pins` itself.
    case option
    /// The value of `--pinnedpubkey`.
    case pinnedPublicKey
    /// A file or directory.
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

/// What can be wrong with pin data, as stable words.
package enum PinProblem: String, Sendable, Hashable, CaseIterable {
    /// There is no such file, and the text is no pin either.
    case missingFile = "missing-file"
    /// The file or directory cannot be read.
    case unreadable = "unreadable"
    /// A pipe, a device or a socket: reading it could last for ever.
    case notARegularFile = "not-a-regular-file"
    /// A directory with no file in it that holds a pin.
    case noPinsInDirectory = "no-pins-in-directory"
    /// The path or the text holds a NUL character.
    case nulCharacter = "nul-character"
    /// No text, or a file of no bytes.
    case empty = "empty"
    /// A file larger than any pin file.
    case tooLarge = "too-large"
    /// A private key, which is never a pin.
    case privateKey = "private-key"
    /// An encrypted file in an archive.
    case encrypted = "encrypted"
    /// An archive where there is no library to read it.
    case noArchiveLibrary = "no-archive-library"
    /// Binary data that is neither a certificate nor a key.
    case binaryJunk = "binary-junk"
    /// Text in an encoding other than UTF-8.
    case textEncoding = "text-encoding"
    /// DER that ends early or goes on after its end.
    case wrongExtent = "wrong-extent"
    /// DER or PEM that says it is a certificate and is none.
    case brokenCertificate = "broken-certificate"
    /// DER or PEM that says it is a public key and is none.
    case brokenPublicKey = "broken-public-key"
    /// PEM text with broken framing or base64.
    case brokenPEM = "broken-pem"
    /// Something of the trade that holds no pin as it is: a request, a CRL, PKCS #7.
    case otherKind = "other-kind"
    /// A file named `.cer` that is not one DER certificate.
    case cerNotDER = "cer-not-der"
    /// Text in which nothing is a pin.
    case notAPin = "not-a-pin"
    /// A hash of another length than SHA-256's.
    case wrongLength = "wrong-length"
    /// A hash of another algorithm.
    case wrongAlgorithm = "wrong-algorithm"
    /// The alphabet of base64url.
    case base64URL = "base64url"
    /// Base64 without its padding, or with too much of it.
    case padding = "padding"
    /// A character outside the base64 alphabet.
    case badCharacter = "bad-character"
    /// Bits set after the end of the hash: the last character is mistyped.
    case trailingBits = "trailing-bits"
    /// White space within a pin.
    case whitespace = "whitespace"
    /// One slash where the notation has two, or two where it has one.
    case slashes = "slashes"
    /// A notation almost as it is written: other case, a colon for the slash.
    case notation = "notation"
    /// The SHA-256 of no bytes at all.
    case hashOfNothing = "hash-of-nothing"
    /// Hexadecimal digits, which may be a certificate's fingerprint.
    case hexadecimal = "hexadecimal"
    /// The base64 of a certificate or key where its hash should stand.
    case pemBody = "pem-body"
    /// XML, JSON or a property list that cannot be read to its end.
    case brokenDocument = "broken-document"
    /// A document with more elements, more depth or more cleverness than a configuration has.
    case unreasonableDocument = "unreasonable-document"
    /// A value of another type than belongs there, or an element in the wrong place.
    case wrongValue = "wrong-value"
    /// Something is missing that the client needs.
    case missingValue = "missing-value"
    /// A key that the form does not have.
    case unknownKey = "unknown-key"
    /// A host name or pattern that is none.
    case badHost = "bad-host"
    /// A host or pin set that is given twice.
    case duplicate = "duplicate"
    /// A date that is none.
    case badDate = "bad-date"
    /// A domain of TrustKit's with fewer different pins than it asks for when the app starts.
    case trustKitTooFewPins = "trustkit-too-few-pins"
    /// A domain of TrustKit's without a registered suffix.
    case trustKitNoRegisteredSuffix = "trustkit-no-registered-suffix"
    /// A public suffix whose subdomains TrustKit is told to include.
    case trustKitPublicSuffix = "trustkit-public-suffix"
    /// kSKExcludeSubdomainFromParentPolicy beside other keys.
    case trustKitExclusionNotAlone = "trustkit-exclusion-not-alone"
    /// kSKExcludeSubdomainFromParentPolicy below no domain that includes its subdomains.
    case trustKitExclusionWithoutParent = "trustkit-exclusion-without-parent"
    /// A policy without a host, which leaves nothing to check.
    case noHosts = "no-hosts"

    /// Whether the data is absent rather than wrong.
    var isAbsence: Bool {
        switch self {
        case .missingFile, .unreadable, .notARegularFile, .noPinsInDirectory, .noHosts: true
        default: false
        }
    }
}
