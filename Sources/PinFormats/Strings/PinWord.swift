internal import Base

/// One word of text that should be a pin, with its place and the decision whether messages may show it.
struct PinWord {
    /// The longest text a message shows.
    ///
    /// A pin in any notation is shorter.
    static let longestShown = 60
    /// SHA-256 as pairs of hexadecimal digits with colons between them.
    static let longestFingerprint = 95
    static let howToMakeAPin =
        "make the pin from the certificate: openssl x509 -in FILE -noout -pubkey"
        + " | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64"

    let text: Substring
    let place: PinPlace
    /// Whether the text may be shown though it does not say that it is a pin.
    ///
    /// Never a line of a file, and nothing that stands
    /// beside text too long to be a pin: either could be a piece of a private key.
    let mayBeShown: Bool

    private var isShown: Bool { Self.isShort(text) && (mayBeShown || PinNotation.isClaimed(by: text)) }

    /// An error about this word; `predicate` goes on from its name.
    func error(_ problem: PinProblem, _ predicate: String, remedy: String? = nil) -> PinFormatError {
        let name = isShown ? "'\(shortened(text, isPublic: true))'" : "the text (\(text.count) characters)"
        return PinFormatError(problem, at: place, "\(name) \(predicate)", remedy: remedy)
    }

    /// Whether `text` is no longer than a pin or a fingerprint.
    static func isShort(_ text: Substring) -> Bool {
        let count = text.utf8.count
        return count <= longestShown || count <= longestFingerprint && text.utf8.allSatisfy(PinNotation.isFingerprint)
    }

    /// A remedy that shows the hash as it should be, where the word may be shown.
    func rewritten(_ base64: String?) -> String? {
        guard isShown, let base64 else { return nil }
        if HPKPHeader.isClaimed(by: text) { return "write pin-sha256=\"\(base64)\"" }
        guard let notation = PinNotation(text) else { return "write \(base64)" }
        return "write sha256\(notation.separator == .twoSlashes ? "//" : "/")\(base64)"
    }
}
