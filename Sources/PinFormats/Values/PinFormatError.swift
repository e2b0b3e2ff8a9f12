package import Base
package import Pinning

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
    package let problem: FindingID
    package let place: PinPlace
    /// What is wrong, in words; text from outside in it is escaped.
    package let reason: String
    /// What it probably should be, or what to do about it.
    package let remedy: String?
    package let lines: [String]

    package init(
        _ problem: FindingID, at place: PinPlace, _ reason: String, remedy: String? = nil, lines: [String] = []
    ) {
        self.lines = lines.map(TerminalText.escaped)
        self.kind = problem.isMissing ? .missing : .malformed
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
