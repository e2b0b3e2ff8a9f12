internal import Base

/// Reads one file in whichever notation it is.
enum PinFileReader {
    /// Reads the file the user named: it has to hold pins.
    static func readNamedFile(at path: String, into collector: inout PinCollector) throws(PinFormatError) {
        guard !ArchivedApp.isArchive(path) else { return try AppReader(archive: path).read(into: &collector) }
        let file = try PinFile.load(path, mayBePipe: true)
        if !file.bytes.isEmpty, ["ipa", "apk", "aab", "zip"].contains(file.fileExtension) {
            throw PinFormatError(
                .otherKind, at: file.place, "is not a zip archive, which a file named .\(file.fileExtension) is",
                remedy: "download or build it again")
        }
        guard let format = PinFileFormats.format(of: file) else { throw PinFileFormats.whyUnknown(file) }
        do throws(PinFormatError) { try format.read(file, into: &collector) } catch { try collector.skip(error) }
    }
}
