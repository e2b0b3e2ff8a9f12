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
            let outcome = await pincheck(["--targets", "-"], input: Array(list.utf8))
            #expect(outcome.status == .data)
            #expect(
                outcome.errors
                    == "Error: standard input:\(number): the line is longer than 65536 bytes: write one target a line\n"
            )
        }
    }

    @Test(arguments: [
        ("client=okhttp client=curl", "client= stands twice"), ("host=a.example host=b.example", "host= stands twice"),
        ("request=/a request=/b", "request= stands twice"), ("sni=a.example no-sni", "exclude each other"),
        ("no-sni sni=a.example", "exclude each other"),
    ]) func whatStandsTwiceInALineIsRefused(words: String, message: String) async {
        let outcome = await pincheck(["--targets", "-"], input: Array("a.example \(words)\n".utf8))
        #expect(outcome.status == .data && outcome.errors.contains(message), "\(outcome)")
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
                "check", "--targets", list, "--anchors", "\(files.path)/anchors.pem", "--format", "json")
            #expect(outcome.status == .fail)
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
                input: Array("\u{FEFF}\(place) host=\(host)\r\n\(host) connect=\(place)\r\n".utf8))
            #expect(outcome.status == .pass, "\(outcome.errors)")
            #expect(outcome.output.split(separator: "\n").count { $0.hasPrefix("PASS") } == 3)
        }
    }

    @Test(arguments: [
        ("api.example.com conect=127.0.0.1", "'conect=127.0.0.1' is not understood: did you mean 'connect='?"),
        ("api.example.com connect=", "'connect=' has no value"),
        ("api.example.com pins='a", "a quotation mark is not closed"),
        ("api.example.com sni=127.0.0.1", "sni=: the server name '127.0.0.1' is an address"),
        ("exa mple.com", "'mple.com' is not understood"), ("a..b", "'a..b'"),
        ("api.example.com pins=sha256/AAAA", "'sha256/AAAA' has 3 bytes instead of 32"),
        ("api.example.com client=netscape", "'netscape'"),
        ("api.example.com connect=other.example.com:443:127.0.0.1", "'other.example.com:443', which is not a target"),
    ]) func aMistakeInAListIsMalformedDataWithItsPlace(line: String, message: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let list = try files.write("# first\n\(line)\n", to: "hosts.txt")
            let outcome = await pincheck("check", "--targets", list)
            #expect(outcome.status == .data)
            #expect(outcome.errors.contains("hosts.txt:2: "), "\(outcome.errors)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test func anEmptyListIsNoInputAndOneThatIsMissingToo() async throws {
        try await TemporaryDirectory.scoped { files in
            let list = try files.write("# nothing\n\n", to: "hosts.txt")
            #expect(await pincheck("check", "--targets", list).status == .noInput)
            #expect(await pincheck("check", "--targets", list + ".no").status == .noInput)
        }
    }

    @Test func aLineOfJSONIsWrittenPerTargetAndTextToAFileInTheOrderOfTheList() async throws {
        try await serving { files, place in
            let text = "\(files.path)/result.txt"
            let outcome = await pincheck(
                "\(host)", place, "--connect", "\(host):443:\(place)", "--host", host, "-f", "jsonl", "-f",
                "text=\(text)", "-f", "json=\(files.path)/result.json", "--anchors", "\(files.path)/anchors.pem")
            #expect(outcome.status == .pass, "\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 2)
            for line in lines { #expect(try JSONValue(String(line))["verdict"].text == "accept") }
            let verdicts = try contents(ofFile: text).split(separator: "\n").filter { $0.hasPrefix("PASS") }
            #expect(verdicts.count == 2)
            #expect(verdicts.first?.contains("\(host):443") == true)
            #expect(try JSONValue(contents(ofFile: "\(files.path)/result.json"))["results"].array.count == 2)
        }
    }

    @Test(arguments: [
        (["-f", "text", "-f", "json"], "both go to standard output"),
        (["-f", "json=a", "-f", "text=a"], "both go to 'a'"), (["-f", "json="], "names no file after the '='"),
        (["-f", "yaml"], "'yaml' is unknown"),
    ]) func outputsThatContradictEachOtherAreRefused(arguments: [String], message: String) async {
        let outcome = await pincheck(["127.0.0.1:1"] + arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func aFileThatCannotBeWrittenIsNoVerdict() async throws {
        try await serving { files, place in
            for form in ["json", "jsonl"] {
                let outcome = await pincheck(
                    place, "--host", host, "-f", "\(form)=\(files.path)/no/such", "--anchors",
                    "\(files.path)/anchors.pem")
                #expect(outcome.status == .inputOutput)
                #expect(outcome.errors.contains("cannot write"))
            }
        }
    }
}
