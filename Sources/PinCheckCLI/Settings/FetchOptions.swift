import Base
import PinChecking
import Pinning
import TLSProbe

/// Where a document goes, and how it may come.
extension OptionGroup {
    static let document = OptionGroup(
        title: "Document",
        options: [
            Option(
                "--output", "-o", of: "file", .written, help: "Write the document to this file.",
                "It is there once it is whole; '-' is standard output, the default."
            ) { $0.outputs = [$1.text] },
            Option("--remote-name", "-O", help: "Name the file as the URL does, in this directory.") { settings, _ in
                settings.fetch.namesFileAsURL = true
            },
            .whole(
                "--max-redirs", of: "n", 0...1_000, help: "Follow so many redirects (default: 10).",
                "Each is judged by the pins for its host, and leads to no host without."
            ) { $0.fetch.mostRedirects = $1 },
            Option("--sha256", of: "hash", help: "Refuse a document with another SHA-256.") {
                $0.fetch.sha256 = try hash($1.text)
            },
            Option("--quiet", "-q", help: "Say nothing of what goes well, and show no progress.") { settings, _ in
                settings.isQuiet = true
            }, explain, .color,
        ])

    /// The names, where other headers than that of the host are sent.
    static let namesAndHeaders = OptionGroup(
        title: names.title,
        options: names.options.dropLast() + [
            Option(
                "--header", of: "header", help: "Send this header, as in 'Host: NAME'.", "That of the host is --host.",
                isRepeatable: true
            ) {
                if let host = Settings.host(inHeader: $1.text) { return try $0.setHost(host) }
                $0.fetch.fields.append(try field($1.text))
            }
        ])

    private static func field(_ line: String) throws -> HTTPField {
        guard let field = HTTPField(line: line) else {
            throw CommandError.usage(
                "the header \(Settings.shown(header: line)) is none: write 'Name: value', in one line without control characters"
            )
        }
        let own = [
            "connection", "content-length", "transfer-encoding", "range", "if-range", "accept-encoding", "te",
            "upgrade",
        ]
        guard !own.contains(field.name.lowercased()) else {
            throw CommandError.usage("the header \(quoted(field.name)) is pincheck's own: leave it out")
        }
        return field
    }

    private static func hash(_ text: String) throws -> SHA256Digest {
        let digits = Array(text.utf8)
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count - 1, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start...start + 1], as: UTF8.self), radix: 16) else { break }
            bytes.append(byte)
        }
        guard digits.count == 64, !digits.contains(UInt8(ascii: "+")), let digest = SHA256Digest(bytes: bytes) else {
            throw CommandError.usage(
                "\(quoted(text)) is no SHA-256: give 64 hexadecimal digits, as sha256sum prints them")
        }
        return digest
    }
}
