/// The rules a path must keep, named after the policies of Apple's Security framework.
public enum TrustPolicy: Sendable, Hashable {
    /// A server's certificate: `SecPolicyCreateSSL(true, name)`. Without a name everything but the name is checked.
    case sslServer(name: ReferenceName)
    /// `SecPolicyCreateBasicX509()`: signatures, dates, constraints. No name, no extended key usage, no key strength.
    case basicX509
}
