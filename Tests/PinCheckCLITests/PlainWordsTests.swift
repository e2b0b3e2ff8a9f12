import LoopbackLab
import Testing

@testable import PinCheckCLI

/// What messages say to somebody who meets them for the first time.
@Suite(.endsSomeTime) struct PlainWordsTests {
    private static let texts = [
        "whole.pem": pem(of: [pki.leaf, pki.interA, pki.rootA]),
        "rogues.pem": pem(of: [pki.rogue, pki.rogueI, pki.rootB]), "pins.json": "{\"api.example.com\":[]}",
        "App.ipa": "no archive", "Shop.app/b.pem": pki.rootB.pem, "Shop.app/Info.plist": AppText.plist(""),
    ]

    /// A line, how it ends, and what it does not say.
    private static let rows = """
        // A leaf's key in the list of authorities is on the chain.
        VERIFY --pins $LEAF --client nspinneddomains:key=ca | fail pin-mismatch: nspinneddomains: a pinned key is in the \
        wrong list: NSPinnedLeafIdentities is for the leaf, NSPinnedCAIdentities for CAs⏎ … 1 configured, 1 on \
        the chain (leaf)⏎ | no configured pin is on the chain
        VERIFY --client alamofire:host=other.example.com,okhttp --pins $JUNK | fail client-error:   this chain was not \
        verified: alamofire: no evaluator is set for $HOST, and allHostsMustBeEvaluated⏎
        // A private CA leads to anchors, but not for whoever gave some.
        verify @whole.pem --host $HOST | fail untrusted-root:   hint: give it with --anchors if it is yours⏎
        verify @leaf.pem --host $HOST | fail unknown-issuer: hold its intermediate; if the issuer is a root of yours, \
        give it with --anchors⏎
        verify @rogues.pem --host $HOST --anchors @root.pem | fail untrusted-root | --anchors
        VERIFY --at 2027-01-02T03:04:05Z | pass:    as of 2027-01-02T03:04:05Z⏎
        VERIFY --at 2027-01-02 -f json | pass: "2027-01-02T00:00:00Z"
        // Warnings and what has expired are coloured.
        VERIFY --pins $TOP --at 2050-01-01 --color always | fail expired: \u{1B}[31mexpired\u{1B}[0m
        VERIFY --pins $LEAF --no-validate-domain-name --color always | pass: \u{1B}[33mWarning:\u{1B}[0m
        VERIFY --warn-before 9999d --color always | pass:  d\u{1B}[0m
        verify /nonexistent -q | noInput: Error:
        verify /nonexistent --color always | noInput: \u{1B}[31mError:\u{1B}[0m
        // The word is that of the exit status when little time is left.
        VERIFY --pins $LEAF --warn-before 90000d | pass: it ends soon (WARN with --fail-on warn)⏎ | ⏎WARN
        VERIFY --pins $LEAF --warn-before 90000d --fail-on warn | warn: ⏎WARN   | it ends soon
        VERIFY --mode none --pins $JUNK | pass: mode none ignores pins: the pin you gave is not used⏎
        dem --connect 127.0.0.1:1 | usage: did you mean 'pincheck demo --connect 127.0.0.1:1'?
        check dem --connect 127.0.0.1:1 | unreachable: dem | did you mean
        get https://127.0.0.1:1/ | usage: did you mean 'pincheck fetch https://127.0.0.1:1/'?
        check @leaf.pem | usage: is a file, not a host: 'pincheck verify' judges
        help lnt | usage: Error: there is no command 'lnt': did you mean 'pincheck help lint'?⏎
        --help lnt | usage: Error: there is no command 'lnt': did you mean 'pincheck help lint'?⏎
        --help lint | pass: pincheck lint
        VERIFY --pins $LEAF --fail-on warning | warn
        // What is linted by mistake is named.
        lint @pins.json | data: 'api.example.com' is an empty list
        lint @App.ipa | data: is not a zip archive, which a file named .ipa is
        lint @Shop.app | pass: Shop.app/b.pem: warning: the certificate CN=RootB is in the app
        // A missing directory is named before anybody is asked.
        127.0.0.1:1 -f json -o @absent/file | inputOutput: $DIR/absent': make it, or name another file⏎
        127.0.0.1:1 --state @absent/file | inputOutput: $DIR/absent': make it, or name another file⏎
        fetch https://127.0.0.1:1/x -o $DIR | inputOutput: directory
        snapshot 127.0.0.1:1 -o @absent/file | inputOutput: $DIR/absent': make it, or name another file⏎
        """

    @Test(arguments: table(rows)) func aMessageSaysIt(row: [String]) async throws {
        let desk = try Desk(Self.texts)
        try desk.files.write(pki.rootA.der, to: "Shop.app/a.cer")
        let outcome = await desk.expect(row[0], row[1])
        if row.count > 2 { outcome.says(not: row[2]) }
    }

    @Test func versionNamesPincheckAndOpenSSL() async {
        let outcome = await pincheck("--version").expect(
            .pass, ending: ")\n", starting: "pincheck \(ProgramVersion.number) (OpenSSL 3.")
        #expect(await pincheck("check", "--version").output == outcome.output)
    }

    @Test func theDemoWarnsOfAnInterceptorWhereThereIsOne() async throws {
        let outcome = await pincheck("demo", "--color", "never").expect(.pass)
        let scenes = outcome.output.split(separator: "\n\n").map(String.init).filter { $0.contains("$ pincheck") }
        let warned = scenes.indices.filter { scenes[$0].contains("TLS-intercepting") }
        #expect(warned == [2], "\(outcome.output)")
    }

    @Test(.hasBuiltBinary) func aDirectoryWithoutASlashIsNotLookedUpEither() async throws {
        let outcome = try await BuiltBinary.run("mkdir -p $TMPDIR/api-pins && cd $TMPDIR && $PINCHECK api-pins")
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: 'api-pins' is a directory, not a host: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("a host of that name is checked as 'https://api-pins'"))
    }
}
