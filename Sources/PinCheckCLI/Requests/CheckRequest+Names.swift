import Pinning

extension CheckRequest {
    /// The names a client uses, apart from the address it connects to.
    struct Names: Hashable, Sendable {
        /// The name of the HTTP Host header, `nil` for the target's host.
        var host: Host?
        /// The name the certificate must be valid for, `nil` for the host.
        var reference: Reference?

        /// A host, and how it is written.
        struct Host: Hashable, Sendable {
            /// The host or the address.
            let name: ServerName
            /// The host as the text has it.
            let written: String

            /// The host of a place.
            init(_ place: Place) {
                name = place.host
                written = place.writtenHost
            }
        }

        /// A name that a certificate must be valid for, and how it is written.
        struct Reference: Hashable, Sendable {
            /// The name.
            let name: ReferenceName
            /// The name as the text has it, `nil` for none.
            let written: String?

            /// No name is checked.
            static let unchecked = Reference(name: .unchecked, written: nil)

            /// Reads a name; one that is malformed can only fail the check.
            init(_ text: String) {
                let name = HostName.reference(text)
                let written = if case .name(let host) = name { HostName.written(text, as: host) } else { text }
                self.init(name: name, written: written)
            }

            private init(name: ReferenceName, written: String?) {
                self.name = name
                self.written = written
            }
        }

        /// The name the certificate must be valid for: of a server called `target`, or of a chain without one.
        func referenceName(of target: ServerName?) -> ReferenceName {
            reference?.name ?? (host?.name ?? target).map(ReferenceName.name) ?? .unchecked
        }

        /// The same name as it is written, where the target's host is written `target`; `nil` where no name is given.
        func writtenName(of target: String?) -> String? {
            if let reference { reference.written } else { host?.written ?? target }
        }

        func merged(over other: Names) -> Names {
            Names(host: host ?? other.host, reference: reference ?? other.reference)
        }
    }
}
