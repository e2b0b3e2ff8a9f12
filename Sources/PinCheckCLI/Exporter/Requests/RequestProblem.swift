package import Base

/// What is wrong with a request: nothing is asked of anybody for it.
package enum RequestProblem: Error, Hashable, Sendable {
    /// The place that is asked for is longer than so many bytes.
    case tooLong(limit: Int)
    case noPath
    /// A percent sign without two hexadecimal digits behind it.
    case badEscape
    /// A name or a value is not text in UTF-8.
    case notText
    /// There are more parameters than so many.
    case tooMany(limit: Int)
    /// A parameter that nobody knows.
    case unknown(String)
    /// A parameter stands twice.
    case repeated(String)
    /// A parameter that has to be there is missing or empty.
    case missing(String)
    /// The header with the time of the scrape says no time.
    case noTime

    package var message: SafeText {
        switch self {
        case .tooLong(let limit): "the request is for a place of more than \(limit) bytes"
        case .noPath: "the request is for no path: ask for /probe?target=HOST"
        case .badEscape: "a '%' is not followed by two hexadecimal digits: write '%25' for a percent sign"
        case .notText: "a parameter is not text in UTF-8"
        case .tooMany(let limit): "there are more than \(limit) parameters: give target and module"
        case .unknown(let name): "\(quoted(name)) is no parameter: give target and module"
        case .repeated(let name): "the parameter \(quoted(name)) stands twice: give it once"
        case .missing(let name): "the parameter \(quoted(name)) is missing: ask for /probe?target=HOST"
        case .noTime: "\(ScrapeTimeout.header) is no number of seconds"
        }
    }
}
