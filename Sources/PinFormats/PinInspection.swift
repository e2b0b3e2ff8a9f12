internal import Base
package import Pinning

/// All there is to a source, right and wrong: what a reading stops at is one problem of several here.
package struct PinInspection: Sendable {
    /// The source as the user wrote it.
    package let text: String
    /// Whether the source is a directory.
    package let isDirectory: Bool
    /// Whether nothing stands at a path of that name, so that the text itself is the pins.
    package let isArgument: Bool
    /// The pins that are for whatever host, in their order, repetitions kept.
    package let pins: [Pin]
    /// What files that configure hosts say.
    package let configurations: [PinConfiguration]
    /// What configurations of Android apps say of trust.
    package let networkSecurity: [NetworkSecurityConfiguration]
    /// What the Info.plist of apps says of App Transport Security.
    package let transportSecurity: [TransportSecurity]
    /// What is no error but should not go unsaid.
    package let notes: [PinNote]
    /// What is wrong or absent, in the order it was met; a source without a pin has at least one.
    package let problems: [PinFormatError]
    /// How many more there are than ``problems``.
    package let omittedProblemCount: Int
    /// The whole keys behind pins that are public keys.
    package let publicKeys: [SHA256Digest: PublicKey]
    /// The origins of entries that lack something because it was wrong.
    package let incompleteEntries: Set<String>

    init(_ collector: PinCollector, of text: String, _ kind: FileKind) {
        self.text = text
        isDirectory = kind == .directory
        isArgument = kind == .absent
        pins = collector.pins
        configurations = collector.configurations
        networkSecurity = collector.networkSecurity
        transportSecurity = collector.transportSecurity
        notes = collector.notes
        problems = collector.problems
        omittedProblemCount = collector.problemCount - collector.problems.count
        publicKeys = collector.publicKeys
        incompleteEntries = collector.incompleteEntries
    }

    /// The place that the origin of one of its pins or entries names.
    package func place(ofOrigin origin: String) -> PinPlace { PinPlace(origin: origin, source: text) }
}

extension PinPlace {
    /// The place that ``description`` gives as `origin`, in a source whose name it begins with when that is a file.
    init(origin: String, source: String) {
        guard origin != PinPlace.option.description else {
            self = .option
            return
        }
        // Separators in the name that the user gave separate nothing.
        let known = origin.hasPrefix(source) ? source.endIndex.utf16Offset(in: source) : 0
        let rest = origin[String.Index(utf16Offset: known, in: origin)...]
        if let colon = rest.lastIndex(of: ":"), let line = Int(rest[rest.index(after: colon)...]) {
            self = .line(line, of: String(origin[..<colon]))
        } else if let colon = rest.firstIndex(of: ":"), rest[rest.index(after: colon)...].hasPrefix(" ") {
            self = .key(String(rest[colon...].dropFirst(2)), of: String(origin[..<colon]))
        } else {
            self = .file(origin)
        }
    }
}
