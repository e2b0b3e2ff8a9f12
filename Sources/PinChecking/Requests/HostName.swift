package import Pinning
import X509

/// Host names as people write them: international ones become A-labels before anything else sees them.
package enum HostName {
    package static func read(_ text: some StringProtocol) throws(ServerNameError) -> ServerName {
        try ServerName(asciiForm(of: text))
    }

    /// Reads the name a certificate is asked to be valid for; one that is malformed can only fail the check.
    package static func reference(_ text: String) -> ReferenceName { ReferenceName(asciiForm(of: text)) }

    /// A host as the URL has it that names it so: with its capitals and the dot at its end, and with A-labels.
    package static func written(_ text: some StringProtocol, as name: ServerName) -> String {
        if case .ip = name { return name.description }
        return asciiForm(of: text)
    }

    /// A name that has no A-label form is left as it is, for the reader to refuse.
    private static func asciiForm(of text: some StringProtocol) -> String {
        InternationalName.ascii(String(text)) ?? String(text)
    }
}

extension ServerName { var isAddress: Bool { if case .ip = self { true } else { false } } }
