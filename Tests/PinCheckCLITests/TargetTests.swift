import PinFormats
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

@Suite(.endsSomeTime) struct TargetTests {
    @Test(
        arguments: [
            ("api.example.com", "api.example.com", nil), ("api.example.com:8443", "api.example.com", 8443),
            ("localhost:1", "localhost", 1), ("192.0.2.1", "192.0.2.1", nil), ("192.0.2.1:65535", "192.0.2.1", 65_535),
            ("[2001:db8::1]:443", "2001:db8::1", 443), ("[2001:db8::1]", "2001:db8::1", nil),
            ("2001:db8::1", "2001:db8::1", nil), ("::1", "::1", nil),
            ("https://api.example.com", "api.example.com", nil),
            ("HTTPS://api.example.com:8443/path?query#fragment", "api.example.com", 8443),
            ("https://api.example.com?query", "api.example.com", nil),
            ("https://[2001:db8::1]:8443/", "2001:db8::1", 8443), ("https://203.0.113.7/", "203.0.113.7", nil),
        ] as [(String, String, Int?)]) func namesAHostAndPerhapsAPort(text: String, host: String, port: Int?) throws
    {
        let target = try Target(text)
        #expect(target.host.description == host)
        #expect(target.port == port)
        #expect(target.text == text)
    }

    @Test(arguments: [
        ("-", "is no host: name one"), ("", "is empty"), ("api.example.com:0", "a port is a number from 1 to 65535"),
        ("api.example.com:65536", "a port is a number from 1 to 65535"),
        ("api.example.com:", "a port is a number from 1 to 65535"),
        ("api.example.com:+443", "a port is a number from 1 to 65535"),
        ("api.example.com:٤٤٣", "a port is a number from 1 to 65535"), ("[::1", "no IPv6 address in its brackets"),
        ("[::1]443", "no IPv6 address in its brackets"), ("[api.example.com]:443", "no IPv6 address in its brackets"),
        ("[192.0.2.1]:443", "no IPv6 address in its brackets"), ("a:b:c", "more than one ':'"),
        (":443", "names no host"), ("api..example.com", "has an empty label"),
        ("256.1.1.1", "write an IPv4 address as four numbers from 0 to 255"),
        ("user@api.example.com", "holds a user name"), ("https://user:secret@api.example.com/", "holds a user name"),
        ("http://api.example.com/", "is not an https URL"), ("ftp://api.example.com", "is not an https URL"),
        ("https://", "names no host"), ("https:///path", "names no host"), ("api.example.com/path", "holds a '/'"),
    ]) func refusesWhatIsNoTargetAndSaysWhy(text: String, reason: String) {
        let error = #expect(throws: Problem.self) { try Target(text) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("\n") == false)
        #expect((error?.description.count ?? 0) < 260)
    }
}

@Suite(.endsSomeTime) struct ConnectAddressTests {
    private func read(_ text: String) throws -> [String] {
        try ConnectAddress.readAny(text).map { address in
            let scope = [address.onlyForHost?.description, address.onlyForPort.map(String.init)].compactMap { $0 }
            let place = [address.host?.description, address.port.map(String.init)].compactMap { $0 }
            return scope.joined(separator: " ") + " > " + place.joined(separator: " ")
        }
    }

    @Test(arguments: [
        ("203.0.113.7", [" > 203.0.113.7"]), ("203.0.113.7:8443", [" > 203.0.113.7 8443"]),
        ("2001:db8::1", [" > 2001:db8::1"]), ("[2001:db8::1]:8443", [" > 2001:db8::1 8443"]),
        ("edge.example.net", [" > edge.example.net"]), ("edge.example.net:8443", [" > edge.example.net 8443"]),
        ("api.example.com:443:203.0.113.7", ["api.example.com 443 > 203.0.113.7 443"]),
        (
            "api.example.com:443:203.0.113.7,203.0.113.8",
            ["api.example.com 443 > 203.0.113.7 443", "api.example.com 443 > 203.0.113.8 443"]
        ), ("+api.example.com:443:[2001:db8::1]", ["api.example.com 443 > 2001:db8::1 443"]),
        ("api.example.com:443:2001:db8::1", ["api.example.com 443 > 2001:db8::1 443"]),
        ("*:443:203.0.113.7", ["443 > 203.0.113.7 443"]),
        ("api.example.com:443:edge.example.net:8443", ["api.example.com 443 > edge.example.net 8443"]),
        ("::edge.example.net:", [" > edge.example.net"]),
        ("[2001:db8::1]:443:[2001:db8::2]:8443", ["2001:db8::1 443 > 2001:db8::2 8443"]),
    ]) func readsAddressesAndBothOfCurlsNotations(text: String, expected: [String]) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        "", ":", "203.0.113.7:0", "a:b:c:d:e", "api.example.com:443:edge.example.net", "host::b", "[::1",
        "[\u{301}::1]:9", "[::1]\u{301}:9", "[::1]:\u{301}443", "[\u{200D}::1]",
    ]) func refusesWhatIsNoAddress(text: String) { #expect(throws: Problem.self) { try ConnectAddress.readAny(text) } }
}

@Suite(.endsSomeTime) struct TimeTextTests {
    @Test(
        arguments: [
            ("1970-01-01", 0), ("2026-11-21", 1_795_219_200), ("2024-02-29", 1_709_164_800),
            ("2026-11-21T08:00:00Z", 1_795_248_000), ("2026-11-21t08:00:00z", 1_795_248_000),
            ("2026-11-21 08:00:00Z", 1_795_248_000), ("2026-11-21T09:30:00+01:30", 1_795_248_000),
            ("2026-11-21T00:00:00-08:00", 1_795_248_000), ("2026-01-01T00:00:00+00:00", 1_767_225_600),
            ("0001-01-01", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
        ] as [(String, Int64)]) func readsMoments(text: String, seconds: Int64) throws
    { #expect(try TimeText.read(text).secondsSinceEpoch == seconds) }

    @Test(arguments: [
        "", "nonsense", "1795248000", "2026-11-21T08:00:00.999Z", "20261121", "2026-13-01", "2026-02-29", "2026-00-10",
        "2026-11-31", "2026-11-21T08:00:00", "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:00Z",
        "2026-11-21T08:00:00+1:00", "2026-11-21T08:00:00+24:00", "2026-11-21Z", "2026-11-21T08:00:00Zx", "٢٠٢٦-١١-٢١",
        "0000-01-01", "21.11.2026",
    ]) func refusesNonsenseAndShowsHowToWriteATime(text: String) {
        let error = #expect(throws: Problem.self) { try TimeText.read(text) }
        #expect(error?.description.contains("write 2026-11-21T08:00:00Z") == true)
    }
}
