package import Base
package import Pinning
import X509

/// The format of a file by its contents, never its name; the chosen reader accounts for everything in the file.
enum PinFileKind {
    case propertyList, android, policy
    case json(DocumentNode)
    case okHttpSource
    /// PEM or DER.
    case keys
    case lines(haveHosts: Bool)

    /// Recognises a format; throws a `Problem`, with what to give instead, if nothing in the file is a pin.
    init(_ file: PinFile) throws(Problem) {
        let isList = BinaryPropertyList.begins(file.bytes)
        guard let text = file.text, !isList else {
            guard isList || KeyFile.isPEM(file) || DERShape(file.bytes) != nil else {
                throw UnreadKind.refusal(ofBinary: file)
            }
            self = isList ? try Self.propertyList(file) : .keys
            return
        }
        if let failure = PastedText.okHttpFailure(text, at: file.place) { throw failure }
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" }
        if first == "<", let kind = try Self.xml(file, text) {
            self = kind
        } else if JSONReader.beginsObject(file.bytes) {
            self = try Self.json(file, text)
        } else if OkHttpSource.isFound(in: file) {
            // Checked before PEM, because source code may contain a root.
            self = .okHttpSource
        } else if KeyFile.isPEM(file) {
            if let kind = UnreadKind(named: file) { throw kind.error(at: file.place) }
            self = .keys
        } else if !text.hasPrefix("HTTP/"), let haveHosts = PinLines.haveHosts(file) {
            self = .lines(haveHosts: haveHosts)
        } else {
            throw UnreadKind.refusal(of: file)
        }
    }

    private static func xml(_ file: PinFile, _ text: String) throws(Problem) -> Self? {
        if AndroidFile.isFound(in: text) { return .android }
        return text.holds("<plist") ? try propertyList(file) : nil
    }

    private static func propertyList(_ file: PinFile) throws(Problem) -> Self {
        guard PropertyListFile.isFound(in: file) else { throw PropertyListFile.withoutPins(at: file.place) }
        return .propertyList
    }

    private static func json(_ file: PinFile, _ text: String) throws(Problem) -> Self {
        if JSONFile.isFound(in: text) { return .json(try JSONReader.root(of: file)) }
        if PolicyReader.recognises(file) { return .policy }
        throw UnreadKind.refusal(ofJSON: file)
    }

    func read(_ file: PinFile, into reading: inout PinReading) throws(Problem) {
        switch self {
        case .propertyList: try PropertyListFile.read(file, into: &reading)
        case .android: try AndroidFile.read(file, into: &reading)
        case .policy: try PolicyReader.read(file, into: &reading)
        case .json(let root): try JSONFile.read(root, of: file, into: &reading)
        case .okHttpSource: try OkHttpSource.read(file, into: &reading)
        case .keys: try KeyFile.read(file, into: &reading)
        case .lines(let haveHosts):
            var own = PinReading()
            try PinLines.read(file, haveHosts: haveHosts, into: &own)
            if let first = own.problems.first, let sentence = UnreadKind.refusal(of: file, after: first) {
                throw sentence
            }
            reading.add(own)
        }
    }
}

/// The contents of a file given to `pins`: keys to make pins of, or existing pins.
package enum PinInput {
    case items([PinItem])
    /// A configuration, a list of pins, a directory or an app.
    case reading(PinReading)

    package static func read(_ path: String) throws(Problem) -> PinInput {
        guard FileKind(at: path) != .directory, !ArchivedApp.isArchive(path: path) else {
            return .reading(try pinning(try PinSource(path).read(), at: .at(path)))
        }
        return try read(PinFile(path: path, bytes: RegularFile.contents(of: path, mayBePipe: true)))
    }

    package static func read(_ file: PinFile) throws(Problem) -> PinInput {
        do { try file.refusePrivateKeys() } catch {
            guard DERShape(file.bytes) != .keyStore else { throw error }
            throw error.with(
                reason: "this is a private key; it was not used and no part of it is shown",
                advice: "to take the pin of its public half, name the file with --key")
        }
        let kind = try PinFileKind(file)
        if case .keys = kind { return .items(try KeyFile.items(in: file)) }
        var reading = PinReading()
        try kind.read(file, into: &reading)
        if case .propertyList = kind, reading.configurations.isEmpty {
            throw PropertyListFile.withoutPins(at: file.place)
        }
        return .reading(try pinning(try reading.orThrow(), at: file.place))
    }

    /// Returns the reading if it has a pin or configures a host; a configuration without either is refused.
    package static func pinning(_ reading: PinReading, at place: PinPlace) throws(Problem) -> PinReading {
        if !reading.pins.isEmpty || reading.configurations.contains(where: { !$0.entries.isEmpty }) { return reading }
        let silence = reading.notes.first { $0.kind == .nothingPinned }
        throw reading.code.lazy.compactMap(\.refusal).first
            ?? silence.map { Problem(.notAPin, at: $0.place ?? place, $0.message) } ?? .noPin(at: place)
    }
}
