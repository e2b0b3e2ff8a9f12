import TLSProbe

/// What is known of an unfinished document: where it is from, by what it is known again, and by what its server was accepted.
package struct DownloadRecord: Hashable, Sendable {
    /// The URL that was asked for, before any redirect.
    package let url: String
    /// The strong entity tag (RFC 9110, 8.8.3), `nil` without one.
    package let entityTag: String?
    /// When it was last modified, in the server's words; `nil` where that does not tell it from another.
    package let lastModified: String?
    /// How long it is, `nil` where the server does not say.
    package let total: Int?
    /// The hash of what its server was accepted by, in hexadecimal digits; `nil` for a server without TLS.
    package let acceptance: String?
    /// Whether a pin was why its server was accepted.
    package let isPinned: Bool

    package init(
        url: String, entityTag: String? = nil, lastModified: String? = nil, total: Int? = nil,
        acceptance: String? = nil, isPinned: Bool = false
    ) {
        self.url = url
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.total = total
        self.acceptance = acceptance
        self.isPinned = isPinned
    }

    init(_ head: TransferHead, url: String, acceptance: String? = nil, isPinned: Bool = false) {
        self.url = url
        self.acceptance = acceptance
        self.isPinned = isPinned
        total = head.value(of: "Content-Length").flatMap(Int.init).flatMap { $0 >= 0 ? $0 : nil }
        guard !head.isEncoded else {
            // Its rest would be asked for as it is.
            (entityTag, lastModified) = (nil, nil)
            return
        }
        entityTag = head.value(of: "ETag").flatMap { Self.isStrong($0) ? $0 : nil }
        // What was modified in the second it was sent may be modified again in it (RFC 9110, 8.8.2.2).
        let modified = head.value(of: "Last-Modified").flatMap { Self.isLine($0) ? $0 : nil }
        lastModified = modified.flatMap { text in head.value(of: "Date").flatMap { $0 == text ? nil : text } }
    }

    /// What a range is asked for by (If-Range, RFC 9110, 13.1.5), `nil` where nothing tells the document from another.
    package var validator: String? { entityTag ?? lastModified }

    /// Whether an answer is certainly of the same document: it says so once, by the validator that is known (RFC 9110, 15.3.7.3).
    func isOf(_ head: TransferHead) -> Bool {
        let name = entityTag == nil ? "Last-Modified" : "ETag"
        guard let validator, head.fields.count(where: { $0.isNamed(name) }) == 1 else { return false }
        return head.value(of: name) == validator
    }

    private static func isStrong(_ text: String) -> Bool {
        text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"") && isLine(text)
    }

    private static func isLine(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static let opening = "pincheck download 1"

    /// What it is written as: lines of a word and a value.
    package var bytes: [UInt8] {
        let lines = [
            Self.opening, "url \(url)", entityTag.map { "etag \($0)" }, lastModified.map { "last-modified \($0)" },
            total.map { "length \($0)" }, acceptance.map { "accepted-by \($0)" }, isPinned ? "pinned yes" : nil,
        ]
        return Array((lines.compactMap(\.self).joined(separator: "\n") + "\n").utf8)
    }

    /// Reads what it was written as; `nil` for anything else.
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
        entityTag = values["etag"].flatMap { Self.isStrong($0) ? $0 : nil }
        lastModified = values["last-modified"].flatMap { Self.isLine($0) ? $0 : nil }
        total = values["length"].flatMap(Int.init).flatMap { $0 >= 0 ? $0 : nil }
        acceptance = values["accepted-by"]
        isPinned = values["pinned"] == "yes"
    }
}

extension TransferHead {
    /// Whether the body is not the bytes of the document.
    var isEncoded: Bool {
        fields.contains { $0.isNamed("Content-Encoding") && !["", "identity"].contains($0.value.lowercased()) }
    }
}
