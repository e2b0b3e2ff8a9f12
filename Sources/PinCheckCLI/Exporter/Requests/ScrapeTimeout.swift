/// How long whoever scrapes waits for an answer.
package enum ScrapeTimeout {
    package static let header = "X-Prometheus-Scrape-Timeout-Seconds"
    /// What is left for the answer's way back.
    private static let margin = Duration.milliseconds(500)
    private static let longest = 86_400.0

    /// How long a probe may take: what the header says, less the way back, which of a short time is a quarter.
    ///
    /// - Returns: the time, `nil` where the header is missing.
    package static func read(_ values: [String]) throws(RequestProblem) -> Duration? {
        guard let text = values.first else { return nil }
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x65].contains($0) }
        guard values.count == 1, text.utf8.count <= 64, isPlain, let seconds = Double(text), seconds > 0,
            seconds.isFinite
        else { throw .noTime }
        let time = Duration.milliseconds(max(1, Int64(min(seconds, longest) * 1_000)))
        return max(.milliseconds(1), time - min(margin, time / 4))
    }
}
