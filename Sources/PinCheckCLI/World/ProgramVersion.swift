import X509

package enum ProgramVersion {
    package static let number = "0.1.0"

    static var text: String { "pincheck \(number) (\(OpenSSLVersion.text))" }
}
