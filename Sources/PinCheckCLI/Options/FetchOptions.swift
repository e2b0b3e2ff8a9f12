import ArgumentParser
import Base
import PinChecking
import Pinning
import TLSProbe

/// Where a document goes, and how it may come.
struct FetchOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the document to this file.",
            discussion: "It is there once it is whole; '-' is standard output, the default for one URL.",
            valueName: "file"), completion: .file()) var output: [String] = []

    @Flag(name: [.customShort("O"), .long], help: "Name the file as the URL does, in this directory.") var remoteName =
        false

    @Option(
        help: ArgumentHelp("Go on with every interrupted download of a directory.", valueName: "directory"),
        completion: .directory) var resumeAll: String?

    @Flag(name: [.customShort("I"), .long], help: "Ask for the head alone, and show it.") var head = false

    @Option(
        help: ArgumentHelp(
            "Follow so many redirects (default: 10).", discussion: "Each is judged by the pins for its host.",
            valueName: "n")) var maxRedirs: String?

    @Flag(help: "Follow redirects to hosts without pins or TLS.") var followUnpinned = false

    @Option(help: ArgumentHelp("Refuse a document with another SHA-256.", valueName: "hash")) var sha256: String?

    @Option(
        help: ArgumentHelp(
            "Give up below so many bytes a second (default: 1).", discussion: "See --speed-time.", valueName: "bytes"))
    var speedLimit: String?

    @Option(
        help: ArgumentHelp(
            "Give up when it is slow for so long (default: 30).", discussion: "In seconds.", valueName: "seconds"))
    var speedTime: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "How the result is told: text, json or jsonl.",
            discussion: "The default is text. Beside a document on standard output it goes to standard error.",
            valueName: "form")) var format: String?

    @Flag(name: .shortAndLong, help: "Say nothing of what goes well, and show no progress.") var quiet = false

    @Flag(help: "Show every step of the decision, and pins in full.") var explain = false

    @Option(help: ColorOption.help) var color: String?
}

/// What the options of a download say.
struct FetchSettings {
    /// The forms in which the result is told.
    enum Form: String, CaseIterable { case text, json, jsonl }

    let form: Form
    let mostRedirects: Int
    let sha256: SHA256Digest?
    let patience: Transfer.Patience

    init(_ options: FetchOptions) throws(CommandError) {
        let word = options.format ?? Form.text.rawValue
        guard let form = Form(rawValue: word) else {
            throw .unknown("--format \(quoted(word))", word, among: Form.allCases.map(\.rawValue))
        }
        self.form = form
        mostRedirects = try Self.number(options.maxRedirs, "--max-redirs", 0...1_000) ?? 10
        sha256 = try options.sha256.map(Self.hash)
        let time = try Self.number(options.speedTime, "--speed-time", 1...86_400) ?? 30
        let speed = try Self.number(options.speedLimit, "--speed-limit", 1...1_000_000_000) ?? 1
        // A byte a second is asked for as a byte in all that time: a server may pause.
        patience = Transfer.Patience(bytes: options.speedLimit == nil ? 1 : speed * time, in: .seconds(time))
    }

    private static func number(
        _ text: String?, _ option: SafeText, _ range: ClosedRange<Int>
    ) throws(CommandError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number), !text.hasPrefix("+") else {
            throw .usage("\(option) \(quoted(text)) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func hash(_ text: String) throws(CommandError) -> SHA256Digest {
        let digits = Array(text.utf8)
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count - 1, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start...start + 1], as: UTF8.self), radix: 16) else { break }
            bytes.append(byte)
        }
        guard digits.count == 64, !digits.contains(UInt8(ascii: "+")), let digest = SHA256Digest(bytes: bytes) else {
            throw .usage("--sha256 \(quoted(text)) is no SHA-256: give 64 hexadecimal digits, as sha256sum prints them")
        }
        return digest
    }
}
