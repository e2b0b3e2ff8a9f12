import Base
import PinChecking
import PinFormats
import TLSProbe

/// Reads what a policy says of a host, by the rows that have a key.
enum PolicySettings {
    /// The rows that have a key, and those that only a policy can say.
    static let options: [Option] = Command.sharedGroups.flatMap(\.options).filter { $0.key != nil } + [ports, family]

    private static let ports = Option(
        "", of: "port", .whole(1...65_535), help: "The ports to check, where the host names none (default: 443).",
        isRepeatable: true, key: "ports"
    ) { $0.ports.append(Int($1.text) ?? 0) }

    private static let family = Option(
        "", of: "4|6", .words(Option.Words(.one) { ["4", "6"] }), help: "Use addresses of this family only.",
        key: "ipVersion"
    ) {
        guard ["4", "6"].contains($1.text) else { throw CommandError.unknown($1.text, among: ["4", "6"]) }
        $0.request.connection.family = $1.text == "4" ? .ipv4 : .ipv6
    }

    private static let byKey = Dictionary(grouping: options) { $0.key ?? "" }

    /// What is said of a host.
    ///
    /// - Throws: ``CommandError`` with the line and the key of a value that cannot be understood.
    static func read(_ host: Policy.Host) throws(CommandError) -> Settings {
        var settings = Settings()
        for (key, node) in host.settings {
            do throws(CommandError) {
                let (option, values) = try CommandError.reading(try self.values(of: byKey[key] ?? [], key, node))
                for value in values { try option.read(value, calling: "'\(key)'", into: &settings) }
            } catch { throw error.at(node.place) }
        }
        settings.request.connection.addresses.isOfOneTarget = !settings.request.connection.addresses.given.isEmpty
        return settings
    }

    /// The row that a value is for, and what it is given: one value, or several where there may be.
    private static func values(
        of options: [Option], _ key: String, _ node: DocumentNode
    ) throws(PinFormatError) -> (Option, [Option.Value]) {
        guard let option = options.first(where: { !$0.isSwitch }) ?? options.first else { throw node.wrong("nothing") }
        if let flag = node.truth {
            // `false` is the switch that says the opposite of a value.
            guard let toggle = options.first(where: \.isSwitch), option.isSwitch || !flag else {
                throw node.wrong(options.count > 1 ? "a text or false" : "a text")
            }
            return (toggle, [Option.Value(isOn: toggle.isNegation ? !flag : flag, place: node.place)])
        }
        guard !option.isSwitch else { throw node.wrong("true or false") }
        guard let elements = node.elements, option.takesSeveral else {
            return (option, [Option.Value(text: try text(of: option, key, node, options.count > 1), place: node.place)])
        }
        guard !elements.isEmpty else {
            throw PinFormatError(
                .missingValue, at: node.place, "'\(key)' is an empty list",
                remedy: "leave the key out, or list something")
        }
        var values: [Option.Value] = []
        for element in elements {
            values.append(Option.Value(text: try text(of: option, key, element), place: element.place))
        }
        if option.isRepeatable { return (option, values) }
        return (option, [Option.Value(text: values.map(\.text).joined(separator: ","), place: node.place)])
    }

    /// The text of one value, as it would stand on the command line.
    private static func text(
        of option: Option, _ key: String, _ node: DocumentNode, _ mayBeFalse: Bool = false
    ) throws(PinFormatError) -> String {
        switch (option.values, node.number) {
        case (.whole(let range), let number):
            guard let number, let value = Int(number), range.contains(value) else {
                throw node.wrong("a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        case (.seconds, let number):
            guard let number, let value = Double(number), value > 0 else { throw node.wrong("a number above 0") }
            // JSON has more ways to write a number than the command line.
            return value.isInfinite || number.allSatisfy { $0.isWholeNumber || $0 == "." } ? number : "\(value)"
        case (.threshold, let number?):
            throw PinFormatError(
                .wrongValue, at: node.place, "'\(key)' is a number without a unit",
                remedy: "write \"\(number)d\" for days, or \"\(number)%\" for a part of the lifetime")
        case (.words(let words), let number?) where words.kind == .one: return number
        case (.statuses, let number?): return number
        default:
            if mayBeFalse, node.string == nil { throw node.wrong("a text or false") }
            let text = try node.text()
            guard !text.isEmpty, !text.utf8.contains(0) else { throw node.wrong("a text with something in it") }
            guard case .file = option.values else { return text }
            return RegularFile.path(text, besideFilesIn: PathParts(node.file.path).directory)
        }
    }
}

extension Option {
    /// Whether a policy can list several values.
    var takesSeveral: Bool { isRepeatable || isList }
}
