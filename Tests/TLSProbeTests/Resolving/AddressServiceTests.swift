@testable import TLSProbe
import Testing

@Suite struct AddressServiceTests {
    private func questions(_ service: AddressService, _ family: ProbeRequest.AddressFamily) throws -> [String] {
        try service.questions(for: "api.example.com", family: family).map(\.location.description)
    }

    @Test func servicesAreAskedAsTheyAreDocumented() throws {
        let tencent = try AddressService(httpdns: "tencent")
        #expect(try questions(tencent, .any) == ["http://119.29.29.29/d?dn=api.example.com&ttl=1"])
        #expect(try questions(tencent, .ipv6) == ["http://119.29.29.29/d?dn=api.example.com&type=aaaa&ttl=1"])
        let aliyun = try AddressService(httpdns: "aliyun:100000")
        #expect(try questions(aliyun, .any) == ["http://203.107.1.1/100000/d?host=api.example.com"])
        #expect(try questions(aliyun, .ipv6) == ["http://203.107.1.1/100000/d?host=api.example.com&query=6"])
        let own = try AddressService(httpdns: "http://[2001:db8::1]:8080/d?name={name}&id=7")
        #expect(try questions(own, .any) == ["http://[2001:db8::1]:8080/d?name=api.example.com&id=7"])
        #expect(own.name == "[2001:db8::1]:8080")
        let secure = try AddressService(dnsOverHTTPS: "https://dns.example.com/resolve?ct=json")
        #expect(
            try questions(secure, .any) == [
                "https://dns.example.com/resolve?ct=json&name=api.example.com&type=A",
                "https://dns.example.com/resolve?ct=json&name=api.example.com&type=AAAA",
            ])
        #expect(try questions(secure, .ipv4).count == 1)
    }

    @Test(arguments: [
        ("aliyun", "lacks the account: write aliyun:ACCOUNT"), ("aliyun:", "lacks the account"),
        ("aliyun:1/../2", "has characters that no account has"),
        ("google", "names no service: write tencent, aliyun:ACCOUNT, or a URL with {name}"),
        ("http://192.0.2.1/d", "does not say where the name goes: write {name}"),
        ("ftp://192.0.2.1/{name}", "is not a URL: begin it with http:// or https://"),
        ("http://192.0.2.1:0/{name}", "has no port from 1 to 65535"),
        ("http://a b/{name}", "has a character that a URL writes percent-encoded"),
        ("http://user@192.0.2.1/{name}", "holds a user name"),
        ("http:///{name}", "names no host: the host name '' is empty"),
    ]) func whatNamesNoServiceIsRefused(text: String, expected: String) throws {
        let error = #expect(throws: AddressServiceError.self) { try AddressService(httpdns: text) }
        #expect(error?.description.hasPrefix(expected) == true, "\(error as Any)")
    }

    @Test(arguments: [
        ("http://dns.example.com/", "is not asked over TLS: write https://"),
        ("dns.example.com", "is not a URL: begin it with http:// or https://"),
    ]) func dnsOverHTTPSIsNotAskedInTheClear(text: String, expected: String) {
        let error = #expect(throws: AddressServiceError.self) { try AddressService(dnsOverHTTPS: text) }
        #expect(error?.description.hasPrefix(expected) == true, "\(error as Any)")
    }
}
