package import Pinning

/// A TLSA record that is configured and that no pin can express, as one of a certificate's hash.
package struct ConfiguredRecord: Sendable {
    /// The record.
    package let record: TLSARecord
    /// Where it was read.
    package let origin: String
}
