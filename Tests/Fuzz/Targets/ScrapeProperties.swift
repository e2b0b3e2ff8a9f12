import Base
import PinCheckCLI

/// What holds for what a scrape asks.
enum ScrapeProperties {
    /// Reads the first line of `bytes` as the target of a request, and the others as values of the header with the timeout.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let probe = Result { () throws(ScrapeProblem) in
            let query = try ScrapeQuery(lines[0])
            return (path: query.path, probe: try query.probe())
        }
        switch probe {
        case .success(let read):
            let length = read.probe.target.utf8.count + (read.probe.module?.utf8.count ?? 0)
            try Violation.unless(read.path.utf8.first == UInt8(ascii: "/"), "\(read.path.debugDescription) as a path")
            try Violation.unless(length <= lines[0].utf8.count, "parameters of \(length) bytes")
            try Violation.unless(!read.probe.target.isEmpty && read.probe.module != "", "a probe without words")
        case .failure(let problem): try Violation.unlessMessage(problem.message.description)
        }
        switch Result(catching: { () throws(ScrapeProblem) in try ScrapeQuery.timeout(Array(lines.dropFirst())) }) {
        case .success(let time):
            guard let time else { return }
            let range = Duration.milliseconds(1)...(.seconds(86_400))
            try Violation.unless(range.contains(time), "\(time) as the time of a scrape")
        case .failure(let problem): try Violation.unlessMessage(problem.message.description)
        }
    }
}
