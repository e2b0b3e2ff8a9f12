#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A library that is looked up when it is first needed, and that pincheck cannot do without then.
package enum MissingLibrary {
    /// Ends the program, as the system's loader does at the start of one that is linked with what is missing.
    ///
    /// An answer without it would be wrong, and many of those who need it can only answer.
    package static func end(_ name: SafeText, packages: SafeText, reason: String) -> Never {
        let reason = TerminalText.shortened(reason, to: 200)
        let message: SafeText = "Error: \(name) cannot be loaded (\(reason)): install it (\(packages))\n"
        var text = message.description
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        // EX_SOFTWARE of sysexits.h.
        _exit(70)
    }
}
