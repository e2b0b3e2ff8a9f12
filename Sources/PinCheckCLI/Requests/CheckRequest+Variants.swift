import HTTPDNS
import TLSProbe

extension CheckRequest {
    /// What is checked of a target beside what an ordinary client sees.
    struct Variants: Hashable, Sendable {
        /// Whether all addresses of a name are checked.
        var allAddresses = false
        /// Whom to ask for the addresses of names, `nil` for the system's resolver.
        var service: AddressService?
        /// The types of keys that are asked for, each for itself.
        var keyTypes: [CertificateKeyType] = []
        /// Whether each TLS version is offered for itself.
        var eachVersion = false
        /// Whether a client without SNI is compared.
        var comparesSNI = false

        /// Whether nothing is checked but what an ordinary client sees.
        var isEmpty: Bool { !(asksForAddresses || eachVersion || comparesSNI) && keyTypes.isEmpty }

        /// Whether all addresses of a name are wanted rather than the one that answers first.
        var asksForAddresses: Bool { allAddresses || service != nil }

        func merged(over other: Variants) -> Variants {
            Variants(
                allAddresses: allAddresses || other.allAddresses,
                service: service ?? other.service,
                keyTypes: keyTypes.isEmpty ? other.keyTypes : keyTypes,
                eachVersion: eachVersion || other.eachVersion,
                comparesSNI: comparesSNI || other.comparesSNI
            )
        }
    }
}
