/// The settings that a policy can give for all hosts or for one.
///
/// This table is what the reader knows, what unknown keys are compared with, and what the schema is made from.
package enum PolicyKey: String, Sendable, Hashable, CaseIterable {
    case pins
    case client, mode, allowInvalidCertificates, validatesDomainName
    case anchors, andSystem, device, deviceData, extraRoots, intermediates, strict, authLevel
    case ports, connect, sni, verifyName, host, ipVersion
    case warnBefore, failBefore, minPinLife
    case timeout, retries, minTLS, maxTLS, alpn, proxy
    case request, head, expectStatus

    /// What values a key takes.
    package enum Kind: Sendable, Hashable {
        /// A text.
        case text
        /// One of these texts.
        case choice([String])
        /// A text, or an array of texts.
        case texts
        /// A text or a whole number, or an array of them.
        case textsOrNumbers
        /// A text, or `false` for none.
        case textOrFalse
        /// `true` or `false`.
        case flag
        /// A whole or broken number.
        case number
        /// A whole number, or an array of them.
        case numbers(ClosedRange<Int>)
        /// A whole number.
        case integer(ClosedRange<Int>)
    }

    /// Whether its values can be names of files.
    package var namesFiles: Bool {
        switch self {
        case .pins, .anchors, .extraRoots, .intermediates, .deviceData: true
        default: false
        }
    }

    /// What values the key takes.
    package var kind: Kind {
        switch self {
        case .pins, .anchors, .extraRoots, .intermediates, .connect, .alpn, .client, .device: .texts
        case .allowInvalidCertificates, .validatesDomainName, .andSystem, .strict, .head: .flag
        case .mode: .choice(["none", "public-key", "certificate"])
        case .authLevel: .integer(0...5)
        case .ports: .numbers(1...65_535)
        case .sni, .proxy: .textOrFalse
        case .expectStatus: .textsOrNumbers
        case .verifyName, .host, .deviceData, .warnBefore, .failBefore, .minPinLife, .request: .text
        case .ipVersion: .choice(["4", "6"])
        case .timeout: .number
        case .retries: .integer(0...100)
        case .minTLS, .maxTLS: .choice(["1.0", "1.1", "1.2", "1.3"])
        }
    }

    /// What the key means, for the schema.
    package var meaning: String {
        switch self {
        case .pins:
            "Pins (sha256/…), and files, directories or configurations of clients with pins; paths are relative to this file."
        case .client: "The clients that must accept, with their settings, as in trustkit:no-enforce."
        case .mode: "AFNetworking's pinning mode."
        case .allowInvalidCertificates: "AFNetworking's allowInvalidCertificates."
        case .validatesDomainName: "AFNetworking's validatesDomainName."
        case .anchors: "Files or directories of certificates that are trusted instead of the system's roots."
        case .andSystem: "Trust the system's roots beside the anchors."
        case .device:
            "The devices whose roots and rules decide, each client on those of its system, as in ios-17; all; or system."
        case .deviceData: "A file with the roots of devices, instead of those that are part of the program."
        case .extraRoots: "Roots as if they were installed on the device by hand."
        case .intermediates:
            "Certificates as if they were fetched from where the server's says, by platforms that fetch."
        case .strict: "Reject what OpenSSL's pedantic checks find."
        case .authLevel: "OpenSSL's security level for keys and signatures."
        case .ports: "The ports to check, where the host names none (default: 443)."
        case .connect: "Addresses to connect to instead of looking the host up; each has a verdict of its own."
        case .sni: "The server name to send (default: the host, none for an address); false for none."
        case .verifyName: "The name the certificate must be valid for."
        case .host: "The name of the HTTP Host header; verifyName follows it."
        case .ipVersion: "Use addresses of this family only."
        case .warnBefore: "Warn when less is left of a certificate or of pins that expire: 30d, 12h or 33%."
        case .failBefore: "Fail when less is left."
        case .minPinLife: "Fail when no configured pin is sure to match for this long, and no backup is there."
        case .timeout: "How long the host may take in all, in seconds."
        case .retries: "How often to try again when there was no verdict."
        case .minTLS: "The lowest TLS version to offer."
        case .maxTLS: "The highest TLS version to offer."
        case .alpn: "The application protocols to offer."
        case .proxy: "The proxy to connect through, as in http://proxy.example:3128; false for none."
        case .request: "A path to ask for once the server is accepted, on the same connection."
        case .head: "Ask by HEAD rather than GET."
        case .expectStatus: "The HTTP statuses that the answer may have: 204, 2xx or 200-299."
        }
    }
}
