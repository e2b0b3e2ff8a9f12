import Base
import PinFormats
import PinLint
import Pinning
import TLSProbe

/// The forms of a report on pins; `schemas/lint.json` explains the document's keys.
extension LintReport {
    var exit: ExitStatus {
        if findings.contains(where: { $0.isObstacle && !$0.kind.isMissing }) { return .data }
        if findings.contains(where: \.isObstacle) { return .noInput }
        return findings.contains(where: fails) ? .fail : .pass
    }

    var document: JSONObject {
        [
            "schema": "pincheck-lint/1", "evaluated_at": time.description, "sources": sources,
            "findings": findings.map(\.document),
            "summary": [
                "errors": count(.error), "warnings": count(.warning), "notes": count(.note), "malformed": malformed,
            ] as JSONObject, "exit": exit,
        ]
    }

    var junit: String {
        var document = JUnitDocument()
        let files = findings.grouped { $0.place?.path ?? $0.placeText }
        for (file, findings) in findings.isEmpty ? sources.map({ ($0, []) }) : files {
            let cases = findings.map { finding -> JUnitDocument.Case in
                let place = finding.place?.line.map { " in line \($0)" } ?? finding.place?.key.map { " at \($0)" } ?? ""
                let element = finding.isObstacle ? "error" : fails(finding) ? "failure" : nil
                let outcome = element.map {
                    JUnitDocument.Outcome.trouble($0, type: finding.id, message: finding.sentence)
                }
                return (finding.id + place, outcome ?? .passed("\(finding.level.rawValue): \(finding.sentence)"))
            }
            document.add(file, of: file, cases.isEmpty ? [("nothing found", .passed(nil))] : cases, at: time)
        }
        return document.text
    }

    var workflowCommands: String {
        findings.map { finding in
            var properties: [(name: String, value: String)] = []
            if let file = finding.place?.path { properties.append(("file", file)) }
            if let line = finding.place?.line { properties.append(("line", String(line))) }
            properties.append(("title", finding.id))
            // An annotation without a line is at the top of the file, and only its message contains the place.
            let place = finding.place?.line == nil ? "\(finding.placeText): " : ""
            let command = finding.level == .note ? "notice" : finding.level.rawValue
            return GitHubRenderer.command(command, properties, place + finding.sentence, length: 4_000) + "\n"
        }.joined()
    }

    func text(_ style: TextStyle, _ layout: TextLayout) -> String {
        var lines: [String] = []
        for finding in findings {
            lines.append(
                "\(TerminalText.excerpt(finding.placeText, to: 300)): \(word(finding.level, style)): "
                    + "\(TerminalText.excerpt(finding.message, to: 800)) \(style.faint("[\(finding.id)]"))")
            if let advice = finding.advice { lines.append("    " + TerminalText.excerpt(advice, to: 800)) }
        }
        lines.append("\(style.token(exit))  \(summary)")
        return layout.folded(lines.joined(separator: "\n")) + "\n"
    }

    private func word(_ level: Finding.Level, _ style: TextStyle) -> String {
        switch level {
        case .error, .fail: style.bad(level.rawValue)
        case .warning: style.doubtful(level.rawValue)
        case .note: level.rawValue
        }
    }

    static func catalogue(_ layout: TextLayout) -> String {
        let rows = FindingID.ofLint.map { kind in
            [kind.word, kind.isMalformed ? "malformed" : kind.lintLevels[0].rawValue, kind.sentence]
        }
        return Table(rows: rows, indent: 0).lines(foldedIn: layout).map { $0 + "\n" }.joined()
    }

    /// The findings as a log in SARIF 2.1.0 (OASIS).
    var sarif: JSONObject {
        let kinds = FindingID.ofLint
        let indices = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($1, $0) })
        let results = findings.map { finding -> JSONObject in
            [
                "ruleId": finding.id, "ruleIndex": indices[finding.kind] ?? -1, "level": finding.level.rawValue,
                "message": Self.text(finding.sentence), "locations": [Self.location(of: finding)],
            ]
        }
        let rules = kinds.map { kind -> JSONObject in
            [
                "id": kind.word, "shortDescription": Self.text(kind.sentence),
                "defaultConfiguration": ["level": kind.lintLevels[0].rawValue] as JSONObject,
            ]
        }
        let driver: JSONObject = ["name": "pincheck", "version": ProgramVersion.number, "rules": rules]
        let invocation: JSONObject = [
            "executionSuccessful": exit == .pass || exit == .fail, "exitCode": Int(exit.rawValue),
        ]
        let run: JSONObject = [
            "tool": ["driver": driver] as JSONObject, "invocations": [invocation], "results": results,
            "columnKind": "unicodeCodePoints",
        ]
        return ["$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]]
    }

    /// The place of a finding: pins in arguments have only a name; an entry of an archive has the archive's file.
    private static func location(of finding: Finding) -> JSONObject {
        guard let place = finding.place, let file = place.path else {
            return ["logicalLocations": [logicalLocation(finding.placeText)]]
        }
        let archive = place.archive
        var physical: JSONObject = ["artifactLocation": artifactLocation(path: archive?.path ?? file)]
        if archive == nil, let line = place.line {
            physical.members.append(("region", ["startLine": line] as JSONObject))
        }
        let line = archive == nil ? nil : place.line.map(String.init)
        let names = [archive?.name, line, place.key].compactMap(\.self)
        guard !names.isEmpty else { return ["physicalLocation": physical] }
        return ["physicalLocation": physical, "logicalLocations": [logicalLocation(names.joined(separator: ":"))]]
    }

    private static func text(_ text: String) -> JSONObject { ["text": text] }

    private static func logicalLocation(_ name: String) -> JSONObject { ["fullyQualifiedName": name] }

    /// The URI of a path: relative to the root of the sources, or with the scheme `file` (RFC 3986, RFC 8089).
    private static func artifactLocation(path: String) -> JSONObject {
        var relative = path[...]
        while relative.hasPrefix("./") { relative = relative.dropFirst(2) }
        let encoded = relative.parts(at: "/").map { HTTPLocation.percentEncoded(String($0)) }.joined(separator: "/")
        return path.utf8.first == "/" ? ["uri": "file://" + encoded] : ["uri": encoded, "uriBaseId": "%SRCROOT%"]
    }
}

extension Finding {
    fileprivate var document: JSONObject {
        [
            "id": id, "severity": level.rawValue, "file": place?.path, "line": place?.line, "key": place?.key,
            "place": placeText, "host": subject, "pin": pin?.description, "message": message, "remedy": advice,
            "is_malformed": isObstacle,
        ]
    }
}
