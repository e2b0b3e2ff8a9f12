import Pinning
import Testing

@testable import TLSProbe

@Suite struct AddressServiceTests {
    private func questions(_ service: AddressService, _ family: AddressFamily) throws -> [String] {
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
        #expect(own.title == "the HTTPDNS service [2001:db8::1]:8080")
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
        ("ftp://192.0.2.1/{name}", "is not an http or https URL: begin it with http:// or https://"),
        ("http://192.0.2.1:0/{name}", "has no port from 1 to 65535"),
        ("http://a b/{name}", "has a character that a URL writes percent-encoded"),
        ("http://user@192.0.2.1/{name}", "holds a user name"),
        ("http:///{name}", "names no host: the host name '' is empty"),
    ]) func whatNamesNoServiceIsRefused(text: String, expected: String) throws {
        let error = #expect(throws: Problem.self) { try AddressService(httpdns: text) }
        #expect(error?.description.hasPrefix(expected) == true, "\(error as Any)")
    }

    @Test(arguments: [
        ("http://dns.example.com/", "does not use TLS: write https://"),
        ("dns.example.com", "is not an http or https URL: begin it with http:// or https://"),
    ]) func dnsOverHTTPSIsNotAskedInTheClear(text: String, expected: String) {
        let error = #expect(throws: Problem.self) { try AddressService(dnsOverHTTPS: text) }
        #expect(error?.description.hasPrefix(expected) == true, "\(error as Any)")
    }
}

@Suite struct AddressAnswerTests {
    private func read(_ text: String) -> String {
        do {
            let answer = try AddressAnswer.read(text.bytes)
            return "\(answer.host ?? "-") [\(answer.addresses.map(\.description).joined(separator: " "))]"
        } catch { return "error: \(error)" }
    }

    @Test(arguments: [
        ("192.0.2.1;192.0.2.2,300", "- [192.0.2.1 192.0.2.2]"), ("192.0.2.1,60", "- [192.0.2.1]"),
        ("192.0.2.1;192.0.2.1,60", "- [192.0.2.1]"), ("0", "- []"), ("0,60", "- []"),
        (
            #"{"host":"www.example.com","ips":["192.0.2.1","192.0.2.2"],"ttl":57,"client_ip":"198.51.100.1"}"#,
            "www.example.com [192.0.2.1 192.0.2.2]"
        ),
        (
            #"{"host":"www.example.com","ips":["192.0.2.1"],"ipsv6":["2001:DB8:0:0:0:0:0:1"],"ttl":57}"#,
            "www.example.com [192.0.2.1 2001:db8::1]"
        ), (#"{"host":"www.example.com","ips":[],"ttl":57}"#, "www.example.com []"),
        (
            #"{"Status":0,"TC":false,"Question":[{"name":"api.example.com.","type":1}],"Answer":["#
                + #"{"name":"api.example.com.","type":5,"TTL":300,"data":"edge.example.net."},"#
                + #"{"name":"edge.example.net.","type":1,"TTL":60,"data":"192.0.2.1"},"#
                + #"{"name":"edge.example.net.","type":1,"TTL":20,"data":"192.0.2.2"}],"Comment":"from 192.0.2.53"}"#,
            "api.example.com [192.0.2.1 192.0.2.2]"
        ),
        (
            #"{"Status":0,"Question":{"name":"api.example.com.","type":28},"#
                + #""Answer":[{"name":"api.example.com.","type":28,"TTL":60,"data":"2001:db8::1"}]}"#,
            "api.example.com [2001:db8::1]"
        ), (#"{"Status":0,"Question":[{"name":"a.example","type":28}]}"#, "a.example []"),
        (#"{"Status":0,"Question":[],"Answer":null,"code":null}"#, "- []"),
        ("\u{FEFF}" + #"{"host":null,"ips":["192.0.2.1"],"ipsv6":null}"#, "- [192.0.2.1]"),
        ("192.0.2.1", "- [192.0.2.1]"),
        ("192.0.2.1\r\n\r\n192.0.2.2 # the second; of two\r\n", "- [192.0.2.1 192.0.2.2]"),
        ("\u{FEFF}# from dig +short\nedge-1.example.net.\n192.0.2.1\n2001:db8::1", "- [192.0.2.1 2001:db8::1]"),
    ]) func answersAreReadInTheirForms(text: String, expected: String) { #expect(read(text) == expected) }

    @Test(arguments: [
        ("", "there is no answer in it"), (" \n# nothing\n", "there is no answer in it"),
        ("192.0.2.1\n192.0.2", "line 2: 7 characters that are not an address"),
        ("192.0.2.1;192.0.2.256,60", "line 1: 11 characters that are not an address"),
        ("192.0.2.1;;192.0.2.2", "line 1: 0 characters that are not an address"),
        ("192.0.2.1:8443", "line 1: 14 characters that are not an address: leave the port out"),
        (
            "192.0.2.1;192.0.2.3,192.0.2.2",
            "line 1: 9 characters that are not a TTL in seconds; addresses are joined by ';'"
        ), ("192.0.2.1-2001:db8::1", "line 1: an answer for several hosts or for both families is not read: give"),
        ("192.0.2.1|198.51.100.9", "line 1: an answer for several hosts or for both families is not read: give"),
        ("a.example.:192.0.2.1", "line 1: an answer for several hosts or for both families is not read: give"),
        ("api.example.com", "line 1: 15 characters that are not an address"),
        ("0a1b2c3d4e5f60718293a4b5c6d7e8f9", "it looks encrypted"),
        ("<html><body>no</body></html>", "it is a web page"), (#"{"host":"#, "it is broken JSON"),
        (#"{"code":"InvalidHost"}"#, "code: the service refuses: 'InvalidHost'"),
        (#"{"answer":[]}"#, "it has neither 'ips' (Aliyun, for one host) nor 'Answer'"),
        (#"{"results":[{"host":"a","ips":["192.0.2.1"]}]}"#, "it has neither 'ips' (Aliyun, for one host)"),
        (#"{"ips":["192.0.2.1","192.0.2"]}"#, "ips[1]: 7 characters that are not an address"),
        (#"{"ips":["192.0.2.1",7]}"#, "it is broken JSON, or not the answer of Aliyun"),
        (#"{"Status":3}"#, "Status: the DNS response code is 3 (NXDOMAIN, there is no such name)"),
        (#"{"Status":0,"TC":true,"Answer":[]}"#, "TC: it is cut off"),
        (#"{"Status":99}"#, "Status: the DNS response code is 99"),
        (
            #"{"Status":0,"Answer":[{"type":1,"data":"2001:db8::1"}]}"#,
            "Answer[0].data: 11 characters that are not an address"
        ), (#"{"Status":0,"Answer":[{"type":1}]}"#, "it is broken JSON, or not the answer"),
        (#"{"Status":99999999999999999999}"#, "it is broken JSON, or not the answer"),
        (#"{"Status":0,"Answer":[{"type":1e9,"data":"192.0.2.1"}]}"#, "it is broken JSON, or not the answer"),
        (#"{"ips":["192.0.2.1"],"ips":["192.0.2.2"]}"#, "it is broken JSON, or not the answer"),
        (#"{"ips":["192.0.2.1"]"#, "it is broken JSON, or not the answer"),
        (#"{"ips":["192.0.2.1"]} {}"#, "it is broken JSON, or not the answer"),
        (#"{"host":"\ud83d","ips":["192.0.2.1"]}"#, "it is broken JSON, or not the answer"),
        (#"["192.0.2.1"]"#, "line 1: 13 characters that are not an address"),
    ]) func whatIsWrongIsSaidWithItsPlace(text: String, expected: String) {
        let result = read(text)
        #expect(result.hasPrefix("error: \(expected)"), "\(result)")
        #expect(!result.contains("\n"))
    }

    @Test func largeAndUnreadableAnswersAreRefused() {
        #expect(throws: AnswerError("it is not text")) { try AddressAnswer.read([0xFF, 0xFE]) }
        let large = String(repeating: " ", count: AddressAnswer.sizeLimit + 1)
        #expect(read(large) == "error: it is larger than 256 KiB, and no answer is that long")
        let many = (0...256).map { "192.0.\($0 / 256).\($0 % 256)" }.joined(separator: "\n")
        #expect(read(many) == "error: it gives one host more than 256 addresses")
        for open in ["{\"a\":", "{\"ips\":["] {
            #expect(read(String(repeating: open, count: 10_000)).hasPrefix("error: it is broken JSON"))
        }
    }
}
