/// What a file is in that has pins in two notations, of which nothing says which counts.
struct UndecidedFormat: PinFileFormat {
    private let reason: String
    private let remedy: String

    init(_ reason: String, remedy: String) {
        self.reason = reason
        self.remedy = remedy
    }

    func recognises(_ file: PinFile) -> Bool { false }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        throw PinFormatError(.notation, at: file.place, reason, remedy: remedy)
    }
}
