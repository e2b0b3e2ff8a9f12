import LoopbackLab
import Pinning
import Testing

@testable import PinFormats

/// Names for which the servers of a zone do not answer, and hosts that are aliases.
extension ZoneTests {
    private static let zone = "$ORIGIN example.com.\n@ SOA ns1 h 1 2 3 4 5\n@ NS ns1\n_443._tcp.v TLSA 3 1 1 OWN\n"

    /// What a check of one host is told, by the host and the port.
    private func unread(_ zone: String) throws -> [String: String] {
        try TemporaryDirectory.scoped { directory in
            let path = try directory.write(Array(Self.filled(zone).utf8), to: "zone")
            let hosts = try PinSource(path).read(defersHosts: true).unreadHosts
            let reasons = hosts.map { ("\($0.hosts):\($0.port.map(String.init) ?? "*")", $0.error.reason) }
            return Dictionary(reasons) { "\($0) and \($1)" }
        }
    }

    private func notes(_ zone: String) throws -> [String] {
        try PinFormatsTests.reading(ofFile: "zone", Self.filled(zone)).notes.map(\.text)
    }

    /// The servers with pins where those of unread hosts are left to who asks for them.
    private func deferredPins(_ zone: String) throws -> [String: [SHA256Digest]] {
        try TemporaryDirectory.scoped { directory in
            let path = try directory.write(Array(Self.filled(zone).utf8), to: "zone")
            let entries = try PinSource(path).read(defersHosts: true).configurations.flatMap(\.entries)
            return Dictionary(grouping: entries) { "\($0.hosts?.name ?? ""):\($0.port.map(String.init) ?? "*")" }
                .mapValues { $0.flatMap(\.pins).map(\.spkiSHA256) }
        }
    }

    // MARK: Names that no server answers for

    @Test(arguments: [
        ("_443._tcp.w.example.net. TLSA 3 1 1 OTHER\n", "w.example.net", "outside of the zone"),
        (
            "s NS ns.example.net.\n_443._tcp.w.s TLSA 3 1 1 OTHER\n", "w.s.example.com",
            "below the delegation of s.example.com."
        ),
        (
            "_443._tcp.w.s TLSA 3 1 1 OTHER\nw.s NS ns.example.net.\n", "w.s.example.com",
            "below the delegation of w.s.example.com."
        ), ("w DNAME x\n_443._tcp.w TLSA 3 1 1 OTHER\n", "w.example.com", "below the DNAME of w.example.com."),
        ("w DNAME x\n_443._tcp.w CNAME _443._tcp.v\n", "w.example.com", "below the DNAME of w.example.com."),
    ]) func aRecordThatNoServerAnswersWithIsAMatterOfItsHost(lines: String, host: String, place: String) throws {
        let zone = Self.zone + lines
        #expect(try deferredPins(zone) == ["v.example.com:443": [first]])
        #expect(
            try unread(zone) == [
                "\(host):443": "'_443._tcp.\(host).' is \(place), where no server answers with the records of this file"
            ])
        let error = try error(zone)
        #expect(error.problem == .badRecord)
    }

    @Test func anAliasLeadsToNoRecordOutsideOfTheZone() throws {
        let zone = Self.zone + "_443._tcp.w CNAME d.example.net.\nd.example.net. TLSA 3 1 1 OTHER\n"
        #expect(try deferredPins(zone) == ["v.example.com:443": [first]])
        #expect(
            try unread(zone) == [
                "w.example.com:443":
                    "the TLSA records of '_443._tcp.w.example.com.' are those of another name and are not in the file"
            ])
    }

    /// Zones behind one another, and what `dig` prints of several.
    @Test(arguments: [
        zone + "example.net. SOA ns1 h 1 2 3 4 5\n_443._tcp.w.example.net. TLSA 3 1 1 OTHER\n",
        zone + "s NS ns1\ns SOA ns1 h 1 2 3 4 5\n_443._tcp.w.s TLSA 3 1 1 OTHER\n",
        "_443._tcp.v.example.com. TLSA 3 1 1 OWN\nexample.com. NS ns1.example.com.\n"
            + "example.net. SOA ns1.example.net. h.example.net. 1 2 3 4 5\n_443._tcp.w.example.org. TLSA 3 1 1 OTHER\n",
        "s.example.com. DNAME t.example.com.\n_443._tcp.v.s.example.com. CNAME _443._tcp.v.t.example.com.\n"
            + "_443._tcp.v.t.example.com. TLSA 3 1 1 OWN\n",
    ]) func otherRecordsAreThoseOfTheirHosts(zone: String) throws {
        #expect(try unread(zone).isEmpty)
        #expect(try pins(zone).count == 2)
    }

    // MARK: Hosts that are aliases

    @Test func aHostWithOtherRecordsThanWhatItLeadsToIsNotRead() throws {
        let zone = Self.zone + "w CNAME x\nx CNAME v\n_443._tcp.w TLSA 3 1 1 OTHER\n"
        #expect(try deferredPins(zone) == ["v.example.com:443": [first], "x.example.com:443": [first]])
        #expect(
            try unread(zone) == [
                "w.example.com:*":
                    "'w.example.com.' is an alias of v.example.com. and has other TLSA records than it, which clients ask first"
            ])
        #expect(try error(zone).remedy == "leave the records that clients of the host find first, as dig prints them")
    }

    @Test func aHostHasTheRecordsOfWhatItLeadsTo() throws {
        let zone =
            Self.zone + "w CNAME v\n_443._tcp.w TLSA 3 1 1 OWN\nx CNAME v\n_8443._tcp.v TLSA 3 1 1 OTHER\n_d CNAME v\n"
        #expect(
            try pins(zone) == [
                "v.example.com:443": [first], "v.example.com:8443": [second], "w.example.com:443": [first],
                "w.example.com:8443": [second], "x.example.com:443": [first], "x.example.com:8443": [second],
            ])
        #expect(try notes(zone).isEmpty)
    }

    @Test(arguments: [
        "w CNAME v\n*._tcp.w TLSA 3 1 1 OWN\n", "w CNAME v\nw CNAME x\n_443._tcp.w TLSA 3 1 1 OWN\n",
        "w CNAME w\n_443._tcp.w TLSA 3 1 1 OWN\n", "$GENERATE 1-9 w$ CNAME x\n_443._tcp.w1 TLSA 3 1 1 OWN\n",
        "w CNAME u1\n$GENERATE 1-9 u${0,3,d} CNAME x\n_443._tcp.w TLSA 3 1 1 OWN\n",
    ]) func aHostWhoseTargetIsNotKnownIsNotRead(lines: String) throws {
        let zone = Self.zone + lines
        #expect(try deferredPins(zone) == ["v.example.com:443": [first]])
        #expect(try unread(zone).count == 1)
    }

    @Test func aHostIsNotReadWhereWhatItLeadsToIsNot() throws {
        let zone = Self.zone + "w CNAME x\n_443._tcp.w TLSA 3 1 1 OTHER\n_443._tcp.x CNAME d.example.net.\n"
        let reason = "the TLSA records of '_443._tcp.x.example.com.' are those of another name and are not in the file"
        #expect(try deferredPins(zone) == ["v.example.com:443": [first]])
        #expect(try unread(zone) == ["w.example.com:443": reason, "x.example.com:443": reason])
    }

    @Test func aHostThatLeadsOutOfTheFileKeepsItsRecordsWithANote() throws {
        let records = "_443._tcp.w TLSA 3 1 1 OTHER\n"
        let zone = Self.zone + records + "w CNAME cdn.example.net.\n"
        #expect(try pins(zone) == ["v.example.com:443": [first], "w.example.com:443": [second]])
        #expect(
            try notes(zone) == [
                "clients ask for the TLSA records of cdn.example.net. first, to which the host leads: the file does not have them"
            ])
        #expect(try notes(Self.zone + records + "w CNAME x\nx A 192.0.2.1\n").isEmpty)
    }

    // MARK: Names that are generated

    @Test func generatedAliasesAreNoOwnersOfTLSARecords() throws {
        let lines =
            "$GENERATE 1-9 h$ CNAME www\n$GENERATE 1-9 ${0,2,x}.n 3600 IN CNAME www\n_443._tcp.hello TLSA 3 1 1 OWN\n"
        #expect(try pins(Self.zone + lines) == ["v.example.com:443": [first], "hello.example.com:443": [first]])
    }

    @Test(arguments: [
        "_$._tcp.w CNAME d", "\\095$._tcp.w CNAME d", "_tcp.h$ CNAME d", "*._tcp.h$ CNAME d", "h$ DNAME d",
        "h$ TYPE52 d", "a..b$ CNAME d",
    ]) func generatedOwnersAreAMistake(line: String) throws {
        let error = try error(Self.zone + "$GENERATE 1-9 \(line)\n")
        #expect(error.problem == .badRecord)
        #expect(error.reason == "what '$GENERATE 1-9 \(line)' stands for is not written out")
    }
}
