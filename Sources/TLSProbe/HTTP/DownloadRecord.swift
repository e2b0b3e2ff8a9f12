import Base

/// The record of an unfinished document: its source, its version, and the hash of the pins that accepted its server.
package struct DownloadRecord: Hashable {
    /// The URL of the request, before any redirect.
    package let url: String
    /// The strong entity tag (RFC 9110, 8.8.3); `nil` if there is none, or the bytes are not those of the document.
    package var entityTag: String?
    /// The length in bytes; `nil` if the server does not send it.
    package var total: Int?
    package var acceptance: String?
}

extension DownloadRecord {
    package init(_ head: HTTPResponse, url: String, acceptance: String?) {
        (self.url, self.acceptance) = (url, acceptance)
        total = head.value(of: "Content-Length").flatMap(Self.length)
        // A range would count bytes of the encoded form.
        entityTag = head.contentCoding == nil ? head.value(of: "ETag").flatMap(Self.strong) : nil
    }

    /// `true` if a range of the same version can be requested from a server that the same pins accept.
    package var isResumable: Bool { entityTag != nil && acceptance != nil }

    /// `true` if the response is certainly of this version: its only entity tag is equal (RFC 9110, 15.3.7.3).
    package func isOf(_ head: HTTPResponse) -> Bool {
        guard let entityTag, head.fields.count(where: { $0.isNamed("ETag") }) == 1 else { return false }
        return head.value(of: "ETag") == entityTag
    }

    private static func strong(_ text: String) -> String? {
        let isStrong = (2...1_024).contains(text.utf8.count) && text.hasPrefix("\"") && text.hasSuffix("\"")
        return isStrong && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
    }

    private static func length(_ text: String) -> Int? { Int(text).flatMap { $0 >= 0 ? $0 : nil } }

    private static let opening = "pincheck download 1"

    package var bytes: [UInt8] {
        let lines = [
            Self.opening, "url \(url)", entityTag.map { "etag \($0)" }, total.map { "length \($0)" },
            acceptance.map { "accepted-by \($0)" },
        ]
        return (lines.compactMap(\.self).joined(separator: "\n") + "\n").bytes
    }

    package init?(bytes: [UInt8]) {
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
    package var contentCoding: String? {
        let codings = fields.filter { $0.isNamed("Content-Encoding") }.map(\.value)
        return codings.first { !["", "identity"].contains($0.lowercased()) }
    }
}

/// The part of a document in a response (Content-Range; RFC 9110, 14.4).
package struct ContentRange: Hashable {
    /// The first and last byte; `nil` if the server has none of the requested bytes.
    package let bytes: ClosedRange<Int>?
    /// The bytes of the whole document; `nil` if the server does not say it.
    package let total: Int?

    /// Reads `bytes 100-199/1000`, `bytes 100-199/*` or `bytes */1000`; `nil` if the text is anything else.
    package init?(_ text: String) {
        let parts = text.parts(at: " ")
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].parts(at: "/")
        guard halves.count == 2 else { return nil }
        let ends = halves[0].parts(at: "-").map(Self.number)
        if ends.count == 2, let first = ends[0], let last = ends[1], first <= last {
            bytes = first...last
        } else {
            bytes = nil
        }
        total = Self.number(halves[1])
        guard bytes != nil || halves[0] == "*" && total != nil, total != nil || halves[1] == "*",
            bytes?.last ?? -1 < total ?? .max
        else { return nil }
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text)
    }
}
