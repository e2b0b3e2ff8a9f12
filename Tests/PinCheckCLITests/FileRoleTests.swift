import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

/// One file is one thing: nothing is written over what the run reads or writes otherwise.
@Suite(.endsSomeTime) struct FileRoleTests {
    /// A desk whose `file` is to stay as it is, `link` leads to it and `dir` to the directory `pins`.
    private func desk() throws -> Desk {
        let desk = try Desk([
            "file": pki.leaf.pem, "policy.json5": "{ hosts: { 'x.test': { anchors: 'file' } } }",
            "pins.json5": "{ hosts: { 'a.example': { pins: 'file' } } }", "pins/a.pem": pki.leaf.pem,
            "directory.json5": "{ hosts: { 'x.test': { anchors: 'pins' } } }", "pins/deeper/x": "",
            "list": "127.0.0.1:1\n", "addresses": "127.0.0.1\n", "state": "pincheck-state 2\n",
            "both.pem": try pki.leaf.pem + pki.leaf.key.privateKeyPEM(),
            "snapshot.json": #"{"schema": "pincheck-snapshot/1", "endpoints": []}"#, "roots/5ad8a5d6.0": pki.rootA.pem,
            "res/xml/nsc.xml": AppText.android(AppText.base(AppText.anchors("@raw/own"))),
            "res/raw/own.pem": pki.rootA.pem,
            "app.json5": "{ hosts: { 'a.example': { pins: 'res/xml/nsc.xml', connect: '127.0.0.1:1' } } }",
        ])
        for (name, target) in [("link", "file"), ("dir", "pins")] {
            let path = "\(desk.files.path)/"
            try FileManager.default.createSymbolicLink(atPath: path + name, withDestinationPath: path + target)
        }
        return desk
    }

    /// Lines that would write over what is read; `GO` is a check that goes nowhere.
    private static let lines = [
        "GO --baseline @snapshot.json --update -f json=@snapshot.json",
        "GO --baseline @snapshot.json -f json=@snapshot.json", "GO --anchors @file -o @link",
        "GO --extra-root @file -o @file", "--targets @list -f jsonl -o @list", "--policy @policy.json5 -f junit=@link",
        "--policy @policy.json5 -f json=@policy.json5", "GO --pins @file -f jsonl=@link",
        "GO --cert @both.pem -o @both.pem", "GO --cert @file --key @both.pem -o @both.pem",
        "x.test:1 --addresses @addresses -o @addresses", "--next @file --pins $LEAF -o @link", "verify @file -o @link",
        "snapshot 127.0.0.1:1 --targets @list -o @list", "diff @snapshot.json x.test -f json=@snapshot.json",
        "lint @file -f sarif=@link", "lint @policy.json5 -f json=@link", "snapshot --policy @policy.json5 -o @link",
        "diff @snapshot.json --policy @policy.json5 -f json=@link",
        // What a configuration names, and what the environment does.
        "verify @file --pins @res/xml/nsc.xml -f junit=@res/raw/own.pem",
        "lint @res/xml/nsc.xml -f json=@res/raw/own.pem", "snapshot --policy @app.json5 -o @res/raw/own.pem",
        "verify @file -o @roots/5ad8a5d6.0", "verify @file -o @root.pem", "verify @file -o @other.pem",
        "GO --state @state -f text -f json=@state", "GO --state @new -f text -f json=@new",
    ]

    @Test(
        arguments: lines.map { ($0, "is read in this run: what is written would destroy what is there") } + [
            ("--policy @directory.json5 -o @pins/new", "is in a directory whose files are all read")
        ]) func aFileInTwoRolesIsRefusedBeforeAnythingIsWritten(line: String, words: String) async throws
    {
        let desk = try desk()
        func all() throws -> [String: String] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: desk.files.path)
            return Dictionary(uniqueKeysWithValues: names.map { ($0, (try? desk.text($0)) ?? "") })
        }
        let before = try all()
        let environment = [
            "SSL_CERT_FILE": "$DIR/root.pem", "OPENSSL_CONF": "$DIR/other.pem",
            "SSL_CERT_DIR": "/nonexistent:$DIR/roots",
        ]
        await desk.expect(
            line.replacing("GO", with: "127.0.0.1:1 --timeout 1"), "usage: \(words)", environment: environment)
        #expect(try all() == before)
    }

    @Test func aFileInADirectoryThatIsReadIsNotWritten() async throws {
        let desk = try desk()
        for option in ["--pins", "--anchors", "--extra-root"] {
            for output in ["@pins/a.pem", "@dir/a.pem", "@pins/new", "@pins/deeper/../new"] {
                await desk.expect(
                    "verify @chain.pem \(option) @pins -f json=\(output)",
                    "usage: \(output.hasSuffix("new") ? "is in a directory whose files are all read" : "is read in this run")"
                )
            }
            let below = await desk("verify @chain.pem \(option) @pins -o @pins/deeper/new")
            #expect(below.status != .usage, "\(below.errors)")
        }
        await desk.expect("verify @file --anchors @file --pins @file -o @new", "pass")
        for (line, output) in [
            ("verify @chain.pem --anchors @pins", "pins/a.pem"), ("pins --from @pins.json5 -f okhttp", "file"),
        ] {
            let redirected = try await run(line, at: desk, output: output)
            #expect(redirected.code == 64 && redirected.output.isEmpty)
        }
    }

    @Test(arguments: [
        "--targets -", "--policy -", "127.0.0.1:1 --addresses -", "verify -", "diff -", "snapshot --targets -",
    ]) func theFileOfStandardInputIsNotWritten(line: String) async throws {
        let desk = try desk()
        let errors = OutputBuffer()
        var context = Context.lab(errors: errors.stream(), input: "127.0.0.1:1\n".bytes)
        context.standardInput = FileIdentity(of: desk.files.path + "/list")
        let code = await PinCheck.run(desk.words(line + " -o @list"), in: context).code
        // Some of these have no use for such a list, and end before anything is written.
        #expect([64, 65].contains(code), "\(errors.text)")
        #expect(try desk.text("list") == "127.0.0.1:1\n")
    }

    private func run(_ line: String, at desk: Desk, output name: String) async throws -> (code: Int32, output: String) {
        let output = OutputBuffer()
        let identity = try #require(FileIdentity(of: "\(desk.files.path)/\(name)"))
        let stream = OutputStream(isTerminal: false, isFile: true, identity: identity) {
            bytes throws(Base.WriteFailure) in try output.stream().writeBytes(bytes)
        }
        return (await PinCheck.run(desk.words(line), in: .lab(stream)).code, output.text)
    }

    @Test func everyNameOfStandardOutputIsStandardOutput() async throws {
        let desk = try desk()
        let verify = "verify @file --anchors @file"
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "$DIR/list", "$DIR/./list"] {
            for form in ["jsonl", "json", "text"] {
                let end = try await run("\(verify) -f \(form) -o \(name)", at: desk, output: "list")
                #expect(end.code == 0 && !end.output.isEmpty, "\(form) to \(name)")
                let other = try await run("\(verify) -f text -f \(form)=\(name)", at: desk, output: "list")
                #expect(other.code == 64 && other.output.isEmpty, "\(form) to \(name)")
            }
        }
        #expect(try desk.text("list") == "127.0.0.1:1\n")
        for (line, output, code) in [
            ("verify @file --pins @file", "file", 64), (verify + " -o @x", "file", 0),
            ("127.0.0.1:1 --timeout 1 --state @state", "state", 64),
        ] as [(String, String, Int32)] {
            #expect(try await run(line, at: desk, output: output).code == code, "\(line)")
        }
    }
}
