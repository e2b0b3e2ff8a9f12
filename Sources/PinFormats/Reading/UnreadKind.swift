import Base
import Pinning

/// A kind of file that is not read although people have pins in it, with the words and the remedy.
///
/// The name of a file only chooses the words; its contents decide if it is read.
struct UnreadKind {
    /// The full names and the extensions of such files.
    let names: Set<String>
    let reason: String
    let remedy: String

    private static let lines = "give a list with lines such as: host sha256/…"
    private static let files =
        "give the configuration or the .cer files that the app ships, or a list with lines such as: host sha256/…"
    private static let curl = "give the value of its option: --pinnedpubkey 'sha256//…'"

    private init(_ names: String, _ reason: String, _ remedy: String) {
        (self.names, self.reason, self.remedy) = (Set(names.split(separator: " ").map(String.init)), reason, remedy)
    }

    /// The number of rows for source code, which are first in ``all``.
    private static let programs = 5

    static let all = [
        UnreadKind(
            "kt kts java scala groovy gradle", "is source that builds no CertificatePinner, and is not read",
            "give the file with CertificatePinner.Builder().add(\"host\", \"sha256/…\").build(), or a list with lines such "
                + "as: host sha256/…"),
        UnreadKind("swift m mm h", "is Swift or Objective-C, which is not read", files),
        UnreadKind("dart", "is Dart, which is not read", files),
        UnreadKind(
            "js jsx ts tsx mjs cjs jsbundle", "is JavaScript, which is not read",
            "give the options of react-native-ssl-public-key-pinning as JSON, or a list with lines such as: host sha256/…"
        ),
        UnreadKind("py go rb php cs rs c cc cpp", "is a program's source, which is not read", lines),
        UnreadKind("sh bash zsh fish ksh", "is a shell script, which is not read", curl),
        UnreadKind("Makefile makefile GNUmakefile mk make", "is a makefile, which is not read", curl),
        UnreadKind("ps1 psm1 bat cmd", "is a script of Windows, which is not read", curl),
        UnreadKind(".curlrc _curlrc curlrc", "is curl's configuration, which is not read", curl),
        UnreadKind(
            "yml yaml", "is YAML, which is not read", "a policy is JSON5, and pins are lines such as: host sha256/…"),
        UnreadKind("toml Dockerfile crontab", "is a configuration that no client of pins has", lines),
        UnreadKind(
            "zone db", "is a zone, of which no app compares a record",
            "give the key's hash, sha256/…, to the app's client"),
    ]

    init?(named file: PinFile) {
        let names = [String(file.name), file.fileExtension]
        guard let known = Self.all.first(where: { !$0.names.isDisjoint(with: names) }) else { return nil }
        self = known
    }

    static let pinners = [
        "CertificatePinner.Builder", "TSKPublicKeyHashes", "NSPinnedDomains", "ServerTrustManager(",
        "PinnedCertificatesTrustEvaluator", "PublicKeysTrustEvaluator", "AFSSLPinningMode", "addPublicKeyPins",
    ].map(\.bytes)

    private static let mostHashes = 50

    /// The problem and the hashes of an unread file in a directory, after `problem`; `nil` if it does not concern pins.
    static func pins(in file: PinFile, after problem: Problem) -> (Problem, [Pin])? {
        guard let text = file.text else { return nil }
        var (pins, first): ([Pin], Int?) = ([], nil)
        let isSource = OkHttpSource.isFound(in: file)
        let words = isSource || isProgram(file) ? pinners : []
        let rows = text.utf8.split(omittingEmptySubsequences: false) { $0 == "\n" }
        for (number, row) in zip(1..., rows) {
            let (bytes, place) = (Array(row), file.place(line: number))
            for digest in CodePins.hashes(in: bytes) where pins.count < mostHashes {
                pins.append(Pin(.publicKey(digest), at: place))
            }
            if first == nil, words.contains(where: bytes.holds) || pins.last?.place == place { first = number }
        }
        guard first != nil || isKey(in: file, text) else { return nil }
        let line = first.map { isSource ? problem.place?.line ?? $0 : $0 } ?? 1
        let reason = "\(problem.reason): the pins in it are not read"
        let unread = file.problem(.pinsNotRead, line: line, reason, lines)
        return (unread.listing(problem.lines), pins)
    }

    private static func isProgram(_ file: PinFile) -> Bool {
        all.prefix(programs).contains { $0.names.contains(file.fileExtension) }
    }

    /// `true` if a word of pinning is a key or an element of the document; in other text it may be an example.
    private static func isKey(in file: PinFile, _ text: String) -> Bool {
        let words = ["NSPinnedDomains", "TSKPinnedDomains", "TSKPublicKeyHashes", "publicKeyHashes", "pin-set"]
        if let root = try? JSONReader.root(of: file) { return root.hasKey(among: Set(words)) }
        return words.contains { text.contains("<\($0)") }
    }

    private static let app = "give the app: its .apk, .aab or .ipa"

    /// Binary formats in which people look for pins, by their first bytes.
    private static let binaryKinds: [(starts: [[UInt8]], name: String, remedy: String)] = [
        (
            [[0x03, 0x00, 0x08, 0x00]], "XML in Android's binary form, which is read within its app alone",
            "name the .apk, or the directory that it was unpacked to"
        ),
        ([[0x02, 0x00, 0x0C, 0x00]], "a table of Android's resources", app),
        (["dex\n".bytes], "Android code (DEX)", app),
        ([[0x7F, 0x45, 0x4C, 0x46]], "a program or its library (ELF)", app),
        (
            [[0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE]],
            "a program of Apple's systems (Mach-O)", app
        ),
        ([[0xC6, 0x1F, 0xBC, 0x03]], "JavaScript as Hermes runs it", app),
        ([[0xFE, 0xED, 0xFE, 0xED]], "a Java keystore (JKS)", keytool),
        ([[0, 0, 0, 1, 0, 0, 0, 0x14], [0, 0, 0, 2, 0, 0, 0, 0x14]], "a Java keystore (BKS)", keytool),
    ]
    private static let keytool = "export its certificates: keytool -exportcert -rfc -keystore FILE -alias NAME"

    static func refusal(of file: PinFile) -> Problem {
        guard let text = file.text, !file.bytes.isEmpty else {
            return file.problem(.empty, "the file is empty")
        }
        guard file.bytes.count <= PinLines.mostBytes else {
            let size = "text of more than \(PinLines.mostBytes >> 20) MiB without a certificate"
            return file.problem(.tooLarge, "\(size), no list of pins is that large")
        }
        if text.hasPrefix("HTTP/") { return .responseHeader(at: file.place(line: 1)) }
        var found: Problem?
        PinLines.each(of: file) { line in
            found = PastedText.tlsaRecord(line.text, at: line.place)
            if found == nil, line.text.holds("pinnedpubkey") {
                found = Problem(
                    .notation, at: line.place,
                    "curl's option stands in a script or configuration here, which is not read", curl)
            }
            return found == nil
        }
        if let found { return found }
        if let kind = UnreadKind(named: file) { return kind.error(at: file.place).listing(CodePins.lines(in: file)) }
        if text.hasPrefix("#!") {
            return file.problem(.notation, "is a script, which is not read", curl)
        }
        return noPin(in: file)
    }

    private static func noPin(in file: PinFile) -> Problem {
        var error = Problem.noPin(at: file.place)
        PinLines.each(of: file) { line in
            guard line.holdsPin else {
                error = line.placeholder ?? error
                return true
            }
            error = Problem(
                .notation, at: line.place, "a pin stands here in a form that is not read",
                "write a list with lines such as: api.example.com sha256/…")
            return false
        }
        return error
    }

    /// The problem of a list whose file has the name of another kind: one sentence in place of one for each word.
    static func refusal(of file: PinFile, after error: Problem) -> Problem? {
        error.id == .privateKey ? nil : UnreadKind(named: file)?.error(at: error.place ?? file.place)
    }

    func error(at place: PinPlace) -> Problem { Problem(.notation, at: place, reason, remedy) }

    static func refusal(ofJSON file: PinFile) -> Problem {
        func refuse(_ reason: String) -> Problem { file.problem(.notation, reason, lines) }
        guard let root = try? JSONReader.root(of: file) else { return noPin(in: file) }
        if root["sha256Keys"] != nil {
            return refuse("is react-native-ssl-manager's ssl_config.json, which is not read")
        }
        if root["domains"]?.members?.contains(where: { $0.node["hashes"] != nil }) == true {
            return refuse("is JSON with hashes of domains, which no client reads")
        }
        if root["schema"]?.string?.hasPrefix("pincheck-") == true {
            return refuse("is a report of pincheck's, which is not read as pins")
        }
        if let (key, node) = root.members?.first(where: { $0.node.elements?.isEmpty == true }) {
            return node.problem(
                .missingValue, "'\(shortened(key, to: 80))' is an empty list: no pin is in it",
                "list its pins, or leave it out")
        }
        return noPin(in: file)
    }

    static func refusal(ofBinary file: PinFile) -> Problem {
        if file.bytes.starts(with: [0x1F, 0x8B]) {
            return file.problem(.otherKind, "is compressed with gzip", "unpack it: gunzip -k \(file.shellWord)")
        }
        if file.bytes.starts(with: [0xFF, 0xFE]) || file.bytes.starts(with: [0xFE, 0xFF]) {
            return file.problem(.textEncoding, "text in UTF-16", "save it as UTF-8")
        }
        if let kind = binaryKinds.first(where: { $0.starts.contains(where: file.bytes.starts) }) {
            let refusal = file.problem(.otherKind, "is \(kind.name)", kind.remedy)
            return refusal.listing(CodePins.lines(in: file))
        }
        if PinFile(path: file.path, bytes: file.bytes.filter { $0 < 0x80 }).text != nil {
            return file.problem(.textEncoding, "text that is not UTF-8", "save it as UTF-8")
        }
        return file.problem(
            .binaryJunk, "binary data that is neither a certificate nor a public key",
            "a certificate in DER begins with the bytes 30 82")
    }
}
