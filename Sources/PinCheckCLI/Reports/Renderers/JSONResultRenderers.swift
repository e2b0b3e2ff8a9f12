/// One JSON document for the whole run.
struct JSONResultRenderer: ResultRenderer {
    private var reports: [Report] = []

    init() {}

    mutating func text(for report: Report) -> String {
        reports.append(report)
        return ""
    }

    mutating func ending(exit: ExitStatus) throws(CommandError) -> String {
        try JSONRenderer.document(reports, exit: exit)
    }
}

/// One JSON object a line (JSON Lines), each written as soon as its target is done.
struct JSONLinesRenderer: ResultRenderer {
    var takesAnyOrder: Bool { true }

    func text(for report: Report) throws(CommandError) -> String {
        try JSONRenderer.line(report)
    }
}
