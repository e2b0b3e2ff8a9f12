/// One notation in which files hold pins.
protocol PinFileFormat: Sendable {
    /// Whether `file` is in this notation, well made or not. The name of the file plays no part.
    func recognises(_ file: PinFile) -> Bool

    /// The format that reads `file`, which may keep what recognising it took; `nil` when it is in another notation.
    func recognised(in file: PinFile) -> (any PinFileFormat)?

    /// Reads every pin in `file`.
    ///
    /// - Throws: the first error, unless the collector skips bad pins.
    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError)
}

extension PinFileFormat { func recognised(in file: PinFile) -> (any PinFileFormat)? { recognises(file) ? self : nil } }

/// The notations that are known, in the order in which they are tried.
enum PinFileFormats {
    /// Each before those that take its files for theirs.
    ///
    /// A list of pins is text with a pin in any of its lines, so that everything with more order goes before it. What may have PEM in
    /// a comment, or for another purpose than its pins, goes before PEM.
    static let all: [any PinFileFormat] = [
        AndroidConfigurationFormat(), PropertyListFormat(), JSONConfigurationFormat(),
        // A source may have a command of curl in a comment.
        OkHttpSourceFormat(), CurlCommandFormat(), PolicyFormat(), TLSAFormat(), PEMFormat(), OkHttpListFormat(),
        HTTPHeaderFormat(), PinListFormat(), DERFormat(),
    ]

    /// The notation of `file`, `nil` when it holds nothing that is a pin in any.
    static func format(of file: PinFile) -> (any PinFileFormat)? {
        all.lazy.compactMap { $0.recognised(in: file) }.first
    }
}
