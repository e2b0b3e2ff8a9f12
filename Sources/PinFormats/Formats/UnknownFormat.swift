internal import Base

extension PinFileFormats {
    /// What there is to say of JSON whose first list is empty, `nil` for anything else.
    private static func emptyList(in file: PinFile) -> PinFormatError? {
        guard JSONReader.beginsObject(file), let members = (try? JSONReader.root(of: file))?.members,
            let (key, node) = members.first(where: { $0.node.elements?.isEmpty == true })
        else { return nil }
        return PinFormatError(
            .missingValue, at: node.place, "'\(shortened(key, to: 80))' is an empty list: no pin is in it",
            remedy: "list its pins, or leave it out")
    }

    /// Why no notation knows `file`.
    static func whyUnknown(_ file: PinFile) -> PinFormatError {
        if file.isPropertyList { return PropertyListFormat.withoutPins(at: file.place) }
        if file.bytes.isEmpty { return PinFormatError(.empty, at: file.place, "the file is empty") }
        if file.text != nil, file.bytes.count > PinListFormat.mostBytes {
            return PinFormatError(
                .tooLarge, at: file.place,
                "text of more than \(PinListFormat.mostBytes >> 20) MiB without a certificate, no list of pins is that large"
            )
        }
        if file.text != nil {
            return emptyList(in: file) ?? CurlCommandFormat.whyUnread(file) ?? .noPin(at: file.place)
        }
        if file.bytes.starts(with: [0xFF, 0xFE]) || file.bytes.starts(with: [0xFE, 0xFF]) {
            return PinFormatError(.textEncoding, at: file.place, "text in UTF-16", remedy: "save it as UTF-8")
        }
        if AndroidConfigurationFormat.isBinary(file.bytes) { return AndroidConfigurationFormat.binary(at: file.place) }
        if PinFile(path: file.path, bytes: file.bytes.filter { $0 < 0x80 }).text != nil {
            return PinFormatError(.textEncoding, at: file.place, "text that is not UTF-8", remedy: "save it as UTF-8")
        }
        return PinFormatError(
            .binaryJunk, at: file.place, "binary data that is neither a certificate nor a public key",
            remedy: "a certificate in DER begins with the bytes 30 82")
    }
}
