/// A service that says over HTTP which addresses a name has.
package enum AddressService: Sendable, Hashable {
    /// Tencent's public entry, `http://119.29.29.29/d?dn=NAME&ttl=1`.
    case tencent
    /// Aliyun's public entry, `http://203.107.1.1/ACCOUNT/d?host=NAME`.
    case aliyun(account: String)
    /// A service that answers like one of these at a URL in which `{name}` stands for the name.
    case template(String)
    /// A DNS over HTTPS service with the JSON interface (`?name=NAME&type=A`), as Google and Cloudflare run them.
    case dnsOverHTTPS(HTTPLocation)

    /// Reads `tencent`, `aliyun:ACCOUNT`, or a URL with `{name}` in it.
    package init(httpdns text: String) throws(AddressServiceError) {
        let remedy = "write aliyun:ACCOUNT, as in aliyun:100000"
        if text == "tencent" {
            self = .tencent
        } else if text == "aliyun" || text == "aliyun:" {
            throw AddressServiceError(description: "lacks the account: \(remedy)")
        } else if text.hasPrefix("aliyun:") {
            let account = String(text.dropFirst("aliyun:".count))
            guard account.utf8.allSatisfy({ Self.accountCharacters.contains($0) }) else {
                throw AddressServiceError(description: "has characters that no account has: \(remedy)")
            }
            self = .aliyun(account: account)
        } else if text.contains("://") {
            guard text.contains(Self.placeholder) else {
                throw AddressServiceError(
                    description: "does not say where the name goes: write {name}, as in http://192.0.2.1/d?dn={name}")
            }
            _ = try Self.location(text.replacing(Self.placeholder, with: "example.com"))
            self = .template(text)
        } else {
            throw AddressServiceError(
                description: "names no service: write tencent, aliyun:ACCOUNT, or a URL with {name} in it")
        }
    }

    package init(dnsOverHTTPS text: String) throws(AddressServiceError) {
        let location = try Self.location(text)
        guard location.isSecure else {
            throw AddressServiceError(
                description: "is not asked over TLS: write https:// (plain HTTP services go with --httpdns)")
        }
        self = .dnsOverHTTPS(location)
    }

    private static let placeholder = "{name}"
    private static let accountCharacters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func location(_ text: String) throws(AddressServiceError) -> HTTPLocation {
        do { return try HTTPLocation(text) } catch { throw AddressServiceError(description: error.description) }
    }
}

extension AddressService {
    /// What to ask for, the media type the answer should have, and the addresses it will hold.
    struct Question: Hashable {
        let location: HTTPLocation
        let family: ProbeRequest.AddressFamily
        var accept = "*/*"
    }

    /// The questions that together give the addresses of `name`.
    ///
    /// Tencent and Aliyun are asked as they are documented and give IPv4 addresses; IPv6 ones have to be asked for alone.
    func questions(for name: String, family: ProbeRequest.AddressFamily) throws(HTTPLocationError) -> [Question] {
        switch self {
        case .tencent:
            let fields =
                family == .ipv6 ? [("dn", name), ("type", "aaaa"), ("ttl", "1")] : [("dn", name), ("ttl", "1")]
            let base = try HTTPLocation("http://119.29.29.29/d")
            return [Question(location: base.adding(fields), family: family)]
        case .aliyun(let account):
            let fields = family == .ipv6 ? [("host", name), ("query", "6")] : [("host", name)]
            let base = try HTTPLocation("http://203.107.1.1/\(account)/d")
            return [Question(location: base.adding(fields), family: family)]
        case .template(let template):
            let text = template.replacing(Self.placeholder, with: HTTPLocation.percentEncoded(name))
            return [Question(location: try HTTPLocation(text), family: family)]
        case .dnsOverHTTPS(let location):
            let types = family == .ipv4 ? ["A"] : family == .ipv6 ? ["AAAA"] : ["A", "AAAA"]
            return types.map { type in
                let asked = location.adding([("name", name), ("type", type)])
                return Question(location: asked, family: type == "A" ? .ipv4 : .ipv6, accept: "application/dns-json")
            }
        }
    }

    package var name: String {
        switch self {
        case .tencent: "119.29.29.29"
        case .aliyun: "203.107.1.1"
        case .template(let text): (try? Self.location(text.replacing(Self.placeholder, with: "x")))?.authority ?? text
        case .dnsOverHTTPS(let location): location.authority
        }
    }

    package var title: String {
        if case .dnsOverHTTPS = self { "the DNS over HTTPS service \(name)" } else { "the HTTPDNS service \(name)" }
    }
}

/// Why a text names no service.
package struct AddressServiceError: Error, Hashable, CustomStringConvertible {
    /// What is wrong and what to write, for the end of a line that quotes the text.
    package let description: String
}
