import Pinning
import Testing

@testable import PinFormats

/// Which TLSA records a zone has for a server, as those who load it find them.
@Suite struct ZoneTests {
    static func filled(_ text: String) -> String {
        text.replacing("OWN", with: first.hexadecimal).replacing("OTHER", with: second.hexadecimal)
    }

    static let own = "_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n"

    private func reading(_ text: String) throws -> PinReading {
        try PinFormatsTests.reading(ofFile: "zone", Self.filled(text))
    }

    /// Each server with its pins.
    func pins(_ text: String) throws -> [String: [SHA256Digest]] {
        var pins: [String: [SHA256Digest]] = [:]
        for entry in try reading(text).configurations.flatMap(\.entries) {
            let server = (entry.hosts?.name ?? "") + (entry.port.map { ":\($0)" } ?? "")
            pins[server, default: []] += entry.pins.map(\.spkiSHA256)
        }
        return pins
    }

    func error(_ text: String) throws -> PinFormatError { try failure(ofFile: "zone", Self.filled(text)) }

    @Test(arguments: ["\u{0C}", "\u{0B}", "\u{85}", "\u{2028}"]) func nothingButANewlineEndsAComment(mark: String)
        throws
    {
        let zone = "\(Self.own); old\(mark)_443._tcp.v.example.com. IN TLSA 3 1 1 OTHER\n"
        #expect(try pins(zone) == ["v.example.com:443": [first]])
    }

    @Test func anOwnerThatIsLeftOutIsTheOneBeforeAsItWasThen() throws {
        let zone = """
            $ORIGIN w.example.com.
            _443._tcp IN TLSA 3 1 1 OWN
            $ORIGIN v.example.com.
                      IN TLSA 3 1 1 OTHER
            """
        #expect(try pins(zone) == ["w.example.com:443": [first, second]])
    }

    @Test(arguments: [
        "$ORIGIN _443._tcp.v.example.com.\n@ 3600 IN TLSA 3 1 1 OWN\n",
        "$ORIGIN .\n_443._tcp.v.example.com 3600 IN TLSA 3 1 1 OWN\n",
        "\\095443._TCP.\\086.example\\.com. A 192.0.2.1\n\\095443._\\116\\C\\p.v.example.com. IN TLSA 3 1 1 OWN\n",
        "w in a 192.0.2.1\n_443._tcp.v.example.com. in tlsa 3 1 1 OWN\n",
        "_ftp._tcp.w.example.com. IN URI 10 1 \"ftp://x/\"\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "w.example.com. 1h30m NEWTYPE x\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "w.example.com. TYPE65280 \\# 1 00\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "w.example.com. IN TXT \"a ; b ( c\nd\" \"e )\"\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "w.example.com. IN TXT ( \"a\nb\" ) ; c\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "_443._tcp.v.example.com. IN TYPE52 \\# 35 030101OWN\n",
        "_443._tcp.v.example.com. CLASS1 TYPE52 \\# 35 03 0101 OWN\n",
        "_443._tcp.v.example.com. IN TLSA \\# 35 ( 030101OWN )\n",
        "$GENERATE 1-9 h$.example.com. A 192.0.2.$\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "tlsa 3600 IN A 192.0.2.9\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "TLSA 3600 A 192.0.2.9\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "w.example.com. TXT a #b ( \"c\n\" )\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "w.example.com. TXT (\n#a (\n) )\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
        "# a (\n  # b \"\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN # c (\n",
        "_443._tcp.v.example.com. IN TLSA ( # a )\n # b\n3 1 1 OWN # c \"\n)\n",
    ]) func recordsAreReadAsTheyAreLoaded(zone: String) throws {
        #expect(try pins(zone) == ["v.example.com:443": [first]])
    }

    @Test func aliasesOfOwnersAreFollowed() throws {
        let zone = """
            $ORIGIN example.com.
            _443._tcp.v IN CNAME dane
            _443._tcp.w IN CNAME _443._tcp.v
            _443._tcp.x IN CNAME _443._tcp.y
            www         IN CNAME elsewhere.example.net.
            dane        IN TLSA 3 1 1 OWN
            _443._tcp.y IN TLSA 3 1 1 OTHER
            """
        #expect(
            try pins(zone) == [
                "v.example.com:443": [first], "w.example.com:443": [first], "x.example.com:443": [second],
                "y.example.com:443": [second],
            ])
    }

    @Test(arguments: [
        (
            "_443._tcp.w.example.com. IN CNAME dane.example.net.\n", 2,
            "are those of another name and are not in the file"
        ), ("_443._tcp.w IN CNAME _443._tcp.x\n_443._tcp.x IN CNAME _443._tcp.w\n", 2, "are those of another name"),
        ("_tcp.w.example.com. IN DNAME dane.example.com.\n", 2, "are others, which is not followed"),
        (
            "x.example.com. IN TXT ( \"a\"\n_443._tcp.w.example.com. IN TLSA 3 1 1 OTHER\n", 2,
            "a parenthesis that is not closed"
        ), ("x.example.com. IN TXT a )\n", 2, "a parenthesis that is not opened"),
        ("x TXT \"a\n_443._tcp.w IN TLSA 3 1 1 OTHER\ny TXT \"b\"\n", 2, "a quotation mark that is not closed"),
        ("x TXT a #b (\n", 2, "a parenthesis that is not closed"),
        ("TLSA 3 1 A\n", 2, "names no owner, as others of the file do"),
        ("tlsa 3600 IN TLSA 3 1 1 OTHER\n", 2, "the owner 'tlsa.' of the TLSA record names no port"),
        ("x TXT \"a\n", 2, "a quotation mark that is not closed"),
        ("$INCLUDE other.zone\n", 2, "what '$INCLUDE other.zone' stands for is not written out"),
        ("$GENERATE 1-2 _443._tcp.h$ TLSA 3 1 1 OTHER\n", 2, "stands for is not written out"),
        ("$ORIGIN\n", 2, "what '$ORIGIN' stands for"),
        (" _443._tcp.w.example.com. IN TLSA 3 1 1 OTHER\n", 2, "the line names TLSA and is no record"),
        ("TLSA 3 1 1 OTHER\n", 2, "names no owner, as others of the file do"),
        ("3 1 1 OTHER\n", 2, "names no owner, as others of the file do"),
        ("a..b IN A 192.0.2.1\n  IN TLSA 3 1 1 OTHER\n", 3, "names no owner, as others of the file do"),
        ("_443._tcp.w.example.com. IN TYPE52 \\# 34 030101OTHER\n", 2, "is not as long as it says"),
        ("_443._tcp.w.example.com. IN TYPE52 \\# 1 03\n", 2, "is cut off"),
        ("_0443._tcp.w.example.com. IN TLSA 3 1 1 OTHER\n", 2, "names no port"),
        ("_443._tcp.w\\.example.com. IN TLSA 3 1 1 OTHER\n", 2, "names no port"),
        ("*.example.com. IN TLSA 3 1 1 OTHER\n", 2, "names no port"),
        ("*._tcp.v.example.com. IN TLSA 3 1 1 OTHER\n", 2, "is not for the port 443, which has its own"),
        ("@ IN SOA ns hostmaster 1 2 3 4 5\n_443._tcp.w IN TLSA 3 1 1 OTHER\n", 3, "the zone's own name"),
    ]) func whatTheZoneDoesNotSayIsAMistake(lines: String, line: Int, reason: String) throws {
        let error = try error(Self.own + lines)
        #expect(error.reason.contains(reason), "\(error)")
        #expect(error.place.description.hasSuffix(":\(line)"), "\(error)")
    }

    @Test(arguments: [
        ("3 1 7", "'7' is not a TLSA matching type"), ("3 2 1", "'2' is not a TLSA selector"),
        ("255 1 1", "'255' is not a TLSA usage"),
    ]) func recordsThatNoClientKnowsArePassedOverBesideOthers(numbers: String, reason: String) throws {
        let unknown = "_443._tcp.v.example.com. IN TLSA \(numbers) OTHER\n"
        for zone in [Self.own + unknown, unknown + Self.own] {
            #expect(try pins(zone) == ["v.example.com:443": [first]])
            #expect(try reading(zone).notes.map(\.text) == ["clients pass over the record: \(reason)"])
        }
        for zone in [unknown, Self.own + unknown.replacing("v.example", with: "w.example")] {
            let error = try error(zone)
            #expect(error.problem == .badRecord)
            #expect(error.reason == reason)
        }
    }

    @Test func aNameThatIsLongerThanAnyIsAMistake() throws {
        let labels = String(repeating: "abcdefg.", count: 31)
        #expect(try pins("$ORIGIN \(labels)\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n").count == 1)
        #expect(try error("$ORIGIN \(labels)abcdefg.\n_443._tcp IN TLSA 3 1 1 OWN\n").place.description.hasSuffix(":1"))
        #expect(try error("$ORIGIN \(labels)\n_443._tcp.v IN TLSA 3 1 1 OWN\n").place.description.hasSuffix(":2"))
    }

    @Test func aliasesDoNotMultiplyRecords() throws {
        let aliases = (0..<300).map { "_443._tcp.h\($0).example.com. CNAME d.\n" }.joined()
        let records = (0..<300).map { index in
            "d. TLSA 3 1 1 " + digest(from: UInt8(index % 256)).hexadecimal.dropLast(2)
                + (index < 256 ? "aa\n" : "bb\n")
        }
        #expect(try error(aliases + records.joined()).problem == .unreasonableDocument)
    }

    // MARK: Names without an origin

    /// What else is in the file shows that its names go on, and where the record stands that needs to know with what.
    @Test(arguments: [
        ("@ IN SOA ns1 hostmaster 1 2 3 4 5\n_443._tcp.v.example.com IN TLSA 3 1 1 OWN\n", 2),
        (
            "_443._tcp.v.example.com IN TLSA 3 1 1 OWN\nexample.com. IN SOA ns.example.com. h.example.com. 1 2 3 4 5\n",
            1
        ), ("_443._tcp.v.example.com IN TLSA 3 1 1 OWN\nexample.com. IN NS ns1\n", 1),
        ("_443._tcp.v.example.com IN TLSA 3 1 1 OWN\nexample.com. IN MX 10 @\n", 1),
        ("www IN A 192.0.2.1\n_443._tcp.v.example.com IN TLSA 3 1 1 OWN\n", 2),
        ("www 300 A 192.0.2.1\n_443._tcp.v.example.com TXT x\n  IN TLSA 3 1 1 OWN\n", 3),
        ("www A 192.0.2.1\n_443._tcp.v.example.com CNAME dane.example.com.\ndane.example.com. TLSA 3 1 1 OWN\n", 2),
        ("www A 192.0.2.1\n_443._tcp.v.example.com. CNAME dane\ndane.example.com. TLSA 3 1 1 OWN\n", 2),
        ("_443._tcp.v.example.com IN TLSA 3 1 1 OWN\n$ORIGIN example.com.\nwww A 192.0.2.1\n", 1),
    ]) func aNameThatGoesOnIsAMistake(zone: String, line: Int) throws {
        let error = try error(zone)
        #expect(error.problem == .badHost)
        #expect(error.reason.contains("goes on with the zone's own name, which the file does not have"))
        #expect(error.remedy == "put it in front: $ORIGIN example.com.")
        #expect(error.place.description.hasSuffix("zone:\(line)"), "\(error)")
        #expect(
            try pins("$ORIGIN .\n" + zone.replacing("dane\n", with: "dane.example.com\n")) == [
                "v.example.com:443": [first]
            ])
    }

    @Test(arguments: [
        "_443._tcp.v.example.com IN TLSA 3 1 1 OWN\n",
        "v.example.com IN A 192.0.2.1\n_443._tcp.v.example.com IN TLSA 3 1 1 OWN\n",
        "example.com NS ns1.example.com\n_443._tcp.v.example.com IN TLSA 3 1 1 OWN\n",
        "v.example.com. HTTPS \\# 3 000100\n_443._tcp.v.example.com IN TLSA 3 1 1 OWN\n",
        "@ SOA ns1 h 1 2 3 4 5\n_443._tcp.v.example.com. IN TLSA 3 1 1 OWN\n",
    ]) func aNameWithoutItsDotIsWholeWhereNothingSaysOtherwise(zone: String) throws {
        #expect(try pins(zone) == ["v.example.com:443": [first]])
    }

    @Test func anOriginWithoutItsDotGoesOn() throws {
        let error = try error("$ORIGIN example.com\n_443._tcp.v IN TLSA 3 1 1 OWN\n")
        #expect(error.problem == .badHost)
        #expect(error.reason == "'$ORIGIN example.com' goes on with the zone's own name, for no dot closes it")
        #expect(error.place.description.hasSuffix("zone:1"))
    }

    // MARK: Notes

    @Test func manyRecordsThatArePassedOverAreOneNote() throws {
        let lines = (0..<1_000).map { index in
            """
            _443._tcp.h\(index).example.com. CH TLSA 3 1 1 OTHER
            _443._udp.h\(index).example.com. TLSA 3 1 1 OTHER
            _443._tcp.v.example.com. TLSA 3 1 \(3 + index % 200) OTHER

            """
        }
        let reading = try reading(Self.own + lines.joined())
        #expect(
            reading.notes.map(\.text) == [
                "the record is not of class IN and was passed over; so it is with 999 more records",
                "the record is not for connections over TCP and was passed over; so it is with 999 more records",
                "clients pass over the record: '3' is not a TLSA matching type; so it is with 999 more records",
            ])
        #expect(reading.notes.map { $0.place?.description.split(separator: ":").last } == ["2", "3", "4"])
    }
}
