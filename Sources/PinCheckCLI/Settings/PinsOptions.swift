import Base
import PinChecking
import PinFormats

/// What `pins` prints.
extension OptionGroup {
    static let pins = OptionGroup(
        title: "Pins",
        options: [
            Option(
                "--key", of: "file", .file, help: "Pin the public half of this private key.",
                "For every host; nothing else of it is shown. Repeatable.", isRepeatable: true
            ) { $0.pins.keys.append($1.text) },
            Option(
                "--from", of: "source", .file, help: "Pins in any form that 'check --pins' takes.",
                "A configuration, a directory, an .ipa, a list. Repeatable.", isRepeatable: true
            ) { $0.pins.from.append($1.text) },
            keyTypes.saying(
                "Ask the server for each type of key, too.",
                "Any of rsa, ecdsa and ed25519 with commas, or all. A server can have a certificate for each."),
            Option(
                "--recommend", help: "Say which pins to ship, and why.",
                """
                The server's key and one in reserve, where a --key, a request or a public key is given; else the roots that its CA \
                issues below.
                """
            ) { settings, _ in settings.pins.recommends = true },
        ])

    static let pinsOutput = OptionGroup(
        title: "Output",
        options: [
            Option(
                "--format", "-f", of: "form", .words(Option.Words(.one) { PinsForm.names }),
                help: "The form of the pins (default: text).",
                "One of \(PinsForm.names.joined(separator: ", ")): all but the first two are blocks for a client."
            ) {
                guard let form = PinsForm($1.text) else {
                    throw CommandError.unknown(form: $1.text, among: PinsForm.names)
                }
                $0.pins.form = form
            },
            Option(
                "--position", of: "position", .words(Option.Words(.list) { PinsForm.positions.map(\.rawValue) }),
                help: "Only these positions, all of them to be pinned.",
                "Any of leaf, intermediate and root, with commas."
            ) {
                $0.pins.positions = []
                for name in words($1.text) {
                    guard let role = PinsForm.positions.first(where: { $0.rawValue == name }) else {
                        throw CommandError.unknown(name, among: PinsForm.positions.map(\.rawValue))
                    }
                    $0.pins.positions?.insert(role)
                }
            },
            Option(
                "--save", of: "dir", .directory, help: "Save the certificates to pin as .cer in a directory.",
                "In DER, as apps bundle them: the leaf, or what --position or --recommend names."
            ) { $0.pins.directory = $1.text }, .color,
        ])
}

/// The forms pins are written in.
enum PinsForm: Sendable {
    case text
    case json
    case block(PinBlockFormat)

    static let names = ["text", "json"] + PinBlockFormat.allCases.map(\.rawValue)

    /// The positions that can be asked for.
    static let positions: [PinItem.Role] = [.leaf, .intermediate, .root]

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
