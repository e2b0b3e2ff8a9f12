import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

/// One file is one thing: nothing is written over what the run reads or writes otherwise.
@Suite(.endsSomeTime) struct FileRoleTests {
    @Test func aFileInTwoRolesIsRefusedBeforeAnythingIsWritten() async throws {
        let files = try TemporaryDirectory()
        let file = try files.write(pki.leaf.pem, to: "file")
        let link = "\(files.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        let policy = try files.write("{ hosts: { 'x.test': { anchors: 'file' } } }", to: "policy.json5")
        let command = ["127.0.0.1:1", "--timeout", "1"]
        let snapshot = try files.write(#"{"schema": "pincheck-snapshot/1", "endpoints": []}"#, to: "snapshot.json")
        for arguments in [
            command + ["--state", file, "-o", link], command + ["--baseline", file, "--update", "-f", "json=\(link)"],
            command + ["--baseline", file, "-f", "json=\(file)"], command + ["--anchors", file, "-o", link],
            command + ["--extra-root", file, "-o", file], ["--targets", file, "-f", "jsonl", "-o", link],
            ["--policy", file, "-f", "junit=\(link)"], ["--policy", policy, "-f", "json=\(file)"],
            command + ["--pins", file, "-f", "jsonl=\(link)"], command + ["--cert", file, "-o", link],
            command + ["--cert", policy, "--key", file, "-o", link], command + ["--addresses", file, "-o", link],
            ["--next", file, "-o", link], ["verify", file, "-o", link],
            ["snapshot", "127.0.0.1:1", "--targets", file, "-o", link], ["diff", file, "-f", "json=\(link)"],
            ["lint", file, "-f", "sarif=\(link)"], ["lint", policy, "-f", "json=\(link)"],
            ["snapshot", "--policy", policy, "-o", link], ["diff", snapshot, "--policy", policy, "-f", "json=\(link)"],
        ] {
            let outcome = await pincheck(arguments)
            #expect(![.pass, .unreachable].contains(outcome.status), "\(arguments): \(outcome.errors)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == pki.leaf.pem, "\(arguments)")
        }
        let both = ["verify", file, "--anchors", file, "--pins", file, "-o", "\(files.path)/new"]
        #expect(await pincheck(both).status == .pass)
    }

    @Test func aFileInADirectoryThatIsReadIsNotWritten() async throws {
        let files = try TemporaryDirectory()
        let chain = try files.write(pki.leaf.pem, to: "chain.pem")
        let pins = try files.makeDirectory("pins")
        let file = try files.write(pki.leaf.pem, to: "pins/a.pem")
        _ = try files.makeDirectory("pins/deeper")
        let link = "\(files.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pins)
        for option in ["--pins", "--anchors", "--extra-root"] {
            for output in [file, "\(link)/a.pem", "\(pins)/new", "\(pins)/deeper/../new"] {
                await pincheck("verify", chain, option, pins, "-f", "json=\(output)").expect(.usage, errors: "read")
            }
            let below = await pincheck("verify", chain, option, pins, "-o", "\(pins)/deeper/new")
            #expect(below.status != .usage, "\(below.errors)")
        }
        let baseline = ["127.0.0.1:1", "--timeout", "1", "--anchors", pins, "--baseline", file, "--update"]
        #expect(await pincheck(baseline).status == .data)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == pki.leaf.pem)
        let policy = try files.write("{ hosts: { 'x.test': { anchors: 'pins' } } }", to: "policy.json5")
        let named = await pincheck("--policy", policy, "-o", pins + "/new")
        #expect(named.status == .usage && named.errors.contains("whose files are all read"), "\(named.errors)")
        #expect(!FileManager.default.fileExists(atPath: pins + "/new"))
        let redirected = try await run(["verify", chain, "--anchors", pins], output: file)
        #expect(redirected.code == 64 && redirected.output.isEmpty)
    }

    @Test func pinsAreNotWrittenIntoWhatTheirPolicyNames() async throws {
        let files = try TemporaryDirectory()
        let file = try files.write(pki.leaf.pem, to: "leaf.pem")
        let policy = try files.write(#"{"hosts": {"a.example": {"pins": "leaf.pem"}}}"#, to: "policy.json")
        let outcome = try await run(["pins", "--from", policy, "--format", "okhttp"], output: file)
        #expect(outcome.code == 64 && outcome.output.isEmpty)
    }

    @Test func whatTheEnvironmentNamesIsReadToo() async throws {
        let files = try TemporaryDirectory()
        let chain = try files.write(pki.leaf.pem, to: "chain.pem")
        let roots = try files.makeDirectory("roots")
        let file = try files.write(pki.rootA.pem, to: "roots/5ad8a5d6.0")
        for (name, value) in [
            ("SSL_CERT_FILE", file), ("OPENSSL_CONF", file), ("SSL_CERT_DIR", "/nonexistent:" + roots),
        ] {
            await pincheck(["verify", chain, "-o", file], environment: [name: value]).expect(
                .usage, errors: "is read in this run")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == pki.rootA.pem)
        }
    }

    @Test(arguments: [
        ["--targets", "-"], ["--policy", "-"], ["127.0.0.1:1", "--addresses", "-"], ["verify", "-"], ["diff", "-"],
        ["snapshot", "--targets", "-"],
    ]) func theFileOfStandardInputIsNotWritten(command: [String]) async throws {
        let files = try TemporaryDirectory()
        let list = try files.write("127.0.0.1:1\n", to: "list")
        let errors = OutputBuffer()
        var context = Context(
            console: Console(output: OutputBuffer().stream(), errors: errors.stream()), environment: [:],
            now: { Timestamp(secondsSinceEpoch: LabClock.now) }, readStandardInput: { Array("127.0.0.1:1\n".utf8) })
        context.standardInput = FileIdentity(of: list)
        let code = await PinCheck.exitCode(arguments: command + ["-o", list], in: context)
        // Some of these have no use for such a list, and end before anything is written.
        #expect([64, 65].contains(code), "\(errors.text)")
        #expect(try String(contentsOfFile: list, encoding: .utf8) == "127.0.0.1:1\n")
    }

    /// Runs as if standard output went to a file that exists.
    private func run(_ arguments: [String], output file: String) async throws -> (code: Int32, output: String) {
        let output = OutputBuffer()
        let errors = OutputBuffer()
        let identity = try #require(FileIdentity(of: file))
        let stream = OutputStream(isTerminal: false, isFile: true, identity: identity) {
            bytes throws(Base.OutputError) in try output.stream().write(bytes)
        }
        let context = Context(
            console: Console(output: stream, errors: errors.stream()), environment: [:],
            now: { Timestamp(secondsSinceEpoch: LabClock.now) }, readStandardInput: { [] })
        let code = await PinCheck.exitCode(arguments: arguments, in: context)
        return (code, output.text)
    }

    @Test func everyNameOfStandardOutputIsStandardOutput() async throws {
        let files = try TemporaryDirectory()
        let chain = try files.write(pki.leaf.pem, to: "chain.pem")
        let log = try files.write("old\n", to: "log")
        let verify = ["verify", chain, "--anchors", chain]
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", log, "\(files.path)/./log"] {
            for form in ["jsonl", "json", "text"] {
                let end = try await run(verify + ["-f", form, "-o", name], output: log)
                #expect(end.code == 0 && !end.output.isEmpty, "\(form) to \(name)")
                let other = try await run(verify + ["-f", "text", "-f", "\(form)=\(name)"], output: log)
                #expect(other.code == 64 && other.output.isEmpty, "\(form) to \(name)")
            }
        }
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "old\n")
        #expect(try await run(["verify", chain, "--pins", log], output: log).code != 0)
        #expect(try await run(["verify", chain, "--anchors", chain, "-o", "\(files.path)/x"], output: chain).code == 0)
        #expect(try await run(["127.0.0.1:1", "--timeout", "1", "--state", log], output: log).code != 0)
        let state = ["127.0.0.1:1", "--timeout", "1", "--state", "\(files.path)/new", "-o", "\(files.path)/new"]
        await pincheck(state).expect(.usage, errors: "is read in this run")
    }
}
