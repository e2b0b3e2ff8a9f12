import LoopbackLab
import Pinning
import Testing

@testable import PinFormats

/// Wildcards and aliases, of which some are a matter of one host alone.
extension ZoneTests {
    // MARK: Wildcards

    /// A wildcard is for no name that is there (RFC 4592, 2.2): of another type, by way of an alias, or for a name below it alone.
    @Test(arguments: [
        "_8443._tcp.v IN TLSA 3 1 1 OTHER", "_8443._tcp.v IN TXT x", "x._8443._tcp.v IN A 192.0.2.1",
        "_8443._TCP.V IN CNAME dane\ndane TLSA 3 1 1 OTHER",
    ]) func aWildcardIsNotForAPortThatIsThere(line: String) throws {
        for lines in ["*._tcp.v IN TLSA 3 1 1 OWN\n\(line)", "\(line)\n*._tcp.v IN TLSA 3 1 1 OWN"] {
            let error = try error("$ORIGIN example.com.\n\(lines)\n")
            #expect(error.problem == .badRecord)
            #expect(
                error.reason == "the record for all ports of v.example.com is not for the port 8443, which has its own")
        }
    }

    @Test(arguments: ["_8443._udp.v IN TXT x", "_8443._tcp.w IN TXT x", "v IN A 192.0.2.1", "_http._tcp.v SRV 0 0 1 v"])
    func aWildcardIsForAllOtherPorts(line: String) throws {
        let zone = "$ORIGIN example.com.\n*._tcp.v IN TLSA 3 1 1 OWN\n\(line)\n"
        #expect(try pins(zone) == ["v.example.com": [first]])
    }

    // MARK: Aliases

    @Test(arguments: [
        "_443._tcp.w CNAME _1._tcp.a\n_443._tcp.w CNAME _1._tcp.b\n",
        "_443._tcp.w CNAME _1._tcp.a\n_443._tcp.w TLSA 3 1 1 OTHER\n",
        "_443._tcp.w CNAME c\nc CNAME _1._tcp.a\nc CNAME _1._tcp.b\n",
    ]) func anAliasBesideOtherRecordsIsAMistake(lines: String) throws {
        let error = try error("$ORIGIN example.com.\n_1._tcp.a TLSA 3 1 1 OWN\n_1._tcp.b TLSA 3 1 1 OTHER\n" + lines)
        #expect(error.problem == .badRecord)
        #expect(error.reason == "'_443._tcp.w.example.com.' is an alias and has other records, which no server loads")
    }

    private static let leadingElsewhere =
        own + "_443._tcp.w.example.com. CNAME a.example.net.\n_443._tcp.x.example.com. CNAME b.example.net.\n"
        + "_443._tcp.y.example.com. CNAME _443._tcp.v.example.com.\n"

    private func reading(_ zone: String, skipsBadPins: Bool, defersHosts: Bool) throws -> PinReading {
        try TemporaryDirectory.scoped { directory in
            let path = try directory.write(Array(Self.filled(zone).utf8), to: "zone")
            return try PinSource(path, skipsBadPins: skipsBadPins).read(defersHosts: defersHosts)
        }
    }

    @Test func anAliasThatLeadsElsewhereIsSkippedByItself() throws {
        let reading = try reading(Self.leadingElsewhere, skipsBadPins: true, defersHosts: true)
        #expect(
            reading.configurations.flatMap(\.entries).map { $0.hosts?.description } == [
                "v.example.com", "y.example.com",
            ])
        #expect(reading.notes.count == 2)
        #expect(reading.notes.allSatisfy { $0.id == .skippedBadPin })
        #expect(reading.unreadHosts.isEmpty)
    }

    @Test func anAliasThatLeadsElsewhereIsAMatterOfItsHostAlone() throws {
        let reading = try reading(Self.leadingElsewhere, skipsBadPins: false, defersHosts: true)
        #expect(reading.unreadHosts.map(\.hosts.description) == ["w.example.com", "x.example.com"])
        #expect(reading.unreadHosts.map(\.error.problem) == [.badRecord, .badRecord])
        let hosts = ["v.example.com", "w.example.com", "x.example.com", "y.example.com"]
        #expect(
            hosts.filter { host in reading.unreadHosts.contains { $0.covers(host, port: 443) } } == Array(hosts[1...2]))
        #expect(!reading.unreadHosts.contains { $0.covers("w.example.com", port: 8443) })
        #expect(reading.unreadHosts[0].covers("w.example.com", port: nil))
    }

    @Test func aZoneOfWhichNoHostIsReadIsAMistake() throws {
        let zone = "_443._tcp.w.example.com. CNAME a.example.net.\na.example.net. TXT TLSA\n_1._udp.v. TLSA 3 1 1 OWN\n"
        #expect(throws: PinFormatError.self) { try reading(zone, skipsBadPins: false, defersHosts: true) }
    }

    @Test func aWildcardBesideAPortIsAMatterOfTheOtherPorts() throws {
        let zone = Self.own + "*._tcp.v.example.com. TLSA 3 1 1 OTHER\n*._tcp.v.example.com. TLSA 3 1 1 OWN\n"
        let reading = try reading(zone, skipsBadPins: false, defersHosts: true)
        #expect(reading.configurations.flatMap(\.entries).map(\.port) == [443])
        let unread = try #require(reading.unreadHosts.first)
        #expect(reading.unreadHosts.count == 1)
        #expect(!unread.covers("v.example.com", port: 443))
        #expect(unread.covers("v.example.com", port: 8443))
        #expect(unread.covers("v.example.com", port: nil))
        #expect(!unread.covers("w.example.com", port: 8443))
    }
}
