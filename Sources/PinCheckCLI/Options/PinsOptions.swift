import ArgumentParser
import Base
import PinChecking
import PinFormats

/// What `pins` trusts while it verifies.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trust these certificates, not the system's roots.", discussion: "A file or a directory. Repeatable.",
            valueName: "file|dir"), completion: .file()) var anchors: [String] = []

    @Flag(help: "Trust the system's roots as well as --anchors.") var andSystem = false

    func read() -> CheckRequest.Trust { CheckRequest.Trust(anchors: anchors, includesSystem: andSystem ? true : nil) }
}

struct PinsOutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The form of the pins (default: text).",
            discussion: """
                One of \(PinsOutputSettings.Form.names.joined(separator: ", ")): all but the first two are blocks for a \
                client.
                """, valueName: "form")) var format: String?

    @Option(
        help: ArgumentHelp(
            "Only these positions, all of them to be pinned.",
            discussion: "Any of leaf, intermediate and root, with commas.", valueName: "position")) var position:
        String?

    @Option(
        help: ArgumentHelp(
            "Save the certificates to pin as .cer in a directory.",
            discussion: "In DER, as apps bundle them: the leaf, or what --position or --recommend names.",
            valueName: "dir"), completion: .directory) var save: String?

    @Option(help: ColorOption.help) var color: String?
}

/// What the output options of `pins` say, read.
struct PinsOutputSettings: Sendable {
    enum Form: Sendable {
        case text
        case json
        case block(PinBlockFormat)

        static let names = ["text", "json"] + PinBlockFormat.allCases.map(\.rawValue)

        init?(_ name: String) {
            switch name {
            case "text": self = .text
            case "json": self = .json
            default:
                guard let format = PinBlockFormat(rawValue: name) else { return nil }
                self = .block(format)
            }
        }
    }

    static let knownPositions: [PinItem.Role] = [.leaf, .intermediate, .root]

    let form: Form
    /// The positions that are wanted, `nil` for all.
    let positions: Set<PinItem.Role>?
    let directory: String?
    let color: TextStyle.Choice

    init(_ options: PinsOutputOptions) throws(CommandError) {
        let name = options.format ?? "text"
        guard let form = Form(name) else {
            throw .unknown("--format \(quoted(name))", name, among: Form.names, gone: GoneWords.forms)
        }
        self.form = form
        positions = try options.position.map { (text) throws(CommandError) in try Self.positions(text) }
        directory = options.save
        color = try ColorOption.read(options.color)
    }

    private static func positions(_ text: String) throws(CommandError) -> Set<PinItem.Role> {
        var positions: Set<PinItem.Role> = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let role = knownPositions.first(where: { $0.rawValue == name }) else {
                throw .unknown("--position \(quoted(name))", name, among: knownPositions.map(\.rawValue))
            }
            positions.insert(role)
        }
        return positions
    }
}
