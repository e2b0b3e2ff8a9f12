import LoopbackLab
import PinCheckCLI
import Testing

/// Lists of targets, and results in several forms at once.
@Suite(.endsSomeTime) struct TargetListTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    private func serving(_ body: (_ files: TemporaryDirectory, _ place: String) async throws -> Void) async throws {
        try await TemporaryDirectory.scoped { files in
            _ = try files.write(pki.rootA.pem, to: "anchors.pem")
            _ = try files.write(pki.leaf.der, to: "leaf.cer")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                try await body(files, "127.0.0.1:\(server.port)")
            }
        }
    }

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
        try await serving { files, place in
            let list = try files.write(
                """
                # what the apps talk to
                \(host) connect=\(place) pins=leaf.cer   # beside the list
                \(place) host=\(host) pins=\(pki.junk.pin)
                \(place) verify-name=www.example.org
                https://\(place)/path host='\(host)' client=okhttp,curl

                """, to: "hosts.txt")
            let outcome = await pincheck(
                "check", "--targets", list, "--anchors", "\(files.path)/anchors.pem", "--format", "json"
            ).expect(.fail)
            let results = try JSONValue(outcome.output)["results"].array
            try #require(results.map { $0["verdict"].text } == ["accept", "reject", "reject", "accept"])
            #expect(results.map { $0["reason"]["id"].text }[..<2] == ["pin-matched", "pin-mismatch"])
            #expect(results[2]["verify_name"].text == "www.example.org")
            #expect(results[3]["clients"].array.map { $0["name"].text } == ["okhttp", "curl"])
        }
    }

    @Test func aListOnStandardInputIsCheckedBesideTargetsOfTheCommandLine() async throws {
        try await serving { files, place in
            let outcome = await pincheck(
                "\(host)", "--connect", place, "--targets", "-", "--anchors", "\(files.path)/anchors.pem",
                input: Array("\u{FEFF}\(place) host=\(host)\r\n\(host) connect=\(place)\r\n".utf8)
            ).expect(.pass)
            #expect(outcome.output.split(separator: "\n").count { $0.hasPrefix("PASS") } == 3)
        }
    }

    @Test func aLineOfJSONIsWrittenPerTargetAndTextToAFileInTheOrderOfTheList() async throws {
        try await serving { files, place in
            let text = "\(files.path)/result.txt"
            let outcome = await pincheck(
                "\(host)", place, "--connect", "\(host):443:\(place)", "--host", host, "-f", "jsonl", "-f",
                "text=\(text)", "-f", "json=\(files.path)/result.json", "--anchors", "\(files.path)/anchors.pem"
            ).expect(.pass)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 2)
            for line in lines { #expect(try JSONValue(String(line))["verdict"].text == "accept") }
            let verdicts = try contents(ofFile: text).split(separator: "\n").filter { $0.hasPrefix("PASS") }
            #expect(verdicts.count == 2)
            #expect(verdicts.first?.contains("\(host):443") == true)
            #expect(try JSONValue(contents(ofFile: "\(files.path)/result.json"))["results"].array.count == 2)
        }
    }

    @Test func aFileThatCannotBeWrittenIsNoVerdict() async throws {
        try await serving { files, place in
            for form in ["json", "jsonl"] {
                await pincheck(
                    place, "--host", host, "-f", "\(form)=\(files.path)/no/such", "--anchors",
                    "\(files.path)/anchors.pem"
                ).expect(.inputOutput, errors: "cannot write")
            }
        }
    }
}
