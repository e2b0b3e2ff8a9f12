import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

/// Where results go, and how the process ends.
@Suite(.endsSomeTime) struct OutputTests {
    /// Runs a command line on a chain in a file, and says the exit code of its process.
    private func verify(_ arguments: [String], isTrusted: Bool = true, environment: [String: String] = [:]) async throws
        -> (code: Int32, output: String, errors: String)
    {
        let files = try TemporaryDirectory()
        let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
        let anchors = try files.write((isTrusted ? pki.rootA : pki.rootB).pem, to: "anchors.pem")
        return await process(
            ["verify", chain, "--anchors", anchors, "--host", StandardPKI.serverName] + arguments,
            environment: environment)
    }

    private func process(_ arguments: [String], environment: [String: String] = [:]) async -> (
        code: Int32, output: String, errors: String
    ) {
        let output = OutputBuffer()
        let errors = OutputBuffer()
        let context = Context(
            console: Console(output: output.stream(), errors: errors.stream()), environment: environment,
            now: { Timestamp(secondsSinceEpoch: LabClock.now) }, readStandardInput: { [] })
        let code = await PinCheck.exitCode(arguments: arguments, in: context)
        return (code, output.text, errors.text)
    }

    @Test func aPluginEndsWithTheCodesOfPlugins() async throws {
        var end = try await verify(["-f", "nagios"])
        #expect(end.code == 0 && end.output.hasPrefix("PINCHECK OK - "), "\(end)")
        end = try await verify(["-f", "nagios"], isTrusted: false)
        #expect(end.code == 2 && end.output.hasPrefix("PINCHECK CRITICAL - "))
        // Standard output has other names, and other forms have the file.
        for form in [
            ["-f", "nagios", "-o", "-"], ["-f", "nagios=/dev/stdout"],
            ["-f", "json", "-f", "nagios", "-o", "/dev/null"],
        ] {
            end = try await verify(form, isTrusted: false)
            #expect(end.code == 2 && end.output.hasPrefix("PINCHECK CRITICAL - "), "\(form): \(end)")
        }
        end = try await verify(["-f", "nagios", "--warn-before", "100000d"])
        #expect(end.code == 1 && end.output.hasPrefix("PINCHECK WARNING - "), "\(end)")
        end = try await verify(["-f", "nagios", "-q"], isTrusted: false)
        #expect(end.code == 2 && end.output.isEmpty)
        end = await process(["127.0.0.1:1", "--format=nagios", "--timeout", "5"])
        #expect(end.code == 3 && end.output.hasPrefix("PINCHECK UNKNOWN - 127.0.0.1:1 "), "\(end)")
    }

    @Test(arguments: [
        ["a..b", "-f", "nagios"], ["check", "-fnagios", "--no-such-option"], ["--format=nagios"],
        ["-f", "nagios", "--targets", "/nonexistent"], ["api.example.com", "-f", "nagios", "--pins", "sha256/AAAA"],
        ["-f", "nagios=-", "-f", "text", "x.example"],
    ]) func aPluginThatCannotRunIsUnknownWhereTheSystemReads(arguments: [String]) async {
        let end = await process(arguments)
        #expect(end.code == 3)
        #expect(end.output.hasPrefix("PINCHECK UNKNOWN - "), "\(end)")
        #expect(end.output.hasSuffix("\n") && end.output.count { $0 == "\n" } == 1)
        #expect(end.errors.hasPrefix("Error: ") || end.errors.hasPrefix("Usage"))
    }

    @Test func helpIsNoEvaluation() async {
        #expect(await process(["check", "-f", "nagios", "--help"]).code == 3)
        #expect(await process(["check", "--help"]).code == 0)
    }

    @Test func aFileInTheFormOfPluginsLeavesTheExitCodesAlone() async throws {
        let files = try TemporaryDirectory()
        for arguments in [["-f", "nagios=\(files.path)/a"], ["-f", "nagios", "-o", "\(files.path)/b"]] {
            let end = try await verify(arguments, isTrusted: false)
            #expect(end.code == 1 && end.output.isEmpty)
        }
        for name in ["a", "b"] {
            #expect(try contents(ofFile: "\(files.path)/\(name)").hasPrefix("PINCHECK CRITICAL - "))
        }
        #expect(await process(["a..b", "-f", "nagios", "-o", "\(files.path)/b"]).code == 64)
    }

    @Test func aFileThatCannotBeWrittenKeepsAPluginFromSayingOK() async throws {
        let end = try await verify(["-f", "nagios", "-f", "json=/nonexistent/file"])
        #expect(end.code == 3)
        #expect(end.output.hasPrefix("PINCHECK UNKNOWN - cannot write '/nonexistent/file'"))
        #expect(end.output.count { $0 == "\n" } == 1)
    }

    @Test func theOutputFileIsForTheFormWithoutOne() async throws {
        let files = try TemporaryDirectory()
        let text = "\(files.path)/result.txt"
        let metrics = "\(files.path)/pincheck.prom"
        #expect(try await verify(["-o", text]).output.isEmpty)
        #expect(try contents(ofFile: text).contains("PASS  "))
        let end = try await verify(["-f", "prometheus", "-o", metrics, "-f", "json=-"])
        #expect(end.code == 0)
        #expect(try JSONValue(end.output)["verdict"].text == "accept")
        #expect(try contents(ofFile: metrics).contains("\npincheck_run_status 0\n"))
        #expect(try await verify(["-f", "json=\(text)", "-o", metrics]).errors.contains("is for no form"))
        #expect(try await verify(["-o", ""]).code == 64)
    }

    @Test func whatIsMoreThanMemoryShouldHoldWaitsInAFileWithoutAName() throws {
        let files = try TemporaryDirectory()
        let chunk = [UInt8](repeating: 0x61, count: 1_000_000)
        let spool = Spool(in: files.path)
        for _ in 0..<9 { try spool.add(chunk) }
        try spool.add(Array("end\n".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
        let path = files.path + "/whole"
        try AtomicFile.write(to: path, fill: spool.copy)
        let whole = try contents(ofFile: path)
        #expect(whole.utf8.count == 9_000_004 && whole.hasSuffix("aend\n") && Spool.memory < 9_000_000)
    }

    @Test func quietSilencesStandardOutputAndNoFile() async throws {
        let files = try TemporaryDirectory()
        let paths = ["a.xml", "b.jsonl", "c.json"].map { files.path + "/" + $0 }
        let end = try await verify([
            "-q", "-f", "junit=\(paths[0])", "-f", "jsonl=\(paths[1])", "-f", "json", "-o", paths[2],
        ])
        #expect(end.code == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end)")
        for path in paths {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("intermediate") || text.contains("<testsuites "), "\(path)")
        }
    }
}
