internal import Base
internal import Pinning

/// The text of the exception by which OkHttp tells of a pin that is missing: people paste it instead of the pins.
enum OkHttpFailure {
    private static let heading = "Pinned certificates for "

    /// The refusal of such a text, with the app's pins: those of the server, which stand above them, would make anything pass.
    static func refusal(of text: String, at place: PinPlace) -> Problem? {
        guard text[...].holds("Certificate pinning failure!") else { return nil }
        let lines = text.split(whereSeparator: \.isNewline).map { Substring($0).trimmingWhitespace() }
        let start = lines.firstIndex { $0.hasPrefix(heading) }
        let host = start.map { lines[$0].dropFirst(heading.count).prefix { $0 != ":" } } ?? ""
        let pins = start.map { lines[($0 + 1)...].prefix { $0.hasPrefix("sha256/") } } ?? []
        let hosts = try? HostText.okHttpPattern(host, at: place)
        let own = pins.prefix(HostEntry.mostPins).compactMap { try? HashText.okHttp($0, at: place).spkiSHA256 }
        return Problem(
            .notation, at: place, "is OkHttp's failure message",
            remedy: "the app's pins stand below '\(heading)\(shortened(host, to: 80))'",
            lines: hosts.map { hosts in own.map { "\(hosts) \($0)" } } ?? [])
    }
}
