import Pinning
import Testing

@testable import TLSProbe

@Suite struct AddressAnswerTests {
    /// The answers in `text` as `format host addresses ttl`, or the error.
    private func read(_ text: String) -> String {
        do {
            return try AddressAnswer.read(Array(text.utf8)).map { answer in
                let addresses = answer.addresses.map(\.description).joined(separator: " ")
                return "\(answer.format.rawValue) \(answer.host ?? "-") [\(addresses)] "
                    + (answer.secondsToLive.map(String.init) ?? "-")
            }.joined(separator: "; ")
        } catch { return "error: \(error)" }
    }

    @Test(arguments: [
        ("192.0.2.1;192.0.2.2,300", "tencent - [192.0.2.1 192.0.2.2] 300"),
        ("192.0.2.1,60", "tencent - [192.0.2.1] 60"), ("192.0.2.1;192.0.2.2\n", "tencent - [192.0.2.1 192.0.2.2] -"),
        ("192.0.2.1;192.0.2.2-2001:db8::1;2001:db8::2", "tencent - [192.0.2.1 192.0.2.2 2001:db8::1 2001:db8::2] -"),
        ("192.0.2.1,300-2001:db8::1,60", "tencent - [192.0.2.1 2001:db8::1] 60"),
        ("192.0.2.1-0", "tencent - [192.0.2.1] -"), ("0-2001:db8::1", "tencent - [2001:db8::1] -"),
        ("0", "tencent - [] -"), ("0-0", "tencent - [] -"), ("0,60", "tencent - [] 60"),
        ("192.0.2.1;192.0.2.1,60|198.51.100.9", "tencent - [192.0.2.1] 60"),
        ("API.example.com.:192.0.2.1;192.0.2.2,60", "tencent api.example.com [192.0.2.1 192.0.2.2] 60"),
        (
            "a.example.com.:192.0.2.1,60\nb.example.com.:0",
            "tencent a.example.com [192.0.2.1] 60; tencent b.example.com [] -"
        ), ("2001:db8::1;2001:db8::2", "tencent - [2001:db8::1 2001:db8::2] -"),
    ]) func tencentsAnswersAreRead(text: String, expected: String) { #expect(read(text) == expected) }

    @Test(arguments: [
        (
            #"{"host":"www.example.com","ips":["192.0.2.1","192.0.2.2"],"ttl":57,"origin_ttl":120,"client_ip":"198.51.100.1"}"#,
            "aliyun www.example.com [192.0.2.1 192.0.2.2] 57"
        ),
        (
            #"{"host":"www.example.com","ips":["192.0.2.1"],"ipsv6":["2001:DB8:0:0:0:0:0:1"],"ttl":57}"#,
            "aliyun www.example.com [192.0.2.1 2001:db8::1] 57"
        ), (#"{"host":"www.example.com","ips":[],"ttl":57}"#, "aliyun www.example.com [] 57"),
        (
            #"{"results":[{"host":"a.example","ips":["192.0.2.1"],"type":1,"ttl":26},"#
                + #"{"host":"b.example","ips":["192.0.2.9"],"type":1,"ttl":5},"#
                + #"{"host":"a.example","ips":["2001:db8::1"],"type":28,"ttl":20}]}"#,
            "aliyun a.example [192.0.2.1 2001:db8::1] 20; aliyun b.example [192.0.2.9] 5"
        ),
    ]) func aliyunsAnswersAreRead(text: String, expected: String) { #expect(read(text) == expected) }

    @Test(arguments: [
        (
            #"{"Status":0,"TC":false,"RD":true,"RA":true,"AD":false,"CD":false,"#
                + #""Question":[{"name":"api.example.com.","type":1}],"Answer":["#
                + #"{"name":"api.example.com.","type":5,"TTL":300,"data":"edge.example.net."},"#
                + #"{"name":"edge.example.net.","type":1,"TTL":60,"data":"192.0.2.1"},"#
                + #"{"name":"edge.example.net.","type":1,"TTL":20,"data":"192.0.2.2"}],"Comment":"from 192.0.2.53"}"#,
            "dns-json api.example.com [192.0.2.1 192.0.2.2] 20"
        ),
        (
            #"{"Status":0,"Question":{"name":"api.example.com.","type":28},"#
                + #""Answer":[{"name":"api.example.com.","type":28,"TTL":60,"data":"2001:db8::1"}]}"#,
            "dns-json api.example.com [2001:db8::1] 60"
        ), (#"{"Status":0,"Question":[{"name":"a.example","type":28}]}"#, "dns-json a.example [] -"),
        (#"["192.0.2.1","192.0.2.2"]"#, "list - [192.0.2.1 192.0.2.2] -"),
    ]) func answersOfDNSOverHTTPSAreRead(text: String, expected: String) { #expect(read(text) == expected) }

    @Test(arguments: [
        ("192.0.2.1", "list - [192.0.2.1] -"), ("192.0.2.1:8443;192.0.2.2:8443", "list - [192.0.2.1 192.0.2.2] -"),
        ("192.0.2.1;[2001:db8::1]:8443", "list - [192.0.2.1 2001:db8::1] -"),
        ("192.0.2.1\r\n\r\n192.0.2.2 # the second; of two\r\n", "list - [192.0.2.1 192.0.2.2] -"),
        ("\u{FEFF}# from dig +short\nedge-1.example.net.\n192.0.2.1\n2001:db8::1", "list - [192.0.2.1 2001:db8::1] -"),
    ]) func listsAreRead(text: String, expected: String) { #expect(read(text) == expected) }

    @Test(arguments: [
        ("", "there is no answer in it"), (" \n# nothing\n", "there is no answer in it"),
        ("192.0.2.1\n192.0.2", "line 2: '192.0.2' is not an address"),
        ("192.0.2.1;192.0.2.256,60", "line 1: '192.0.2.256' is not an address"),
        ("192.0.2.1;;192.0.2.2", "line 1: '' is not an address"),
        (
            "192.0.2.1;192.0.2.3,192.0.2.2",
            "line 1: '192.0.2.2' is not a time to live in seconds; addresses are joined by ';'"
        ), ("192.0.2.1,-1", "line 1: '' is not a time to live"),
        ("api.example.com", "line 1: 'api.example.com' is not an address"),
        ("a.example.:192.0.2.1\nb.example.:x", "line 2: 'x' is not an address"),
        ("0a1b2c3d4e5f60718293a4b5c6d7e8f9", "it looks encrypted"),
        ("<html><body>no</body></html>", "it is a web page"), (#"{"host":"#, "it is broken JSON"),
        (#"{"code":"InvalidHost"}"#, "code: the service refuses: 'InvalidHost'"),
        (#"{"answer":[]}"#, "it has neither 'ips' (Aliyun) nor 'Answer'"),
        (#"{"ips":["192.0.2.1","192.0.2"]}"#, "ips[1]: '192.0.2' is not an address"),
        (#"{"ips":["192.0.2.1",7]}"#, "ips[1]: it is not a text"), (#"{"ips":"192.0.2.1"}"#, "ips: it is not a list"),
        (#"{"ips":["192.0.2.1"],"ttl":"soon"}"#, "ttl: it is not a whole number"),
        (#"{"results":[{"host":"a","ips":["::g"]}]}"#, "results[0].ips[0]: '::g' is not an address"),
        (#"{"Status":3}"#, "Status: the DNS response code is 3 (NXDOMAIN, there is no such name)"),
        (#"{"Status":99}"#, "Status: the DNS response code is 99"),
        (
            #"{"Status":0,"Answer":[{"type":1,"data":"2001:db8::1"}]}"#,
            "Answer[0].data: '2001:db8::1' is not an address"
        ), (#"{"Status":0,"Answer":[{"type":1}]}"#, "Answer[0].data: it is not there"),
        (#"[["192.0.2.1"]]"#, "[0]: it is not a text"), ("\"192.0.2.1\"", "line 1: '\"192.0.2.1\"' is not an address"),
    ]) func whatIsWrongIsSaidWithItsPlace(text: String, expected: String) {
        let result = read(text)
        #expect(result.hasPrefix("error: \(expected)"), "\(result)")
        #expect(!result.contains("\n"))
    }

    @Test func largeAndUnreadableAnswersAreRefused() {
        #expect(throws: AnswerError(.notText)) { try AddressAnswer.read([0xFF, 0xFE]) }
        let large = [UInt8](repeating: 0x20, count: AddressAnswer.sizeLimit + 1)
        #expect(throws: AnswerError(.tooLarge(limit: AddressAnswer.sizeLimit))) { try AddressAnswer.read(large) }
        let many = (0...256).map { "192.0.\($0 / 256).\($0 % 256)" }.joined(separator: "\n")
        #expect(throws: AnswerError(.tooManyAddresses(257, limit: 256))) { try AddressAnswer.read(Array(many.utf8)) }
        let deep = String(repeating: "[", count: 100_000)
        #expect(read(deep).hasPrefix("error: "))
    }

    @Test func noPrefixOrMutationOfAnAnswerIsACrash() {
        let samples = [
            "a.example.com.:192.0.2.1;192.0.2.2,60-2001:db8::1|198.51.100.1",
            #"{"Status":0,"Question":[{"name":"a.","type":1}],"Answer":[{"type":1,"TTL":6,"data":"192.0.2.1"}]}"#,
            #"{"results":[{"host":"a.example","ips":["192.0.2.1"],"ttl":26}]}"#,
        ]
        for sample in samples.map({ Array($0.utf8) }) {
            for end in sample.indices { _ = try? AddressAnswer.read(Array(sample[..<end])) }
            for index in sample.indices {
                for byte in [0, 0x0A, 0x22, 0x2C, 0x2D, 0x3A, 0x5D, 0x7D, 0xFF] as [UInt8] {
                    var changed = sample
                    changed[index] = byte
                    _ = try? AddressAnswer.read(changed)
                }
            }
        }
    }
}

/// Answers that would take more time than they are worth.
@Suite(.timeLimit(.minutes(5))) struct LargeAnswerTests {
    @Test func anEntryForEachAddressOfAHostEndsAtTheLimit() {
        let entries = (0..<8_000).map { "{\"ips\":[\"10.0.\($0 / 256).\($0 % 256)\"]}" }.joined(separator: ",")
        let error = #expect(throws: AnswerError.self) { try AddressAnswer.read(Array("{\"dns\":[\(entries)]}".utf8)) }
        #expect(error?.problem == .tooManyAddresses(257, limit: 256))
    }
}
