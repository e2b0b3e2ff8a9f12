import Base
package import Pinning

package struct AddressService: Hashable {
    /// The URL of a question, with `{name}` in place of the name.
    private let url: String
    /// The URL of a question for IPv6 addresses; equals ``url`` if the service has one question for both families.
    private let urlForIPv6: String
    private let isDNSOverHTTPS: Bool
    /// The name in messages, as in `the HTTPDNS service 119.29.29.29`.
    package let title: String

    /// Reads `tencent`, `aliyun:ACCOUNT` or a URL with `{name}`; the first two need a question of their own for IPv6.
    package init(httpdns text: String) throws(Problem) {
        let remedy = "write aliyun:ACCOUNT, as in aliyun:100000"
        if text == "tencent" {
            let start = "http://119.29.29.29/d?dn={name}"
            try self.init(httpdns: start + "&ttl=1", ipv6: start + "&type=aaaa&ttl=1")
        } else if text == "aliyun" || text == "aliyun:" {
            throw .usage("lacks the account: \(remedy)")
        } else if text.hasPrefix("aliyun:") {
            let account = text.dropFirst("aliyun:".count)
            guard account.utf8.allSatisfy({ $0.isAlphanumeric || "-_".utf8.contains($0) }) else {
                throw .usage("has characters that no account has: \(remedy)")
            }
            let start = "http://203.107.1.1/\(account)/d?host={name}"
            try self.init(httpdns: start, ipv6: start + "&query=6")
        } else if text.contains("://") {
            guard text.contains(Self.placeholder) else {
                throw .usage("does not say where the name goes: write {name}, as in http://192.0.2.1/d?dn={name}")
            }
            try self.init(httpdns: text, ipv6: text)
        } else {
            throw .usage("names no service: write tencent, aliyun:ACCOUNT, or a URL with {name} in it")
        }
    }

    private init(httpdns url: String, ipv6: String) throws(Problem) {
        let location = try HTTPLocation(url.replacing(Self.placeholder, with: "example.com"))
        (self.url, urlForIPv6, isDNSOverHTTPS) = (url, ipv6, false)
        title = "the HTTPDNS service \(location.authority)"
    }

    /// Reads the URL of a service for DNS over HTTPS in JSON (`?name=NAME&type=A`), as Google and Cloudflare offer it.
    package init(dnsOverHTTPS text: String) throws(Problem) {
        let location = try HTTPLocation(text)
        guard location.isSecure else {
            throw .usage("does not use TLS: write https://, or name it as an HTTPDNS service")
        }
        let base = "\(location)"
        let mark = !base.contains("?") ? "?" : base.hasSuffix("?") || base.hasSuffix("&") ? "" : "&"
        let start = "\(base)\(mark)name={name}&type="
        (url, urlForIPv6, isDNSOverHTTPS) = (start + "A", start + "AAAA", true)
        title = "the DNS over HTTPS service \(location.authority)"
    }

    private static let placeholder = "{name}"

    typealias Question = (location: HTTPLocation, family: AddressFamily)

    var accept: String { isDNSOverHTTPS ? "application/dns-json" : "*/*" }

    func questions(for name: String, family: AddressFamily) throws(Problem) -> [Question] {
        let families = isDNSOverHTTPS && family == .any ? [.ipv4, .ipv6] : [family]
        return try families.map { (family) throws(Problem) in
            let url = family == .ipv6 ? urlForIPv6 : self.url
            let location = url.replacing(Self.placeholder, with: HTTPLocation.percentEncoded(name))
            return (try HTTPLocation(location), family)
        }
    }
}
