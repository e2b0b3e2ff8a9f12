import X509

enum ProgramVersion {
    static let number = "0.1.0"

    static var text: String { "pincheck \(number) (\(OpenSSLVersion.text))" }
}
