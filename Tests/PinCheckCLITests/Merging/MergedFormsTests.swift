import LoopbackLab
import Testing

@testable import PinCheckCLI

/// Results in any form are the same whether a run writes them or `merge` does from what it recorded.
@Suite(.endsSomeTime) struct MergedFormsTests {
    private let pki: StandardPKI

    init() throws { pki = try .shared() }

    private static let forms = OutputForm.allCases.map(\.rawValue)

    /// Runs a command line with all forms at once, and holds what `merge` makes of the results against each.
    private func expectTheSame(
        _ arguments: [String], in files: TemporaryDirectory, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let recorded = files.path + "/recorded.jsonl"
        // What was offered is the same in thousands of lines, which have it where everything is to be told.
        for (more, forms) in [([], Self.forms.filter { $0 != "json" && $0 != "junit" }), (["--explain"], Self.forms)] {
            let outputs = Self.forms.flatMap { ["-f", "\($0)=\(files.path)/run.\($0)"] }
            let run = await pincheck(arguments + more + outputs, at: MergeLab.now)
            _ = try files.write(try contents(ofFile: files.path + "/run.jsonl"), to: "recorded.jsonl")
            for form in forms {
                let merge = ["merge", recorded, "-f", "\(form)=\(files.path)/merged", "-f", "github"] + more
                let merged = await pincheck(merge, at: MergeLab.now)
                #expect(merged.status == run.status, "\(form)", sourceLocation: location)
                let one = try contents(ofFile: files.path + "/run.\(form)")
                let other = try contents(ofFile: files.path + "/merged")
                #expect(one == other, "\(form) of \(arguments)", sourceLocation: location)
            }
        }
    }

    @Test func oneAfterTheOther() async throws {
        try await ResumedRunLab.serving(pki) { lab in
            let list = try lab.files.write(lab.lines(8).joined(separator: "\n"), to: "list.txt")
            // One at a time: results are recorded in the order in which other forms have them.
            let arguments = lab.arguments + ["--targets", list, "--jobs", "1"]
            try await expectTheSame(arguments, in: lab.files)
            try await expectTheSame(
                arguments + [
                    "--pins", pki.leaf.pin, "--warn-before", "33%", "--fail-before", "2d", "--fail-on", "warn",
                ], in: lab.files)
            try await expectTheSame(
                arguments + ["--client", "okhttp,trustkit:no-enforce,curl", "--pins", pki.interA.pin], in: lab.files)
            try await expectTheSame(arguments + ["--device", "ios-12,android-9", "--client", "all"], in: lab.files)
        }
    }

    @Test(arguments: ["2xx", "404"]) func theAnswerToARequest(status: String) async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
            $0.application = .answers(Array("HTTP/1.1 200 fine\r\n\r\n".utf8))
        }
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.tls(settings)) { server in
                let arguments = [
                    StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors, "--request",
                    "/", "--expect-status", status,
                ]
                try await expectTheSame(arguments, in: files)
            }
        }
    }

    @Test func everyConnectionOfATarget() async throws {
        try await ResumedRunLab.serving(pki) { lab in
            let name = StandardPKI.serverName
            let arguments =
                lab.arguments + [
                    name, "--connect", "127.0.0.1:\(lab.port)", "--connect", "127.0.0.1:1", "--thorough", "--key-types",
                    "rsa,ecdsa", "--jobs", "1",
                ]
            try await expectTheSame(arguments, in: lab.files)
        }
    }

    @Test func whatChangedAndWhatIsNext() async throws {
        try await ResumedRunLab.serving(pki) { lab in
            let target = [StandardPKI.serverName, "--connect", "127.0.0.1:\(lab.port)"]
            let snapshot = lab.files.path + "/snapshot.json"
            #expect(await pincheck(["snapshot"] + target + ["-o", snapshot]).status == .pass)
            try await expectTheSame(lab.arguments + target + ["--baseline", snapshot], in: lab.files)
            let next = try lab.files.write(pki.interA.pem, to: "next.pem")
            try await expectTheSame(lab.arguments + target + ["--next", next, "--pins", pki.leaf.pin], in: lab.files)
            let changed = try contents(ofFile: snapshot).replacing("EC P-256", with: "RSA 2048")
            let other = try lab.files.write(changed, to: "changed.json")
            try await expectTheSame(lab.arguments + target + ["--baseline", other], in: lab.files)
        }
    }
}
