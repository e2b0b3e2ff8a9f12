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
