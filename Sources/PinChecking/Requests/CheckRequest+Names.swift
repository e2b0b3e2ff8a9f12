package import Pinning

extension CheckRequest {
    /// The names a client uses, apart from the address it connects to.
    package struct Names: Hashable, Sendable {
        /// The name of the HTTP Host header, `nil` for the target's host.
        package var host: Host?
        /// The name the certificate must be valid for, `nil` for the host.
        package var reference: Reference?

        package init(host: Host? = nil, reference: Reference? = nil) {
            self.host = host
            self.reference = reference
        }

        package struct Host: Hashable, Sendable {
            package let name: ServerName
            package let written: String
            /// The port, `nil` for the target's.
            package let port: Int?

            package init(_ place: Place) {
                name = place.host
                written = place.writtenHost
                port = place.port
            }
        }

        /// A name that a certificate must be valid for, and how it is written.
        package struct Reference: Hashable, Sendable {
            package let name: ReferenceName
            /// The name as the text has it, `nil` for none.
            package let written: String?

            package static let unchecked = Reference(name: .unchecked, written: nil)

            /// Reads a name; one that is malformed can only fail the check.
            package init(_ text: String) {
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
        package func referenceName(of target: ServerName?) -> ReferenceName {
            reference?.name ?? (host?.name ?? target).map(ReferenceName.name) ?? .unchecked
        }

        /// The same name as it is written, where the target's host is written `target`; `nil` where no name is given.
        package func writtenName(of target: String?) -> String? {
            if let reference { reference.written } else { host?.written ?? target }
        }

        package func merged(over other: Names) -> Names {
            Names(host: host ?? other.host, reference: reference ?? other.reference)
        }
    }
}
