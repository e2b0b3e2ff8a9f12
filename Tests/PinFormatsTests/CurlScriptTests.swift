import Pinning
import Testing

@testable import PinFormats

/// What in a text with curl's commands is none of them: it holds no pin, and hides none.
@Suite struct CurlScriptTests {
    private static func text(_ template: String) -> String {
        template.replacing("PIN-A", with: "sha256//" + first.base64).replacing(
            "PIN-B", with: "sha256//" + second.base64)
    }

    private static let command = "curl --pinnedpubkey PIN-A https://v.example.com"

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

    // MARK: Commands that are not run

    private static let bystanders = [
        "echo curl --pinnedpubkey PIN-B https://w.example.com",
        "echo \"curl --pinnedpubkey PIN-B https://w.example.com\" >&2",
        "if [ -z \"$1\" ]; then echo curl --pinnedpubkey PIN-B https://w.example.com; fi",
        "@echo curl --pinnedpubkey PIN-B https://w.example.com",
        "- name: curl --pinnedpubkey PIN-B https://w.example.com",
        "- run: echo curl --pinnedpubkey PIN-B https://w.example.com",
        "printf '%s\\n' curl --pinnedpubkey PIN-B https://w.example.com",
        "Write-Host \"curl --pinnedpubkey PIN-B https://w.example.com\"",
        ": curl --pinnedpubkey PIN-B https://w.example.com",
        "grep -q -e --pinnedpubkey script && [ \"$1\" = --pinnedpubkey ]",
        "# curl --pinnedpubkey PIN-B https://w.example.com",
        "REM curl --pinnedpubkey PIN-B https://w.example.com don't",
        "@rem it's curl --pinnedpubkey PIN-B https://w.example.com",
        "::don't curl --pinnedpubkey PIN-B https://w.example.com",
    ]

    /// Make takes its marks off before the shell sees the command.
    @Test(arguments: ["-curl", "@curl", "+curl", "@-curl", "-@+curl", "@ curl", "- curl", "@/usr/bin/curl"])
    func marksOfMakeStandBeforeCurl(name: String) throws {
        let recipe =
            "\t\(name) -fsS --pinned PIN-A https://v.example.com\n\tcurl --pinned PIN-B https://w.example.com\n"
        #expect(try pinned("check:\n\(recipe)") == ["v.example.com:443 A", "w.example.com:443 B"])
    }

    @Test(arguments: bystanders) func aCommandThatIsNotRunHoldsNoPin(line: String) throws {
        #expect(try pinned("\(line)\n\(Self.command)\n") == ["v.example.com:443 A"])
        #expect(try pinned("\(Self.command)\n\(line)\n") == ["v.example.com:443 A"])
        let alone = try mistake("set -e\n\(line)\n")
        #expect(alone.problem == .notation)
        #expect(alone.reason.hasPrefix("--pinnedpubkey stands in words here that no command runs"))
        #expect(alone.place.description.hasSuffix("script:2"))
    }

    @Test(arguments: [
        ("echo curl --pinnedpubkey PIN-B https://w.example.com | sh", "is printed here"),
        ("echo curl --pinnedpubkey PIN-B https://w.example.com >> job", "is printed here"),
        ("$(echo curl --pinnedpubkey PIN-B https://w.example.com)", "is printed here"),
        ("echo 'pinnedpubkey = PIN-B' > c; curl -K c https://w.example.com", "is printed here"),
        ("f() { echo curl --pinnedpubkey PIN-B https://w.example.com; }; eval \"$X\"", "is printed here"),
        (
            "curl https://v.example.com/?a=1&b=2 --pinnedpubkey PIN-B",
            "begins a line of a script that belongs to no command"
        ), ("A=1 B_2=x --pinnedpubkey PIN-B", "begins a line of a script that belongs to no command"),
        ("alias c='curl --pinnedpubkey PIN-B'", "stands in an alias here"),
        ("alias c=curl --pinnedpubkey PIN-B", "stands in an alias here"),
        ("retry echo curl --pinnedpubkey PIN-B https://w.example.com", "stands behind 'echo' here"),
        ("CURL=\"curl --pinnedpubkey PIN-B\"", "stands in a text here, which this file does not run"),
        ("sh \"curl --pinnedpubkey PIN-B https://w.example.com\"", "stands in a text here, which this file"),
        ("bash -c 'curl --pinned PIN-B https://w.example.com'", "stands in a text here, which this file"),
    ]) func aCommandThatMayBeRunElsewhereIsAMistake(line: String, reason: String) throws {
        for text in ["\(Self.command)\n\(line)\n", "\(line)\n\(Self.command)\n"] {
            let error = try mistake(text)
            #expect(error.problem == .notation)
            #expect(error.reason.contains(reason), "\(error)")
        }
    }

    /// Where a shell of Windows runs the second line, one of Unix has it as words of the first.
    @Test(arguments: ["echo to C:\\temp\\", "echo `", "- name: x ^"])
    func aCommandBehindALineThatOnlySomeShellsJoinIsAMistake(line: String) throws {
        let error = try mistake("\(Self.command)\n\(line)\ncurl --pinnedpubkey PIN-B https://w.example.com\n")
        #expect(error.problem == .notation)
        #expect(error.place.description.hasSuffix("script:2"), "\(error)")
    }

    @Test(arguments: [
        "kubectl exec -n test pod -- curl --pinnedpubkey PIN-A https://v.example.com",
        "find . -print -exec curl --pinnedpubkey PIN-A https://v.example.com \\;",
        "test:\n\tcurl --pinnedpubkey PIN-A https://v.example.com",
        "MODE=x curl --ssl-sessions https://w.example.com --pinnedpubkey PIN-A https://v.example.com",
        "docker run --name grep x curl --pinnedpubkey PIN-A https://v.example.com",
    ]) func aCommandBehindWordsThatAreNamesIsRun(text: String) throws {
        #expect(try pinned(text) == ["v.example.com:443 A"])
    }

    @Test(arguments: [
        "command: [ \"curl\", \"--pinnedpubkey\", \"PIN-B\", \"https://w.example.com\" ]",
        "- { name: x, run: curl --pinnedpubkey PIN-B https://w.example.com }",
        "[ \"curl --pinnedpubkey PIN-B https://w.example.com\" ]",
    ]) func aListOrMapOfAnotherLanguageHidesNoCommand(line: String) throws {
        #expect(try mistake("\(Self.command)\n\(line)\n").problem == .notation)
    }

    @Test(arguments: [
        "node {\n  sh \"curl --pinnedpubkey 'PIN-A' https://v.example.com\"\n}\n",
        "set -e\nCURL=\"curl --pinnedpubkey PIN-A\"\n$CURL https://v.example.com\n",
        "[\n\"curl --pinnedpubkey PIN-A https://v.example.com\"]\n",
        "{\n\"run\": \"curl --pinnedpubkey PIN-A https://v.example.com\"}\n",
        "steps:\n  - run: \"curl --pinnedpubkey PIN-A https://v.example.com\"\n",
    ]) func aFileWithAPinInATextAloneSaysWhere(text: String) throws {
        let error = try mistake(text)
        #expect(error.problem == .notation)
        #expect(error.place.description.hasSuffix("script:2"))
        #expect(error.reason.contains("--pinnedpubkey stands in a text here"))
        #expect(error.remedy?.hasPrefix("give each command alone") == true)
    }

    // MARK: Apostrophes

    @Test(arguments: [
        "steps:\n  - run: \(command)\n  - name: It's done\n    run: echo ok\n", "\(command)\r\nREM don't\r\n",
        "REM don't\r\n\(command)\r\n", "\(command)\necho 5\" pipe\n",
    ]) func anApostropheBesideACommandIsNone(text: String) throws {
        #expect(try pinned(text) == ["v.example.com:443 A"])
    }

    @Test(arguments: [
        ("- run: \(command)\n- name: It's done\n- run: curl --pinnedpubkey PIN-B https://w.example.com\n", 2),
        ("- run: \(command)\n- name: It's done\n- run: curl --pinnedpubkey 'PIN-B' https://w.example.com\n", 2),
        ("- run: \(command)\n- name: It's done\n- run: curl --pinned PIN-B https://w.example.com\n", 2),
        ("- run: \(command)\n- name: It's\n- run: curl --pinnedpubkey PIN-B https://w.example.com\n- name: it's\n", 2),
        ("echo it's\n\(command)\n", 1), ("\(command)\n- name: It's curl --pinnedpubkey PIN-B https://w.example.com", 2),
        ("\ncurl --pinnedpubkey PIN-A -H It's https://v.example.com\n", 2),
    ]) func anApostropheHidesNoCommand(text: String, line: Int) throws {
        let error = try mistake(text)
        #expect(error.problem == .notation)
        #expect(error.place.description.hasSuffix("script:\(line)"), "\(error)")
    }

    // MARK: Values

    @Test(arguments: [
        "$(PIN)", "'$(PIN)'", "'${PIN}'", "$$PIN", "%PIN%", "\"%PIN%\"", "!PIN!", "'{{pin}}'", "'<%=pin%>'", "@PIN@",
        "%%p", "%~1", "'sha256//$PIN'",
    ]) func aValueThatAnythingComputesIsAMistake(value: String) throws {
        for text in ["curl --pinnedpubkey \(value) https://v.example.com", "pinnedpubkey = \(value)"] {
            let error = try mistake(text)
            #expect(error.problem == .wrongValue)
            #expect(error.reason == "the value of --pinnedpubkey is not written out here: the script computes it")
        }
    }

    // MARK: Configuration files

    /// As curl 7.88 was measured: it takes the mark for a part of the first word, and says that this is no option.
    @Test(arguments: [
        "pinnedpubkey = PIN-A\n", "--pinnedpubkey PIN-A\n", "url = https://v.example.com\npinnedpubkey = PIN-A\n",
        command,
    ]) func aByteOrderMarkSpoilsTheFirstLine(text: String) throws {
        let error = try mistake("\u{FEFF}" + text)
        #expect(error.problem == .notation)
        #expect(error.reason.hasPrefix("the line begins with a byte order mark"))
        #expect(error.remedy == "save the file as UTF-8 without the mark")
        #expect(error.place.description.hasSuffix("script:1"))
    }

    @Test(arguments: ["# ours\npinnedpubkey = PIN-A\n", "\npinnedpubkey = PIN-A\n", "silent\npinnedpubkey = PIN-A\n"])
    func aByteOrderMarkBeforeAnotherLineIsNone(text: String) throws {
        #expect(try pinned("\u{FEFF}" + text) == ["*:* A"])
    }

    /// curl takes the beginning of a name.
    @Test(arguments: ["pi", "pin", "pinnedpub"]) func aNameThatIsCutOffIsTheOption(name: String) throws {
        #expect(try pinned("\(name) = PIN-A\nurl = https://v.example.com\n") == ["v.example.com:443 A"])
        let second =
            "pinnedpubkey = PIN-A\nurl = https://v.example.com\nnext\n\(name): \"PIN-B\"\nurl = https://w.example.com"
        #expect(try pinned(second) == ["v.example.com:443 A", "w.example.com:443 B"])
    }

    @Test func anotherFilesWordIsNoOption() throws {
        #expect(try mistake("pi = 3.14\nmore = --pin\n").problem == .notAPin)
        #expect(try mistake("p = PIN-A\n").problem == .notAPin)
        #expect(try mistake("pins:\n  pin: PIN-A\n  host: v.example.com\n").problem == .notAPin)
    }

    @Test(arguments: [
        "pinnedpubkey = PIN-A\nPinnedPubKey = PIN-B\n", "\(command)\ncurl --PINNEDPUBKEY PIN-B https://w.example.com",
    ]) func capitalLettersAreAMistake(text: String) throws {
        #expect(try mistake(text).reason == "pinnedpubkey has capital letters, which only some versions of curl take")
    }
}
