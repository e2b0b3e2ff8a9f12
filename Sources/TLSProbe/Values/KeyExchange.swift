/// How the keys of a connection were agreed on, as far as it matters for what is recorded today and broken later.
package enum KeyExchange: Sendable, Hashable {
    /// With keys made for the connection, on an elliptic curve.
    case ephemeral
    /// With keys made for the connection, in a group with a prime of so many bits: the server's own (DHE of TLS 1.2 and older), or one
    /// of TLS 1.3.
    case ephemeralInGroup(bits: Int)
    /// The client encrypted the secret with the certificate's RSA key: whoever gets that key reads everything ever recorded.
    case staticRSA
    case other
}
