package import TLSProbe

extension CheckRequest {
    /// What is checked of a target beside what an ordinary client sees.
    package struct Variants: Hashable, Sendable {
        package var allAddresses = false
        /// Whom to ask for the addresses of names, `nil` for the system's resolver.
        package var service: AddressService?
        package var keyTypes: [CertificateKeyType] = []
        /// Whether what clients get without SNI and with it is compared.
        package var comparesSNI = false

        package init(
            allAddresses: Bool = false, service: AddressService? = nil, keyTypes: [CertificateKeyType] = [],
            comparesSNI: Bool = false
        ) {
            self.allAddresses = allAddresses
            self.service = service
            self.keyTypes = keyTypes
            self.comparesSNI = comparesSNI
        }

        /// Whether nothing is checked but what an ordinary client sees.
        package var isEmpty: Bool { !(asksForAddresses || comparesSNI) && keyTypes.isEmpty }

        /// Whether all addresses of a name are wanted rather than the one that answers first.
        package var asksForAddresses: Bool { allAddresses || service != nil }

        package func merged(over other: Variants) -> Variants {
            Variants(
                allAddresses: allAddresses || other.allAddresses, service: service ?? other.service,
                keyTypes: keyTypes.isEmpty ? other.keyTypes : keyTypes, comparesSNI: comparesSNI || other.comparesSNI)
        }
    }
}
