internal import Base
internal import Pinning

/// Files in which people have pins and which are not read: what they are, and what to give instead.
///
/// A name chooses such a sentence alone: whether a file is read depends on what is in it.
struct UnreadKind {
    /// The names in full, and what stands behind the last point of a name.
    let names: Set<String>
    let reason: String
    let remedy: String

    private static let lines = "give a list with lines such as: host sha256/…"
    private static let files =
        "give the configuration or the .cer files that the app ships, or a list with lines such as: host sha256/…"
    private static let curl = "give the value of its option: --pinnedpubkey 'sha256//…'"

    private init(_ names: Set<String>, _ reason: String, _ remedy: String) {
        (self.names, self.reason, self.remedy) = (names, reason, remedy)
    }

    static let all = [
        UnreadKind(
            ["kt", "kts", "java", "scala", "groovy", "gradle"],
            "is source that builds no CertificatePinner, and is not read",
            "give the file with CertificatePinner.Builder().add(\"host\", \"sha256/…\").build(), or a list with lines such as: "
                + "host sha256/…"),
        UnreadKind(["swift", "m", "mm", "h"], "is Swift or Objective-C, which is not read", files),
        UnreadKind(["dart"], "is Dart, which is not read", files),
        UnreadKind(
            ["js", "jsx", "ts", "tsx", "mjs", "cjs"], "is JavaScript, which is not read",
            "give the options of react-native-ssl-public-key-pinning as JSON, or a list with lines such as: host sha256/…"
        ),
        UnreadKind(
            ["py", "go", "rb", "php", "cs", "rs", "c", "cc", "cpp"], "is a program's source, which is not read", lines),
        UnreadKind(["sh", "bash", "zsh", "fish", "ksh"], "is a shell script, which is not read", curl),
        UnreadKind(["Makefile", "makefile", "GNUmakefile", "mk", "make"], "is a makefile, which is not read", curl),
        UnreadKind(["ps1", "psm1", "bat", "cmd"], "is a script of Windows, which is not read", curl),
        UnreadKind([".curlrc", "_curlrc", "curlrc"], "is curl's configuration, which is not read", curl),
        UnreadKind(
            ["yml", "yaml", "toml", "Dockerfile", "crontab"], "is a configuration that no client of pins has", lines),
        UnreadKind(
            ["zone", "db"], "is a zone, of which no app compares a record",
            "give the key's hash, sha256/…, to the app's client"),
    ]

    /// The kind that a file's name says, `nil` for any other.
    init?(named file: PinFile) {
        let known = Self.all.first { $0.names.contains(String(file.name)) || $0.names.contains(file.fileExtension) }
        guard let known else { return nil }
        self = known
    }

    // MARK: Refusals

    /// What there is to say of text in which nothing is a pin.
    static func refusal(of file: PinFile) -> Problem {
        guard let text = file.text, !file.bytes.isEmpty else {
            return Problem(.empty, at: file.place, "the file is empty")
        }
        guard file.bytes.count <= PinLines.mostBytes else {
            return Problem(
                .tooLarge, at: file.place,
                "text of more than \(PinLines.mostBytes >> 20) MiB without a certificate, no list of pins is that large"
            )
        }
        if text.hasPrefix("HTTP/") { return .responseHeader(at: file.place(line: 1)) }
        var found: Problem?
        PinLines.each(of: file) { line in
            found = TLSAText.refusal(line.text, at: line.place)
            if found == nil, line.text.holds("pinnedpubkey") {
                found = Problem(
                    .notation, at: line.place,
                    "curl's option stands in a script or configuration here, which is not read", remedy: curl)
            }
            return found == nil
        }
        if let found { return found }
        if let kind = UnreadKind(named: file) { return kind.error(at: file.place) }
        if text.hasPrefix("#!") {
            return Problem(.notation, at: file.place, "is a script, which is not read", remedy: curl)
        }
        return noPin(in: file)
    }

    private static func noPin(in file: PinFile) -> Problem {
        var error = Problem.noPin(at: file.place)
        PinLines.each(of: file) { line in
            guard line.holdsPin else { return true }
            error = Problem(
                .notation, at: line.place, "a pin stands here in a form that is not read",
                remedy: "write a list with lines such as: api.example.com sha256/…")
            return false
        }
        return error
    }

    /// What there is to say of a list with a problem whose name says that it is none: one sentence, not one for each word.
    static func refusal(of file: PinFile, after error: Problem) -> Problem? {
        error.id == .privateKey ? nil : UnreadKind(named: file)?.error(at: error.place ?? file.place)
    }

    func error(at place: PinPlace) -> Problem { Problem(.notation, at: place, reason, remedy: remedy) }

    /// What there is to say of JSON in none of the forms that are read.
    static func refusal(ofJSON file: PinFile) -> Problem {
        func refuse(_ reason: String) -> Problem {
            Problem(.notation, at: file.place, reason, remedy: lines)
        }
        guard let root = try? JSONReader.root(of: file) else { return noPin(in: file) }
        if root["sha256Keys"] != nil {
            return refuse("is react-native-ssl-manager's ssl_config.json, which is not read")
        }
        if root["domains"]?.members?.contains(where: { $0.node["hashes"] != nil }) == true {
            return refuse("is JSON with hashes of domains, which no client reads")
        }
        if case .text(let schema)? = root["schema"]?.value.content, schema.hasPrefix("pincheck-") {
            return refuse("is a report of pincheck's, which is not read as pins")
        }
        if let (key, node) = root.members?.first(where: { $0.node.elements?.isEmpty == true }) {
            return Problem(
                .missingValue, at: node.place, "'\(shortened(key, to: 80))' is an empty list: no pin is in it",
                remedy: "list its pins, or leave it out")
        }
        return noPin(in: file)
    }

    /// What there is to say of data that is neither text nor a certificate or key.
    static func refusal(ofBinary file: PinFile) -> Problem {
        if file.bytes.starts(with: [0x1F, 0x8B]) {
            return Problem(
                .otherKind, at: file.place, "is compressed with gzip", remedy: "unpack it: gunzip -k \(file.shellWord)")
        }
        if file.bytes.starts(with: [0xFF, 0xFE]) || file.bytes.starts(with: [0xFE, 0xFF]) {
            return Problem(.textEncoding, at: file.place, "text in UTF-16", remedy: "save it as UTF-8")
        }
        if AndroidFile.isBinary(file.bytes) { return AndroidFile.binary(at: file.place) }
        if PinFile(path: file.path, bytes: file.bytes.filter { $0 < 0x80 }).text != nil {
            return Problem(.textEncoding, at: file.place, "text that is not UTF-8", remedy: "save it as UTF-8")
        }
        return Problem(
            .binaryJunk, at: file.place, "binary data that is neither a certificate nor a public key",
            remedy: "a certificate in DER begins with the bytes 30 82")
    }
}
