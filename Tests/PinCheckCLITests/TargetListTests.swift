import LoopbackLab
import PinCheckCLI
import Testing

/// Lists of targets, and results in several forms at once; mistakes in lists are rows of ``MistakeTests``.
@Suite(.endsSomeTime) struct TargetListTests {
    private let host = StandardPKI.serverName

    @Test func aLineThatIsTooLongIsRefusedByItsLength() async throws {
        let line = String(repeating: "x", count: 15_000_000)
        for (list, number) in [("\(host)\r\n# a\r\(line)\n", 3), (line, 1), ("\n\n\(host) pins=\(line)", 3)] {
            let outcome = await pincheck(["--targets", "-"], input: Array(list.utf8)).expect(.data)
            #expect(
                outcome.errors
                    == "Error: standard input:\(number): the line is longer than 65536 bytes: write one target a line\n"
            )
        }
    }

    @Test func eachLineHasItsOwnNamesAddressAndPins() async throws {
        let list = """
            # what the apps talk to
            $HOST connect=$SERVER pins=leaf.cer   # beside the list
            $SERVER host=$HOST pins=$JUNK
            $SERVER verify-name=www.example.org
            https://$SERVER/path host='$HOST' client=okhttp,curl

            """
        try await Desk.serving(nil, ["hosts.txt": list]) { desk, _ in
            let outcome = await desk("--targets @hosts.txt --anchors @root.pem -f json").expect(.fail)
            let results = try JSONValue(outcome.output)["results"].array
            try #require(results.map { $0["verdict"].text } == ["accept", "reject", "reject", "accept"])
            #expect(results.map { $0["reason"]["id"].text }[..<2] == ["pin-matched", "pin-mismatch"])
            #expect(results[2]["verify_name"].text == "www.example.org")
            #expect(results[3]["clients"].array.map { $0["name"].text } == ["okhttp", "curl"])
            let piped = await desk(
                "CHECK --targets -", input: "\u{FEFF}$SERVER host=$HOST\r\n$HOST connect=$SERVER\r\n"
            ).expect(.pass)
            #expect(piped.output.split(separator: "\n").count { $0.hasPrefix("PASS") } == 3)
        }
    }

    @Test func aLineOfJSONIsWrittenPerTargetAndTextToAFileInTheOrderOfTheList() async throws {
        try await Desk.serving { desk, _ in
            let outcome = await desk(
                "$HOST $SERVER --connect $HOST:443:$SERVER --host $HOST -f jsonl -f text=@a.txt -f json=@a.json --anchors @root.pem"
            ).expect(.pass)
            let verdicts = try outcome.output.split(separator: "\n").map { try JSONValue(String($0))["verdict"].text }
            #expect(verdicts == ["accept", "accept"])
            let lines = try contents(ofFile: desk.files.path + "/a.txt").split(separator: "\n")
            let passed = lines.filter { $0.hasPrefix("PASS") }
            #expect(passed.count == 2 && passed[0].contains("\(host):443"))
            #expect(try JSONValue(contents(ofFile: desk.files.path + "/a.json"))["results"].array.count == 2)
            for form in ["json", "jsonl"] {
                await desk("CHECK -f \(form)=@no/such").expect(.inputOutput, errors: "cannot write")
            }
        }
    }
}
