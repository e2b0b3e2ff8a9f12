import PinCheckCLI
import Base

/// What holds for what a scrape asks.
enum ScrapeProperties {
    /// Reads the first line of `bytes` as the place of a request, and the others as values of the header with the timeout.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        switch Result(catching: { () throws(RequestProblem) in try RequestPlace(lines[0]) }) {
        case .success(let place): try check(place)
        case .failure(let problem): try Violation.unlessMessage(problem.message.description)
        }
        switch Result(catching: { () throws(RequestProblem) in try ScrapeTimeout.read(Array(lines.dropFirst())) }) {
        case .success(let time):
            guard let time else { return }
            let range = Duration.milliseconds(1)...(.seconds(86_400))
            try Violation.unless(range.contains(time), "\(time) as the time of a scrape")
        case .failure(let problem): try Violation.unlessMessage(problem.message.description)
        }
    }

    private static func check(_ place: RequestPlace) throws(Violation) {
        let length = place.parameters.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        try Violation.unless(place.path.utf8.first == UInt8(ascii: "/"), "\(place.path.debugDescription) as a path")
        try Violation.unless(length <= RequestPlace.longest, "parameters of \(length) bytes")
        try Violation.unless(
            place.parameters.count <= RequestPlace.mostParameters, "\(place.parameters.count) parameters")
        switch Result(catching: { () throws(RequestProblem) in try ProbeQuestion(place) }) {
        case .success(let question):
            try Violation.unless(!question.target.isEmpty && question.module != "", "a question without words")
        case .failure(let problem): try Violation.unlessMessage(problem.message.description)
        }
    }
}
