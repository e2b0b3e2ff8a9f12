/// The kinds of platforms.
public enum PlatformFamily: String, Sendable, Hashable, CaseIterable {
    /// iOS, macOS and their relatives: the Security framework.
    case apple
    case android
    /// This machine's OpenSSL, as curl uses it.
    case openssl
}
