import Base

/// One JSON document for the whole run: the report itself when there is one, a list of them otherwise.
///
/// Whether there is one is known when the second comes, so the first waits; none of the others does.
struct JSONResultRenderer: ResultRenderer {
    private var first: Report?
    private var isList = false

    init() {}

    mutating func text(for report: Report) throws(CommandError) -> String {
        guard let first else {
            if isList { return ",\n    " + (try JSONRenderer.text(report, depth: 2)) }
            self.first = report
            return ""
        }
        self.first = nil
        isList = true
        let start = "{\n  \"schema\" : \"\(Report.schema)\",\n  \"results\" : [\n    "
        return start + (try JSONRenderer.text(first, depth: 2)) + ",\n    " + (try JSONRenderer.text(report, depth: 2))
    }

    mutating func ending(exit: ExitStatus) throws(CommandError) -> String {
        if let first { return try JSONRenderer.document(first) }
        let start = isList ? "\n  ]" : "{\n  \"schema\" : \"\(Report.schema)\",\n  \"results\" : []"
        return start + ",\n  \"exit\" : " + (try JSONRenderer.text(exit, depth: 1)) + "\n}\n"
    }
}

/// One JSON object a line (JSON Lines), each written as soon as its target is done.
struct JSONLinesRenderer: ResultRenderer {
    var takesAnyOrder: Bool { true }

    func text(for report: Report) throws(CommandError) -> String { try JSONRenderer.line(report) }
}
