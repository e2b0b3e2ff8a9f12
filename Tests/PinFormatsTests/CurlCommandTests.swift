import Pinning
import Testing

@testable import PinFormats

/// curl's scripts and configuration files: no pin is held for a host for which curl has another or none, and none is lost.
@Suite struct CurlCommandTests {
    private static func text(_ template: String) -> String {
        template.replacing("PIN-A", with: "sha256//" + first.base64).replacing(
            "PIN-B", with: "sha256//" + second.base64)
    }

    /// What a text pins, as in `v.example.com:443 A`, with `*` for whatever host or port.
    private func pinned(_ template: String) throws -> [String] {
        let reading = try reading(ofFile: "script", Self.text(template))
        #expect(reading.notes.isEmpty)
        #expect(reading.pins.isEmpty)
        return try #require(reading.configurations.first).entries.map { entry in
            let place = (entry.hosts?.description ?? "*") + ":" + (entry.port.map(String.init) ?? "*")
            let keys = entry.pins.map { [first: "A", second: "B"][$0.spkiSHA256] ?? "?" }
            return "\(place) \(keys.joined())"
        }
    }

    private func mistake(_ template: String) throws -> PinFormatError {
        try failure(ofFile: "script", Self.text(template))
    }

    private static let vAndW = ["v.example.com:443 A", "w.example.com:443 B"]

    // MARK: Commands

    @Test(arguments: [
        "V=https://v.example.com/\ncurl --pinnedpubkey 'PIN-A' \"$V\"\ncurl --pinnedpubkey 'PIN-B' \"$W\"",
        "curl --pinnedpubkey 'PIN-A' \"$V\"\ncurl --pinnedpubkey 'PIN-B' https://w.example.com",
        "curl --pinnedpubkey 'PIN-A' \"https://$V/\"\ncurl --pinnedpubkey 'PIN-B' https://w.example.com",
        "curl --pinnedpubkey 'PIN-A' v.example.com\ncurl --pinnedpubkey 'PIN-B' https://w.example.com",
        "curl --pinnedpubkey 'PIN-A' https://v.example.com --url \"$W\"\ncurl --pinnedpubkey 'PIN-B' https://w.example.com",
        "curl --pinnedpubkey 'PIN-A' https://v.example.com \"$W/path\"\ncurl --pinnedpubkey 'PIN-B' https://w.example.com",
        "curl --pinnedpubkey 'PIN-A' --expand-url 'https://{{v}}/'\ncurl --pinnedpubkey 'PIN-B' https://w.example.com",
        "pinnedpubkey = PIN-A\nurl = https://v.example.com\nnext\npinnedpubkey = PIN-B\n",
    ]) func differentPinsOfWhichOneIsForNoWrittenHostAreAMistake(text: String) throws {
        #expect(try mistake(text).problem == .wrongValue)
    }

    @Test func onePinForHostsThatAreNotWrittenIsForAll() throws {
        #expect(
            try pinned("curl --pinnedpubkey 'PIN-A' \"$V\"\ncurl --pinnedpubkey 'PIN-A' https://w.example.com") == [
                "*:* A", "w.example.com:443 A",
            ])
    }

    @Test(arguments: [
        "curl --pinnedpubkey \"PIN-A\" ^\r\n  https://v.example.com/\r\ncurl --pinnedpubkey \"PIN-B\" ^\r\n  https://w.example.com/\r\n",
        "curl.exe --pinnedpubkey \"PIN-A\" `\n  https://v.example.com/\ncurl.exe --pinnedpubkey \"PIN-B\" `\n  https://w.example.com/\n",
        "rem curl --pinnedpubkey PIN-B https://v.example.com\ncurl --pinnedpubkey PIN-A https://v.example.com\ncurl --pinnedpubkey PIN-B https://w.example.com",
        "curl --pinnedpubkey PIN-B https://w.example.com/$(curl -s --pinnedpubkey PIN-A https://v.example.com/id)",
        "x=\"$(curl -s --pinnedpubkey 'PIN-A' \"https://v.example.com/$Y\")\" y=`curl --pinnedpubkey PIN-B https://w.example.com`\n",
        "if (curl --pinnedpubkey PIN-A https://v.example.com); then curl --pinnedpubkey PIN-B https://w.example.com; fi",
        "case $1 in\n  a) curl --pinnedpubkey PIN-A https://v.example.com ;;\n  *) curl --pinnedpubkey PIN-B https://w.example.com ;;\nesac",
        "curl https://v.example.com/ 2>&1 --pinnedpubkey PIN-A\ncurl >&2 --pinnedpubkey PIN-B https://w.example.com/",
        "curl https://v.example.com/ &>log --pinnedpubkey PIN-A 3</dev/null\ncurl https://w.example.com > https.txt --pinnedpubkey PIN-B &",
        "curl --pinned 'PIN-A' https://v.example.com/\ncurl --pi 'PIN-B' https://w.example.com/",
        "curl --pinnedpubkey=PIN-A https://v.example.com/\ncurl --url=https://w.example.com/ --pinnedpubkey PIN-B",
        "cat <<E\nit's\nE\ncurl --pinnedpubkey PIN-A https://v.example.com\necho $((1<<E)) \ncurl --pinnedpubkey PIN-B https://w.example.com",
        "<<: *base\nrun: |\n  curl --pinnedpubkey PIN-A https://v.example.com\n  curl $OPTIONS \"${more[@]}\" --pinnedpubkey PIN-B https://w.example.com\n",
        "a=(https://w.example.com)\ncurl --pinnedpubkey PIN-A https://v.example.com\ncurl --pinnedpubkey PIN-B -- https://w.example.com",
        "curl -s --pinnedpubkey PIN-A https://v.example.com -: --pinnedpubkey PIN-B https://w.example.com\ncurl \"$X\"",
    ]) func commandsAreReadAsAShellReadsThem(text: String) throws { #expect(try pinned(text).sorted() == Self.vAndW) }

    @Test(arguments: [
        "curl --pinnedpubkey PIN-A --proxy-pinnedpubkey PIN-B -sx https://proxy.example.com:1 https://v.example.com",
        "curl --pinnedpubkey PIN-A -sSfxhttps://proxy.example.com:1 -o https://o.example.com https://v.example.com",
        "curl --pinnedpubkey PIN-A --refer https://w.example.com --head --netrc https://v.example.com",
        "curl --pinnedpubkey PIN-A --ipfs-gateway https://w.example.com -LsSfo out https://v.example.com:",
        "docker run --rm curlimages/curl:8.1.2 -fsS --pinnedpubkey PIN-A https://v.example.com",
    ]) func valuesOfOtherOptionsAreNoServers(text: String) throws {
        #expect(try pinned(text) == ["v.example.com:443 A"])
    }

    @Test func aBackslashJoinsLinesWithinQuotationMarks() throws {
        #expect(
            try pinned("curl --pinnedpubkey \"PIN-A;\\\nPIN-B\" https://v.example.com/") == ["v.example.com:443 AB"])
        #expect(try pinned("curl -H \"a\\b\" --pinnedpubkey PIN-A https://v.example.com/") == ["v.example.com:443 A"])
    }

    // MARK: Servers

    @Test(arguments: [
        ("https://127.0.0.1:8443/", ["127.0.0.1:8443 A"]),
        ("https://[2001:DB8::1]/ https://v.example.com", ["2001:db8::1:443 A", "v.example.com:443 A"]),
        ("'https://{v,w}.example.com/x[1-3]'", ["v.example.com:443 A", "w.example.com:443 A"]),
        ("https://v.example.com:{1,2}/", ["v.example.com:1 A", "v.example.com:2 A"]),
        ("https://v.example.com:$PORT/", ["v.example.com:* A"]),
        ("\"https://v.example.com:${PORT}/\"", ["v.example.com:* A"]),
        ("\"https://$U:$P@v.example.com?a@w.example.com\"", ["v.example.com:443 A"]),
        ("https://v.example.com$PATH", ["*:* A"]), ("https://v.example.com`x`/", ["*:* A"]),
        ("\"https://v.example.com`x`/\"", ["*:* A"]), ("https://v.example.com$(x)/", ["*:* A"]),
        ("\"https://${HOST}:8443/\" https://v.example.com", ["v.example.com:443 A", "*:* A"]),
    ]) func aURLsServersAreNamed(url: String, expected: [String]) throws {
        #expect(try pinned("curl --pinnedpubkey PIN-A \(url)") == expected)
    }

    @Test(arguments: [
        "https://v[1-3].example.com", "https://{v,{w,x}}.example.com", "https://{v.example.com/a,w.example.com/b}",
        "https://127.1/", "https://v.example.com:99999/", "https://v.example.com:x/", "https://%76.example.com/",
        "https://" + String(repeating: "{a,b}", count: 100),
    ]) func aURLWithOtherServersIsAMistake(url: String) throws {
        #expect(try mistake("curl --pinnedpubkey PIN-A '\(url)' https://w.example.com").problem == .badHost)
    }

    @Test func anAddressBesideHostsKeepsItsPin() throws {
        let text = "curl --pinnedpubkey PIN-A https://v.example.com/\ncurl --pinnedpubkey PIN-B https://192.0.2.1/"
        let configuration = try #require(try reading(ofFile: "script", Self.text(text)).configurations.first)
        let covering = configuration.entries.filter { $0.covers("192.0.2.1", port: 443) }
        #expect(covering.flatMap(\.pins).map(\.spkiSHA256) == [second])
    }

    @Test func manyPinsForManyURLsAreRefusedBeforeTheyCost() throws {
        let urls = (0..<9_000).map { "https://h\($0).example.com/" }.joined(separator: " ")
        let pins = Array(repeating: "PIN-A", count: 12).joined(separator: ";")
        #expect(try mistake("curl --pinnedpubkey '\(pins)' \(urls)").problem == .unreasonableDocument)
    }

    // MARK: What is not read

    @Test(arguments: [
        "curl -K - <<EOF\nurl = \"https://v.example.com/\"\npinnedpubkey = \"PIN-A\"\nEOF\ncurl -K - <<EOF\nurl = \"https://w.example.com/\"\npinnedpubkey = \"PIN-B\"\nEOF\n",
        "v=(\n  --pinnedpubkey \"PIN-A\"\n  --url \"https://v.example.com/\"\n)\ncurl \"${v[@]}\"\n",
        "v=(\n  --pinnedpubkey \"PIN-A\"\n)\n\"$TOOL\" \"${v[@]}\" https://v.example.com\n",
        "steps:\n  - run: >\n      curl --fail\n      --pinnedpubkey PIN-A\n      https://v.example.com/\n",
        "echo it's\ncurl --pinnedpubkey PIN-A https://v.example.com\necho it's\ncurl --pinnedpubkey PIN-B https://w.example.com",
        "curl --pinnedpubkey PIN-A https://v.example.com\nbash -c 'curl --pinnedpubkey PIN-B https://w.example.com'",
        "curl --pinnedpubkey PIN-A https://v.example.com\nO='--pinnedpubkey PIN-B'; curl $O https://w.example.com",
        "curl --pinnedpubkey PIN-A https://v.example.com\ncurl -K - <<< 'pinnedpubkey = PIN-B'",
        "curl --pinnedpubkey PIN-A https://v.example.com\ncurl -K <(echo pinnedpubkey=PIN-B) https://w.example.com",
        "curl --pinnedpubkey PIN-A https://v.example.com\ncurl https://w.example.com --pinnedpubkey",
        "curl --pinnedpubkey 'PIN-A' 'https://v.example.com/$(curl --pinnedpubkey 'PIN-B' https://w.example.com/)",
        "curl --pinnedpubkey PIN-A https://v.example.com\npinnedpubkey = PIN-B\nurl = https://w.example.com\n",
        "pinnedpubkey = PIN-A\n--pinnedpubkey=PIN-B\n", "pinnedpubkey = PIN-A https://v.example.com\n",
        "pinnedpubkey = PIN-A\npinnedpubkey\n",
    ]) func aPinThatIsInNoCommandIsAMistake(text: String) throws { #expect(try mistake(text).problem == .notation) }

    @Test(arguments: ["$PIN", "\"$PIN\"", "\"$(cat pin)\"", "`cat pin`", "${{ secrets.PIN }}"])
    func aValueThatIsComputedIsAMistake(value: String) throws {
        let text = "curl --pinnedpubkey PIN-A https://w.example.com\ncurl --pinnedpubkey \(value) https://v.example.com"
        #expect(try mistake(text).problem == .wrongValue)
    }

    @Test(arguments: [
        "curl --pinnedpubkey PIN-A --pinnedpubkey PIN-B https://v.example.com",
        "url = https://v.example.com\npinnedpubkey = PIN-A\nurl = https://w.example.com\npinnedpubkey = PIN-B",
        "pinnedpubkey = PIN-A\nnext\npinnedpubkey = PIN-B\nurl = https://v.example.com",
    ]) func differentPinsOfOneTransferAreAMistake(text: String) throws {
        #expect(try mistake(text).problem == .duplicate)
    }

    @Test func aSourceThatSpeaksOfCurlIsNoScript() throws {
        let text = Self.text(
            """
            // curl --pinnedpubkey 'PIN-B' https://v.example.com
            CertificatePinner.Builder().add("v.example.com", "sha256/\(first.base64)")
            """)
        let reading = try reading(ofFile: "A.kt", text)
        #expect(reading.configurations.map(\.kind) == [.okHttp])
    }

    // MARK: Configuration files

    @Test(arguments: [
        "output = C:\\downloads\\\npinnedpubkey = \"PIN-A\"\nurl = \"https://v.example.com/\"\n",
        "# see C:\\docs\\\npinnedpubkey = \"PIN-A\"\nurl = \"https://v.example.com/\"\n",
        "header = X: it's\npinnedpubkey = \"PIN-A\"\nurl = \"https://v.example.com/\"\n",
        "user-agent = \"made by curl\"\n-H \"via curl\"\nuser = \"me:${x\"\npinnedpubkey: PIN-A # ours\n--url https://v.example.com/\n",
        "silent\nlocation\ncapath = /usr/share/curl\npinned = \"PIN-A\"\n--url https://v.example.com/\n# --pinnedpubkey PIN-B\n",
        "pinnedpubkey = \"PIN-A\"\nproxy-pinnedpubkey = \"PIN-B\"\nproxy = https://w.example.com\nurl = https://v.example.com/\r\n",
        "pinnedpubkey = PIN-A\nnext\nurl = https://v.example.com\nnext\nurl = https://w.example.com\n",
        "pinnedpubkey = PIN-A\npinnedpubkey = PIN-A\nurl = https://v.example.com\n",
    ]) func configurationFilesAreReadAsCurlReadsThem(text: String) throws {
        #expect(try pinned(text) == ["v.example.com:443 A"])
    }

    /// Words that commands begin with are comments, or beginnings of options, in a configuration file.
    @Test(arguments: [
        "/usr/bin/curl --pinnedpubkey PIN-A https://v.example.com\n/usr/bin/curl -f https://w.example.com \\\n  --pinnedpubkey PIN-B\n",
        "check:\n\t/usr/bin/curl https://v.example.com \\\n\t  --pinnedpubkey PIN-A\n\t@curl --pinnedpubkey PIN-B https://w.example.com\n",
        "time curl https://v.example.com \\\n  --pinnedpubkey PIN-A\nretry 3 curl https://w.example.com \\\n  --pinnedpubkey PIN-B\n",
        "*/5 * * * * curl --pinnedpubkey PIN-A https://v.example.com\n0 1 * * * /usr/bin/curl --pinnedpubkey PIN-B https://w.example.com\n",
    ]) func aCommandIsNoLineOfAConfigurationFile(text: String) throws { #expect(try pinned(text) == Self.vAndW) }

    @Test(arguments: ["-pinnedpubkey PIN-A\n", "url = https://v.example.com\n-pinnedpubkey \"PIN-A\"\n"])
    func behindOneDashStandsNoLongOption(text: String) throws { #expect(try mistake(text).problem == .notation) }

    @Test func aHostThatIsLongerThanAnyIsNotFollowed() throws {
        let host = String(repeating: "${a}", count: 3_000)
        #expect(throws: PinFormatError.self) {
            _ = try reading(ofFile: "script", Self.text("curl --pinnedpubkey PIN-A \"https://\(host)/\""))
        }
    }

    @Test func partsOfAConfigurationFileKeepTheirPins() throws {
        let text =
            "# C:\\x\\\npinnedpubkey = PIN-A\nurl = https://v.example.com\nnext\npinnedpubkey = PIN-B\nurl = https://w.example.com"
        #expect(try pinned(text) == Self.vAndW)
    }
}
