internal import Base
internal import CLibraries

/// libarchive, loaded when the first archive is read and kept for the rest of the run (`dlopen`).
enum ArchiveLibrary {
    /// Why there is no library to read archives with.
    struct Absence: Error { let reason: String }

    /// The functions.
    ///
    /// - Parameters:
    ///   - place: what is to be read.
    ///   - obstacle: what it is, which needs them.
    /// - Returns: the functions.
    /// - Throws: an error that says what to install.
    static func functions(
        for place: PinPlace, toRead obstacle: SafeText = "is a zip archive"
    ) throws(PinFormatError) -> CArchive {
        switch loaded {
        case .success(let functions): return functions
        case .failure(let absence):
            throw PinFormatError(
                .noArchiveLibrary, at: place,
                "\(obstacle), and there is no libarchive here to read it with (\(shortened(absence.reason)))",
                remedy:
                    "install it (Debian and Ubuntu: libarchive13, Fedora: libarchive), or unpack the file and name what is in it"
            )
        }
    }

    private static let loaded: Result<CArchive, Absence> = {
        var functions = CArchive()
        guard let reason = CArchive_load(&functions) else { return .success(functions) }
        return .failure(Absence(reason: String(cString: reason)))
    }()
}
