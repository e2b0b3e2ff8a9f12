internal import Base
internal import Pinning

/// Pins as in the header `Public-Key-Pins` (RFC 7469, 2.1): `pin-sha256="…"; pin-sha256="…"; max-age=…`.
///
/// Commas and white space separate as well as semicolons do, and a value may stand without quotation marks, because a shell
/// removes them. The other directives say nothing about a server's key and are passed over; those that nobody knows are noted in a
/// header, which browsers take without them, and are mistakes in what somebody wrote for pincheck.
struct HPKPHeader {
    private static let passedOver: Set = ["max-age", "includesubdomains", "report-uri", "strict"]

    private let text: Substring
    private let place: PinPlace

    init(_ text: Substring, at place: PinPlace) {
        self.text = text
        self.place = place
    }

    /// Whether `text` has a pin directive or the header's name in it.
    static func isClaimed(by text: Substring) -> Bool {
        let text = text.lowercased()
        return text.holds("pin-sha") || text.holds("pin-md5") || text.hasPrefix("public-key-pins")
    }

    func read(into collector: inout PinCollector) throws(PinFormatError) {
        guard !text.lowercased().hasPrefix("public-key-pins") else { throw UnreadKind.responseHeader(at: place) }
        var rest = text
        var found = 0
        while let directive = try nextDirective(&rest) {
            do throws(PinFormatError) {
                guard let hash = try pin(in: directive) else { continue }
                found += 1
                collector.add(.publicKey(hash), at: place)
            } catch {
                found += 1
                try collector.skip(error)
            }
        }
        guard found > 0 else { throw PinFormatError(.notAPin, at: place, "the header has no pin-sha256 directive") }
    }

    private struct Directive {
        let name: Substring
        let value: Substring
        let text: Substring
    }

    /// The hash in `directive`, `nil` for a directive that is passed over.
    private func pin(in directive: Directive) throws(PinFormatError) -> SHA256Digest? {
        let word = PinWord(text: directive.text, place: place, mayBeShown: false)
        let name = directive.name.lowercased()
        if name == "pin-sha256" { return try HashReader.digest(directive.value, in: word) }
        if name.hasPrefix("pin-") {
            throw word.error(
                .wrongAlgorithm, "is a hash of \(shortened(name.dropFirst(4))), and only SHA-256 is compared",
                remedy: PinWord.howToMakeAPin)
        }
        if Self.passedOver.contains(name) { return nil }
        throw word.error(.notAPin, "is not a directive of a pin header", remedy: "each pin is written pin-sha256=\"…\"")
    }

    private func nextDirective(_ rest: inout Substring) throws(PinFormatError) -> Directive? {
        rest = rest.drop { PinText.isSeparator($0) }
        guard let start = rest.indices.first else { return nil }
        let name = rest.prefix { !PinText.isSeparator($0) && $0 != "=" && $0 != ":" }
        rest = rest[name.endIndex...]
        guard let separator = rest.first, separator == "=" || separator == ":" else {
            return Directive(name: name, value: "", text: name)
        }
        rest = rest.dropFirst()
        // The colon ends the header's own name.
        if separator == ":" { return Directive(name: name, value: "", text: text[start..<rest.startIndex]) }
        guard let mark = rest.first, mark == "\"" || mark == "'" else {
            let value = rest.prefix { !PinText.isSeparator($0) }
            rest = rest[value.endIndex...]
            return Directive(name: name, value: value, text: text[start..<value.endIndex])
        }
        let value = rest.dropFirst().prefix { $0 != mark }
        guard value.endIndex < rest.endIndex else {
            throw PinFormatError(
                .notation, at: place, "a quotation mark in the pin header is not closed",
                remedy: "write pin-sha256=\"…\"")
        }
        rest = rest[value.endIndex...].dropFirst()
        return Directive(name: name, value: value, text: text[start..<rest.startIndex])
    }
}
