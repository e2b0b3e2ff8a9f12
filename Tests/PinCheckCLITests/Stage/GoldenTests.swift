import Foundation
import Testing

@testable import PinCheckCLI

extension OnStage {
    /// Whole outputs, held against the files in `Golden`; with `PINCHECK_UPDATE=1` in the environment the files are written instead.
    @Suite(.endsSomeTime) struct GoldenTests {
        private static let folder = Article.top.appending(path: "Tests/PinCheckCLITests/Golden")

        private static let helps =
            [GoldenRun("help", "", ["-h", "--help"])] + [GoldenRun("help-options", "help options", [""])]
            + Command.all.map { GoldenRun("help-\($0.name)", $0.name, ["--help"]) }

        @Test(arguments: GoldenRun.all + helps) func theOutputIsAsItWas(run: GoldenRun) async throws {
            let stage = try Stage.current
            var texts: [String] = []
            for form in run.forms {
                let line = [run.line, form].filter { !$0.isEmpty }.joined(separator: " ")
                let isShort = form == GoldenRun.short
                let outcome = await stage.run(
                    isShort ? run.line + " -f json" : line, environment: run.environment, input: run.input)
                let output = stage.normalized(isShort ? GoldenSummary.text(of: outcome.output) : outcome.output)
                var text = "$ pincheck\(line.isEmpty ? "" : " " + line)\n\(output)"
                if !output.isEmpty, !output.hasSuffix("\n") { text += "\n" }
                if !outcome.errors.isEmpty { text += "-- stderr\n\(stage.normalized(outcome.errors))" }
                texts.append(text + "-- exit \(outcome.status.rawValue)\n")
            }
            let text = texts.joined(separator: "\n")
            let file = Self.folder.appendingPathComponent(run.name + ".txt")
            if isUpdating {
                try Data(text.utf8).write(to: file)
            } else {
                let kept = try? String(contentsOf: file, encoding: .utf8)
                #expect(kept != nil, "Golden/\(run.name).txt is missing: PINCHECK_UPDATE=1 writes it")
                if let kept, kept != text {
                    let lines = [kept, text].map { $0.components(separatedBy: "\n") }
                    Issue.record("Golden/\(run.name).txt: \(difference(lines[0], lines[1]))")
                }
            }
        }

        @Test func eachFileIsThatOfARun() throws {
            let runs = (GoldenRun.all + Self.helps).map { $0.name + ".txt" }
            #expect(Set(runs).count == runs.count)
            let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            for file in Set(files).subtracting(runs) {
                if isUpdating {
                    try FileManager.default.removeItem(at: Self.folder.appendingPathComponent(file))
                } else {
                    Issue.record("Golden/\(file) is of no run: PINCHECK_UPDATE=1 removes it")
                }
            }
        }
    }
}

func difference(_ kept: [String], _ made: [String]) -> String {
    let changes = made.difference(from: kept)
    let words = (changes.removals + changes.insertions).prefix(20).map { change in
        switch change {
        case .remove(let offset, let line, _): "\n  -\(offset + 1) \(line)"
        case .insert(let offset, let line, _): "\n  +\(offset + 1) \(line)"
        }
    }
    return "\(changes.count) lines differ" + words.joined()
}

/// The verdicts and the ids of a JSON report, a line each: what programs compare.
enum GoldenSummary {
    static func text(of document: String) -> String {
        guard let document = try? JSONValue(document) else { return document }
        let results = document["results"].array
        let exit = "exit \(document["exit"]["name"].text ?? "none")\n"
        return (results.isEmpty ? [document] : results).map(text(of:)).joined() + (results.isEmpty ? "" : exit)
    }

    private static func text(of report: JSONValue) -> String {
        var lines = [
            [report["target"], report["verdict"], report["reason"]["id"], report["exit"]["name"]].map(word).joined(
                separator: " ")
        ]
        let path = report["built"].array.map { word($0["subject"]) + ($0["pins"].array.isEmpty ? "" : " (pinned)") }
        if !path.isEmpty { lines.append("  path " + path.joined(separator: ", ")) }
        for client in report["clients"].array {
            let words = [
                client["name"], client["device"], client["verdict"], client["reason"]["id"], client["disposition"],
            ]
            lines.append("  client " + words.map(word).joined(separator: " "))
        }
        for finding in report["outlook"]["findings"].array { lines.append("  outlook \(word(finding["id"]))") }
        for (name, values) in [("warning", report["warnings"]), ("change", report["change"]["classes"])] {
            for value in values.array {
                lines.append("  \(name) \(word(value["id"]))" + (value["allowed"].flag == true ? " allowed" : ""))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func word(_ value: JSONValue) -> String { value.text ?? "-" }
}
