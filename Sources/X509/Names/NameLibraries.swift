internal import Base
internal import CLibraries

/// The libraries that know names, loaded when a name needs them and kept for the rest of the run (`dlopen`).
///
/// An ordinary check has an ASCII name and no wildcard above a registry: loading them would take a tenth of its time.
enum NameLibraries {
    static let publicSuffixes: CPSL = {
        var functions = CPSL()
        if let reason = CPSL_load(&functions) {
            MissingLibrary.end(
                "libpsl", packages: "Debian: libpsl5, Fedora: libpsl, Homebrew: libpsl", reason: String(cString: reason)
            )
        }
        return functions
    }()

    /// libidn2's functions.
    static let internationalNames: CIDN2 = {
        var functions = CIDN2()
        if let reason = CIDN2_load(&functions) {
            MissingLibrary.end(
                "libidn2", packages: "Debian: libidn2-0, Fedora: libidn2, Homebrew: libidn2",
                reason: String(cString: reason))
        }
        return functions
    }()
}
