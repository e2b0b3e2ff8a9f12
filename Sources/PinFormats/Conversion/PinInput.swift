internal import Base
internal import Pinning

/// What a file given to `pins` holds: keys to make pins of, or pins that somebody made already.
package enum PinInput: Sendable {
    /// Certificates, requests and public keys.
    case items([PinItem])
    /// A configuration, a list of pins, a directory or an app.
    case reading(PinReading)

    /// Reads what stands at `path`.
    ///
    /// - Throws: ``PinFormatError`` for what holds neither, and for a private key.
    package static func read(_ path: String) throws(PinFormatError) -> PinInput {
        guard FileKind(at: path) != .directory, !ArchivedApp.isArchive(path) else {
            return .reading(try pinning(try PinSource(path).read(), at: .at(path)))
        }
        return try read(PinFile(path: path, bytes: RegularFile.contents(of: path, mayBePipe: true)))
    }

    /// The same for bytes that were read already; `name` stands for the file in messages.
    package static func read(_ bytes: [UInt8], name: String) throws(PinFormatError) -> PinInput {
        try read(PinFile(path: name, bytes: bytes))
    }

    private static func read(_ file: PinFile) throws(PinFormatError) -> PinInput {
        do throws(PinFormatError) { try PrivateKeyGuard.refusePrivateKeys(in: file) } catch {
            guard DERShape(file.bytes) != .keyStore else { throw error }
            throw PinFormatError(
                .privateKey, at: error.place, "this is a private key; it was not used and no part of it is shown",
                remedy: "to take the pin of its public half, name the file with --key")
        }
        let kind = try PinFileKind(file)
        if case .keys = kind { return .items(try KeyFile.items(in: file)) }
        var collector = PinCollector(.refused)
        try kind.read(file, into: &collector)
        if case .propertyList = kind, collector.configurations.isEmpty {
            throw PropertyListFile.withoutPins(at: file.place)
        }
        return .reading(try pinning(try collector.reading(orThrow: .noPin(at: file.place)), at: file.place))
    }

    /// The reading, where it holds a pin or configures a host: a configuration may decide other things alone.
    private static func pinning(_ reading: PinReading, at place: PinPlace) throws(PinFormatError) -> PinReading {
        guard !reading.pins.isEmpty || reading.configurations.contains(where: { !$0.entries.isEmpty }) else {
            throw .noPin(at: place)
        }
        return reading
    }
}
