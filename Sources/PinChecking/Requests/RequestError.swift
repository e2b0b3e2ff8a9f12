import Base
import PinFormats
package import Pinning
package import TLSProbe

/// Why something cannot be asked: a text that is no target, name or address, or parts of a request that contradict each other.
package enum RequestError: Error, Hashable, Sendable {
    /// A text, and why it is not what it should be.
    case malformed(Part, String, Problem)
    /// A name for the server name indication that is no host name.
    case serverName(ServerNameError)
    /// An address where a name for the server name indication belongs, which has no room for one (RFC 6066, 3).
    case addressAsServerName(String)
    /// A list of application protocols with a name that TLS cannot carry (RFC 7301).
    case applicationProtocols(String)
    /// A protocol is to be offered in which no request can be sent, and one is to be sent.
    case protocolBesideRequest(ApplicationProtocol)
    /// The cipher suites are of TLS versions that are not to be offered.
    case ciphersOfOtherVersions(String)
    /// Cipher suites or signature algorithms are given, and types of keys ask for their own.
    case offerBesideKeyTypes
    /// A text that is no path to ask for.
    case httpPath(String, HTTPPathError)
    /// Something is said of a request, and there is none.
    case noHTTPPath
    /// A text that is no list of HTTP statuses.
    case expectedStatus(String)
    /// A variable of the environment, and what is wrong with the proxy it names.
    indirect case variable(String, RequestError)
    /// A time that a target cannot be given.
    case timeout(String)
    case otherFamily(IPAddress, ProbeRequest.AddressFamily)
    /// The lowest TLS version is above the highest.
    case noVersionLeft(lowest: TLSVersion, highest: TLSVersion)
    /// Whatever falls below the first has fallen below the second before.
    case neverWarns(Threshold, since: Threshold)
    /// An address for a host and port that are no target.
    case unusedAddress(String)

    /// What a text should have been.
    package enum Part: Hashable, Sendable, CaseIterable {
        /// A target: a host, perhaps with a port, or an https URL.
        case target
        /// A host, perhaps with a port.
        case host
        case port
        case connect
        /// curl's `HOST:PORT:ADDR`.
        case resolve
        /// curl's `HOST1:PORT1:HOST2:PORT2`.
        case connectTo
        case address
        case proxy
    }

    /// What is wrong with a text.
    package enum Problem: Hashable, Sendable {
        case empty
        /// A dash, which names standard input elsewhere.
        case dash
        /// A user name stands before the host.
        case userName
        /// A path, and no scheme.
        case slash
        /// Another scheme than https.
        case scheme
        /// `[` without `]`.
        case unclosedBracket
        /// What stands in brackets is no IPv6 address.
        case noAddressInBrackets
        /// Something other than a port follows the brackets.
        case textAfterBracket
        /// More than one colon, and no IPv6 address.
        case severalColons
        case noHost
        /// The port is no number from 1 to 65535.
        case port(String)
        case name(ServerNameError)
        /// Less than three parts of `HOST:PORT:ADDR`.
        case tooFewParts
        /// The last part of `HOST:PORT:ADDR` is no address.
        case noAddress(in: String)
        /// Another scheme than those of proxies.
        case proxyScheme
        /// The user's name or password is not one that such a proxy can be told.
        case proxyUser
        /// Other than four parts of `HOST1:PORT1:HOST2:PORT2`.
        case notFourParts
    }
}

extension RequestError: CustomStringConvertible {
    /// One line that quotes the text and says what to write.
    ///
    /// It may hold hostile text. What a flag or key is called the reader of it knows, see ``description(calling:)``.
    package var description: String { description(calling: \.name) }

    package func description(calling name: (Part) -> String) -> String {
        switch self {
        case .malformed(let part, let text, let problem) where text.contains("@") && part != .proxy:
            // Whatever else is wrong quotes a piece of it, which may be one of a password.
            "the \(name(part)) \(quoted(UserInfo.hiddenBeforeHost(text))) "
                + (problem.isOfWholeText ? problem : .userName).description
        case .malformed(_, _, .name(let error)): error.description
        case .malformed(let part, let text, let problem): "the \(name(part)) \(quoted(text)) \(problem.description)"
        case .serverName(let error): error.description
        case .addressAsServerName(let text):
            "the server name \(quoted(text)) is an address: TLS carries host names only (RFC 6066), send none"
        case .applicationProtocols(let list):
            "\(quoted(list)) holds a name of no or of more than 255 bytes: write h2,http/1.1"
        case .protocolBesideRequest(let name):
            "\(quoted(name.name)) is to be offered (alpn), and a request is sent in HTTP/1.1 alone: offer http/1.1 or nothing"
        case .ciphersOfOtherVersions(let ciphers):
            "no TLS version that is to be offered has \(quoted(ciphers, to: 200)): TLS 1.3 has cipher suites of its own, whose names begin "
                + "with TLS_"
        case .offerBesideKeyTypes:
            "to ask for keys of each type (key-types, thorough) is to choose ciphers and sigalgs: leave out either"
        case .httpPath(let text, let error): "\(quoted(TerminalText.shortened(text, to: 200))) \(error)"
        case .noHTTPPath:
            "a status is expected (expect-status) and nothing is asked: give the path to ask for (request)"
        case .expectedStatus(let text):
            "\(quoted(TerminalText.shortened(text, to: 200))) is not an HTTP status: write 204, 2xx, 200-299, or a list as in 200,304"
        case .variable(let name, let error): "\(name): \(error.description(calling: \.name))"
        case .timeout(let text): "\(quoted(text)) is not a time in seconds from 0.001 to 86400, as in 2.5"
        case .otherFamily(let address, let family):
            "\(quoted(address.description)) is not an address of the family asked for: ask for "
                + "\(family == .ipv6 ? "IPv4" : "IPv6") or for any"
        case .noVersionLeft(let lowest, let highest):
            "the lowest TLS version, \(lowest.number), is above the highest, \(highest.number): no version is left to offer"
        case .neverWarns(let warning, let failure):
            "the warning before \(warning) never comes, since less than \(failure) fails earlier: "
                + "warn before the larger of the two"
        case .unusedAddress(let place):
            "an address is given for \(quoted(place)), which is not a target of this call: check its name and port"
        }
    }
}

extension RequestError.Part {
    package var name: String {
        switch self {
        case .target: "target"
        case .host: "host"
        case .port: "port"
        case .connect, .address: "address"
        case .proxy: "proxy"
        case .resolve: "HOST:PORT:ADDR value"
        case .connectTo: "HOST1:PORT1:HOST2:PORT2 value"
        }
    }
}

extension RequestError.Problem {
    /// Whether it is said without quoting a piece of the text, and is the first thing wrong with one that holds an `@`.
    fileprivate var isOfWholeText: Bool { self == .slash || self == .scheme || self == .notFourParts }

    /// What is wrong and what to write, as said of a text.
    fileprivate var description: String {
        let bracketed = "[2001:db8::1]:443"
        let resolve = "write HOST:PORT:ADDR, as in api.example.com:443:203.0.113.7"
        return switch self {
        case .empty: "is empty: name a host, as in 'api.example.com'"
        case .dash: "is no host: a list on standard input is read with '--targets -'"
        case .userName: "holds a user name: leave out everything up to the '@'"
        case .slash: "holds a '/': name the host alone, or write https:// before it"
        case .scheme: "is not an https URL: pincheck speaks TLS only, write https:// or host:port"
        case .unclosedBracket: "has a '[' without ']': write an IPv6 address as \(bracketed)"
        case .noAddressInBrackets: "has no IPv6 address in its brackets: write \(bracketed)"
        case .textAfterBracket: "has text after its ']': write \(bracketed)"
        case .severalColons: "has more than one ':' but is not an IPv6 address: write host:port, or \(bracketed)"
        case .noHost: "names no host: write host or host:port"
        case .port(let text) where text.hasPrefix("//"): "is a URL: give the name or address alone"
        // What is no number may be a password, behind which the host was lost.
        case .port(let text) where !text.allSatisfy({ $0.isNumber || $0 == "-" }):
            "has a port that is no number: a port is a number from 1 to 65535"
        case .port(let text): "has the port \(quoted(text)): a port is a number from 1 to 65535"
        case .name(let error): "is not a name: \(error)"
        case .tooFewParts: "has too few parts: \(resolve)"
        case .noAddress(let part): "has no address in \(quoted(part)): \(resolve)"
        case .proxyScheme:
            "is of no kind that is known: write http://, https://, socks5:// or socks5h:// before the host"
        case .proxyUser:
            "has a user that it cannot be told: write user:password@ with %40 for '@', %2F for '/' and %25 for '%'"
        case .notFourParts:
            "has not four parts: write HOST1:PORT1:HOST2:PORT2, as in api.example.com:443:203.0.113.7:8443"
        }
    }
}
