import LoopbackLab
import Testing

@testable import PinCheckCLI

/// A server, and what a run in a directory of its own needs to check it.
struct ResumedRunLab {
    let files: TemporaryDirectory
    let arguments: [String]
    let port: Int

    /// The arguments without the option that others begin with.
    func arguments(beside own: [String]) -> [String] {
        guard let index = own.first.flatMap({ arguments.firstIndex(of: $0) }) else { return arguments }
        return Array(arguments[..<index] + arguments[(index + 2)...])
    }

    /// The file with the results.
    var results: String { files.path + "/run.jsonl" }

    /// Lines of a list: of ten targets one is refused, one has another name, and the others pass.
    func lines(_ count: Int) -> [String] {
        (0..<count).map { number in
            let name = number % 10 == 7 ? "other.example.com" : StandardPKI.serverName
            return "n\(number).example.com:8443 verify-name=\(name) connect=127.0.0.1:"
                + (number % 10 == 3 ? "1" : "\(port)")
        }
    }

    /// Goes on with the results of a list.
    func run(_ lines: [String], _ more: String..., window: Int = 1_000) async throws -> Outcome {
        let list = try files.write(lines.joined(separator: "\n"), to: "list.txt")
        return await pincheck(arguments + ["--targets", list, "--resume", results] + more, targetWindow: window)
    }

    /// The targets of the results with how they ended, in the order of the file.
    func written() throws -> [String] {
        try contents(ofFile: results).split(separator: "\n").map { line in
            let result = try JSONValue(String(line))
            let target = try #require(result["target"].text)
            return "\(target.prefix { $0 != "." }) \(try #require(result["exit"]["name"].text))"
        }
    }

    /// Serves a chain of `pki`, at ``now`` unless a run says otherwise.
    static func serving(_ pki: StandardPKI, _ body: (ResumedRunLab) async throws -> Void) async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let arguments = ["--anchors", anchors, "--jobs", "8", "--at", String(LabClock.now)]
                try await body(ResumedRunLab(files: files, arguments: arguments, port: Int(server.port)))
            }
        }
    }
}
