/// That there is no certificate for a kind of client at an address, and no result that would say so.
package struct Absence: Hashable, Sendable {
    /// Why.
    package enum Reason: Hashable, Sendable {
        /// The address serves others, and refused the kind.
        case notOffered
        /// No handshake was tried, for want of time or because the address does not answer.
        case notTried
    }

    /// The address, with its port where that is not the target's.
    package let address: String
    /// The kind of client.
    package let variant: Variant
    /// Why.
    package let reason: Reason
}
