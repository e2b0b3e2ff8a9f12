import X509

/// What the program calls itself.
package enum ProgramVersion {
    package static let number = "0.1.0"

    /// The answer to `--version`.
    static var text: String { "pincheck \(number) (\(OpenSSLVersion.text))" }
}
