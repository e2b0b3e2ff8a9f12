import ArgumentParser
import PinChecking
import PinFormats
import Text

/// What `pins` trusts while it verifies.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trust these certificates and not the system's roots. A file or a directory. Repeatable.",
            valueName: "file|dir"
        )
    )
    var anchors: [String] = []

    @Flag(help: "Trust the system's roots in addition to --anchors.")
    var andSystem = false

    /// What the options say.
    func read() -> CheckRequest.Trust {
        CheckRequest.Trust(anchors: anchors, includesSystem: andSystem ? true : nil)
    }
}

/// How pins are written.
struct PinsOutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            text, json, or a block for a client: okhttp, trustkit, nspinned, android, curl, tlsa, hpkp, afnetworking \
            (default: text).
            """,
            valueName: "form"
        )
    )
    var format: String?

    @Option(
        help: ArgumentHelp(
            "Only these positions, all of them to be pinned: leaf, intermediate, root, or several with commas.",
            valueName: "position"
        )
    )
    var position: String?

    @Option(help: ArgumentHelp("Save the certificates in this directory as DER, named .cer.", valueName: "dir"))
    var save: String?

    @Option(help: ColorOption.help)
    var color: String?
}

/// What the output options of `pins` say, read.
struct PinsOutputSettings: Sendable {
    /// The forms pins are written in.
    enum Form: Sendable {
        case text
        case json
        case block(PinBlockFormat)

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

    let form: Form
    /// The positions that are wanted, `nil` for all.
    let positions: Set<PinItem.Role>?
    let directory: String?
    let color: TextStyle.Choice

    init(_ options: PinsOutputOptions) throws(CommandError) {
        let name = options.format ?? "text"
        guard let form = Form(name) else {
            let names = (["text", "json"] + PinBlockFormat.allCases.map(\.rawValue)).joined(separator: ", ")
            throw .usage("--format \(quoted(name)) is unknown: choose from \(names)")
        }
        self.form = form
        positions = try options.position.map { (text) throws(CommandError) in try Self.positions(text) }
        directory = options.save
        color = try ColorOption.read(options.color)
    }

    private static func positions(_ text: String) throws(CommandError) -> Set<PinItem.Role> {
        let known: [PinItem.Role] = [.leaf, .intermediate, .root]
        var positions: Set<PinItem.Role> = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let role = known.first(where: { $0.rawValue == name }) else {
                throw .usage("--position \(quoted(name)) is unknown: choose from leaf, intermediate, root")
            }
            positions.insert(role)
        }
        return positions
    }
}
