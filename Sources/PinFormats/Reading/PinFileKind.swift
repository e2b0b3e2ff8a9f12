internal import Base
internal import Pinning

/// What a file is in, by what it begins with: its name chooses no reader.
///
/// Each reader accounts for everything in its file, so that no other has to be asked about it.
enum PinFileKind {
    case propertyList
    case android
    case policy
    case json(DocumentNode)
    case okHttpSource
    /// PEM or DER.
    case keys
    /// Lines of pins, or of hosts and their pins.
    case lines(haveHosts: Bool)

    /// - Throws: ``PinFormatError`` for a file in which nothing is a pin, with what to give instead.
    init(_ file: PinFile) throws(PinFormatError) {
        guard let text = file.text, !BinaryPropertyList.begins(file.bytes) else {
            self = try Self.binary(file)
            return
        }
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" }
        if first == "<", let kind = try Self.xml(file, text) {
            self = kind
        } else if JSONReader.beginsObject(file) {
            self = try Self.json(file, text)
        } else if OkHttpSource.isFound(in: file) {
            // Before PEM, of which a source may hold a root.
            self = .okHttpSource
        } else if KeyFile.isPEM(file) {
            self = .keys
        } else if !text.hasPrefix("HTTP/"), PinLines.haveHosts(file) || PinLines.havePins(file) {
            self = .lines(haveHosts: PinLines.haveHosts(file))
        } else {
            throw UnreadKind.refusal(of: file)
        }
    }

    private static func binary(_ file: PinFile) throws(PinFormatError) -> PinFileKind {
        if BinaryPropertyList.begins(file.bytes) {
            guard PropertyListFile.isFound(in: file) else { throw PropertyListFile.withoutPins(at: file.place) }
            return .propertyList
        }
        guard KeyFile.isPEM(file) || DERShape(file.bytes) != nil else { throw UnreadKind.refusal(ofBinary: file) }
        return .keys
    }

    private static func xml(_ file: PinFile, _ text: String) throws(PinFormatError) -> PinFileKind? {
        if AndroidFile.isFound(in: text) { return .android }
        guard text[...].holds("<plist") else { return nil }
        guard PropertyListFile.isFound(in: file) else { throw PropertyListFile.withoutPins(at: file.place) }
        return .propertyList
    }

    private static func json(_ file: PinFile, _ text: String) throws(PinFormatError) -> PinFileKind {
        if JSONFile.isFound(in: text) { return .json(try JSONReader.root(of: file)) }
        if PolicyReader.recognises(file) { return .policy }
        throw UnreadKind.refusal(ofJSON: file)
    }

    /// Reads every pin in a file of this kind.
    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        switch self {
        case .propertyList: try PropertyListFile.read(file, into: &collector)
        case .android: try AndroidFile.read(file, into: &collector)
        case .policy: try PolicyFile.read(file, into: &collector)
        case .json(let root): try JSONFile.read(root, of: file, into: &collector)
        case .okHttpSource: collector.add(try OkHttpSource.configuration(in: file, into: &collector))
        case .keys: try KeyFile.read(file, into: &collector)
        case .lines(let haveHosts):
            guard UnreadKind(named: file) != nil else {
                return try PinLines.read(file, haveHosts: haveHosts, into: &collector)
            }
            var own = PinCollector(.refused)
            do throws(PinFormatError) { try PinLines.read(file, haveHosts: haveHosts, into: &own) } catch {
                throw UnreadKind.refusal(of: file, after: error)
            }
            collector.add(own)
        }
    }
}
