import Base
import Pinning
import X509

/// Texts that people paste in place of pins.
enum PastedText {
    private static let heading = "Pinned certificates for "

    /// The problem of the text of OkHttp's exception, with the app's pins.
    ///
    /// The server's pins, which are above them in the text, must not be proposed: with them every server would pass.
    static func okHttpFailure(_ text: String, at place: PinPlace) -> Problem? {
        guard text.holds("Certificate pinning failure!") else { return nil }
        let lines = text.split(whereSeparator: \.isNewline).map { Substring($0).trimmingWhitespace() }
        let start = lines.firstIndex { $0.hasPrefix(heading) }
        let host = start.map { lines[$0].dropFirst(heading.count).prefix { $0 != ":" } } ?? ""
        let pins = start.map { lines[($0 + 1)...].prefix { $0.hasPrefix("sha256/") } } ?? []
        let hosts = try? HostText.okHttpPattern(host, at: place)
        let own = pins.prefix(HostEntry.mostPins).compactMap { try? HashText.okHttp($0, at: place).spkiSHA256 }
        return Problem(
            .notation, at: place, "is OkHttp's failure message",
            "the app's pins stand below '\(heading)\(shortened(host, to: 80))'",
            lines: hosts.map { hosts in own.map { "\(hosts) \($0)" } } ?? [])
    }

    /// The problem of a TLSA record in the notation of zone files or `dig`; no app compares one.
    static func tlsaRecord(_ line: Substring, at place: PinPlace) -> Problem? {
        let words = line.split { $0.isWhitespace || $0 == "(" || $0 == ")" }
        let type = words.firstIndex { ["TLSA", "TYPE52"].contains($0.uppercased()) }
        let data = words[(type.map { $0 + 1 } ?? 0)...]
        // The numbers in use are 0 to 3 and 255 (RFC 7218); two digits begin a fingerprint in pairs.
        let isNumbered = data.prefix(3).allSatisfy {
            [1, 3].contains($0.utf8.count) && $0.utf8.allSatisfy { $0.isDigit }
        }
        let digits = data.dropFirst(3).reduce("") { $0 + $1 }
        guard
            type == nil
                ? isNumbered && !digits.isEmpty && digits.utf8.allSatisfy(PinString.isHexDigit)
                : isNumbered || data.first == "\\#"
        else { return nil }
        // Selector 1 and matching type 1 mean the SHA-256 of a key (RFC 6698, 2.1).
        let isOfKey = data.count > 2 && data.dropFirst().prefix(2).allSatisfy { Int($0) == 1 }
        let digest = isOfKey ? SHA256Digest(hexadecimal: digits) : nil
        return Problem(
            .notation, at: place, "a TLSA record is no pin that an app compares",
            "give the key's hash, sha256/\(digest?.base64 ?? "…")")
    }
}
