import Base
import PinChecking
import TLSProbe

/// Tells what came of downloads, in the form that was asked for.
struct FetchWriter {
    private let form: FetchForm
    private let text: TextRenderer
    private let isQuiet: Bool
    private var lines: LineWriter
    private var reports: [FetchReport] = []
    private var statuses: [ExitStatus] = []

    /// A writer to the stream that no document goes to.
    init(_ settings: Settings, to stream: OutputStream, in context: Context) throws(CommandError) {
        form = settings.fetch.form
        isQuiet = settings.isQuiet
        lines = LineWriter(stream)
        let style = TextStyle(settings.color, isTerminal: stream.isTerminal, environment: context.environment)
        text = TextRenderer(style: style, explains: settings.explains, layout: stream.layout)
    }

    mutating func add(_ result: DownloadResult, file: String?, sha256: String?) throws(CommandError) {
        let status = ExitStatus(result)
        statuses.append(status)
        switch form {
        case .jsonl: try lines.write(text: JSONRenderer.line(FetchReport(result, file: file, sha256: sha256)))
        case .json: reports.append(FetchReport(result, file: file, sha256: sha256))
        case .text: try lines.write(text: block(result, status, file: file))
        }
    }

    /// Minds that a download cannot go on for want of a record.
    mutating func addUnreadable() { statuses.append(.data) }

    mutating func finish() throws(CommandError) -> ExitStatus {
        let status = ExitStatus.worst(statuses)
        guard form == .json else { return status }
        if reports.count == 1, statuses.count == 1 {
            try lines.write(text: JSONRenderer.document(reports[0]))
        } else {
            try lines.write(text: JSONRenderer.document(FetchReport.List(results: reports, exit: Report.Exit(status))))
        }
        return status
    }

    private func block(_ result: DownloadResult, _ status: ExitStatus, file: String?) -> String {
        if isQuiet, status == .pass { return "" }
        var block = ""
        for (index, hop) in result.hops.enumerated() {
            let isLast = index == result.hops.count - 1
            guard let checked = hop.result else { continue }
            if isLast, case .notAccepted = result.ending {
                let redirects = redirects(result)
                return block + (redirects.isEmpty ? "" : text.text(redirects)) + text.block(Report(checked))
            }
            if text.explains { block += text.block(Report(checked)) }
        }
        return block + text.text(summary(result, status, file: file))
    }

    private func redirects(_ result: DownloadResult) -> [String] {
        result.hops.filter { (300..<400).contains($0.status ?? 0) }.map { hop in
            "  \(hop.status ?? 0)  \(text.safe(hop.location.description, length: 300))"
        }
    }

    private func summary(_ result: DownloadResult, _ status: ExitStatus, file: String?) -> [String] {
        let safe = { (part: String) in text.safe(part, length: 300) }
        var lines = redirects(result)
        let place = safe(result.location.description)
        guard case .complete = result.ending else {
            lines.append("\(text.style.token(status))  \(place)  \(safe(result.reason(file: file).description))")
            if let file, result.isResumable { lines.append("  the same command goes on with \(safe(file)).part") }
            return lines
        }
        var parts = [place]
        if let head = result.head, file == nil, result.count == 0 { parts.append("\(head.status)") }
        if result.count > 0 || file != nil {
            parts.append("\(readableBytes(result.count)) in \(readableTime(result.time))")
        }
        if result.resumedAt > 0 { parts.append("\(readableBytes(result.resumedAt)) were there") }
        if let file { parts.append("saved as \(safe(file))") }
        lines.append("\(text.style.token(status))  " + parts.joined(separator: "  "))
        if let startedAgain = result.startedAgain { lines.append("  note: \(startedAgain.words)") }
        if let coding = result.contentCoding, result.count > 0 {
            lines.append("  note: the server sent it as \(safe(coding)), which it still is: nothing is decompressed")
        }
        if let verdict = result.hops.last?.result?.reason { lines.append("  \(safe(verdict.description))") }
        return lines
    }
}

extension DownloadResult.StartedAgain {
    fileprivate var words: String {
        switch self {
        case .changed: "the document changed since it was begun, so it was fetched from the beginning"
        case .noRanges: "the server gives no part of a document, so it was fetched from the beginning"
        case .acceptedOtherwise:
            "what an earlier run left is from a server that other pins, clients, roots or names accepted: fetched anew"
        case .unknown: "what an earlier run left was of another document, or cannot be told from one: fetched anew"
        }
    }
}
