import TLSProbe

/// What is known of an unfinished document: where it is from, by what it is known again, and by what its server was accepted.
struct DownloadRecord: Hashable, Sendable {
    /// The URL that was asked for, before any redirect.
    let url: String
    /// The strong entity tag (RFC 9110, 8.8.3), `nil` without one and where the bytes are not those of the document.
    var entityTag: String? = nil
    /// How long it is, `nil` where the server does not say.
    var total: Int? = nil
    /// The hash of the server's host and the pins it was accepted by, in hexadecimal digits; `nil` where no pin matched.
    var acceptance: String? = nil
}

extension DownloadRecord {
    init(_ head: HTTPResponse, url: String, acceptance: String?) {
        (self.url, self.acceptance) = (url, acceptance)
        total = head.value(of: "Content-Length").flatMap(Self.length)
        // The rest of what is encoded would be asked for as it is.
        entityTag = head.contentCoding == nil ? head.value(of: "ETag").flatMap(Self.strong) : nil
    }

    /// Whether a range can be asked for, of the same document from a server that the same pins accept.
    var isResumable: Bool { entityTag != nil && acceptance != nil }

    /// Whether a response is certainly of the same document: it says so once, by the tag that is known (RFC 9110, 15.3.7.3).
    func isOf(_ head: HTTPResponse) -> Bool {
        guard let entityTag, head.fields.count(where: { $0.isNamed("ETag") }) == 1 else { return false }
        return head.value(of: "ETag") == entityTag
    }

    private static func strong(_ text: String) -> String? {
        let isStrong = (2...1_024).contains(text.utf8.count) && text.hasPrefix("\"") && text.hasSuffix("\"")
        return isStrong && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
    }

    private static func length(_ text: String) -> Int? { Int(text).flatMap { $0 >= 0 ? $0 : nil } }

    private static let opening = "pincheck download 1"

    var bytes: [UInt8] {
        let lines = [
            Self.opening, "url \(url)", entityTag.map { "etag \($0)" }, total.map { "length \($0)" },
            acceptance.map { "accepted-by \($0)" },
        ]
        return Array((lines.compactMap(\.self).joined(separator: "\n") + "\n").utf8)
    }

    /// Reads what it was written as; `nil` for anything else.
    init?(bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let lines = text.split(separator: "\n")
        guard lines.first == Self.opening[...] else { return nil }
        var values: [Substring: String] = [:]
        for line in lines.dropFirst() {
            guard let blank = line.firstIndex(of: " ") else { return nil }
            values[line[..<blank]] = String(line[line.index(after: blank)...])
        }
        guard let url = values["url"], (try? HTTPLocation(url)) != nil else { return nil }
        self.url = url
        entityTag = values["etag"].flatMap(Self.strong)
        total = values["length"].flatMap(Self.length)
        acceptance = values["accepted-by"]
    }
}

extension HTTPResponse {
    /// How the body is encoded, in the words of the server, not escaped; `nil` for not at all.
    package var contentCoding: String? {
        let codings = fields.filter { $0.isNamed("Content-Encoding") }.map(\.value)
        return codings.first { !["", "identity"].contains($0.lowercased()) }
    }
}
