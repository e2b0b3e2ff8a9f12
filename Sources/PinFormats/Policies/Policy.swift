/// What a policy file says: the hosts to check, and for each of them how.
package struct Policy: Sendable {
    package let path: String
    /// The hosts in their order, at least one; what the defaults say is part of each.
    package let hosts: [Host]

    package struct Host: Sendable {
        /// The host as the file has it, perhaps with a port.
        package let name: String
        package let place: PinPlace
        /// What is said of it: its own settings, and the defaults for the rest.
        package let settings: [PolicyKey: PolicyValue]

        package var hostName: String {
            guard let colon = name.lastIndex(of: ":"), name.firstIndex(of: ":") == colon else { return name }
            return String(name[..<colon])
        }

        /// Its sources of pins; none when nothing is said of pins.
        package var pins: [PinSource] { (settings[.pins]?.texts ?? []).map { PinSource($0.text, at: $0.place) } }
    }
}

package struct PolicyValue: Sendable {
    package enum Content: Sendable, Hashable {
        case text(String)
        /// Texts, each with the place it stands at.
        case texts([PlacedText])
        case flag(Bool)
        /// A number above 0.
        case number(Double)
        case integer(Int)
        case numbers([Int])
    }

    package let content: Content
    package let place: PinPlace
}

extension PolicyValue {
    package var text: String? { if case .text(let text) = content { text } else { nil } }

    package var texts: [PlacedText] { if case .texts(let texts) = content { texts } else { [] } }

    package var flag: Bool? { if case .flag(let flag) = content { flag } else { nil } }

    package var number: Double? { if case .number(let number) = content { number } else { nil } }

    package var integer: Int? { if case .integer(let integer) = content { integer } else { nil } }

    package var integers: [Int] { if case .numbers(let numbers) = content { numbers } else { [] } }
}

package struct PlacedText: Sendable, Hashable {
    package let text: String
    package let place: PinPlace

    package init(text: String, place: PinPlace) {
        self.text = text
        self.place = place
    }
}

/// The settings that a policy can give for all hosts or for one.
///
/// This table is what the reader knows, what unknown keys are compared with, and what the schema is made from.
package enum PolicyKey: String, Sendable, Hashable, CaseIterable {
    case pins
    case client, mode, allowInvalidCertificates, validatesDomainName
    case anchors, andSystem, device, deviceData, extraRoots, intermediates
    case ports, connect, sni, verifyName, host, ipVersion
    case warnBefore, failBefore, minPinLife, ignore
    case timeout, retries, minTLS, maxTLS, alpn, proxy
    case request, expectStatus

    package enum Kind: Sendable, Hashable {
        case text
        case choice([String])
        case texts
        /// A text or a whole number, or an array of them.
        case textsOrNumbers
        /// A text, or `false` for none.
        case textOrFalse
        case flag
        /// A whole or broken number.
        case number
        /// A whole number, or an array of them.
        case numbers(ClosedRange<Int>)
        case integer(ClosedRange<Int>)
    }

    package var kind: Kind {
        switch self {
        case .pins, .anchors, .extraRoots, .intermediates, .connect, .alpn, .client, .device, .ignore: .texts
        case .allowInvalidCertificates, .validatesDomainName, .andSystem: .flag
        case .mode: .choice(["none", "public-key", "certificate"])
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
        case .ports: "The ports to check, where the host names none (default: 443)."
        case .connect: "Addresses to connect to instead of looking the host up; each has a verdict of its own."
        case .sni: "The server name to send (default: the host, none for an address); false for none."
        case .verifyName: "The name the certificate must be valid for."
        case .host: "The name of the HTTP Host header; verifyName follows it."
        case .ipVersion: "Use addresses of this family only."
        case .warnBefore: "Warn when less is left of a certificate or of pins that expire: 30d, 12h or 33%."
        case .failBefore: "Fail when less is left."
        case .minPinLife: "Fail when no configured pin is sure to match for this long, and no backup is there."
        case .ignore: "The ids of warnings and notes that are not told."
        case .timeout: "How long the host may take in all, in seconds."
        case .retries: "How often to try again when there was no verdict."
        case .minTLS: "The lowest TLS version to offer."
        case .maxTLS: "The highest TLS version to offer."
        case .alpn: "The application protocols to offer."
        case .proxy: "The proxy to connect through, as in http://proxy.example:3128; false for none."
        case .request: "A path to ask for once the server is accepted, on the same connection."
        case .expectStatus: "The HTTP statuses that the answer may have: 204, 2xx or 200-299."
        }
    }
}
