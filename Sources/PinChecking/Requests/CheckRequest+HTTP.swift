import Pinning
package import TLSProbe

extension CheckRequest {
    /// The HTTP request for a server that is accepted, and what is expected of the answer.
    package struct HTTP: Hashable, Sendable {
        /// The path and the query to ask for, `nil` for no request.
        package var path: HTTPPath?
        /// The statuses that the answer may have, `nil` for any.
        package var expected: ExpectedStatus?

        package init() {}

        package static func path(_ text: String) throws(RequestError) -> HTTPPath {
            do throws(HTTPPathError) { return try HTTPPath(text) } catch { throw .httpPath(text, error) }
        }

        package func merged(over other: HTTP) -> HTTP {
            var merged = self
            merged.path = path ?? other.path
            merged.expected = expected ?? other.expected
            return merged
        }

        /// The request of one endpoint.
        ///
        /// - Returns: the request, `nil` for none.
        /// - Throws: ``RequestError`` for what is said of a request that there is none of.
        func exchange(host: ServerName, port: Int) throws(RequestError) -> CheckExchange? {
            guard let path else {
                guard expected == nil else { throw .noHTTPPath }
                return nil
            }
            return CheckExchange(HTTPQuestion(.get, path, host: host, port: port), expecting: expected)
        }
    }
}

/// What an accepted server is asked, and what is expected of its answer.
///
/// A class, so that the thousands of targets without a request do not grow.
package final class CheckExchange: Sendable {
    package let question: HTTPQuestion
    /// The statuses that the answer may have, `nil` for any.
    package let expected: ExpectedStatus?

    package init(_ question: HTTPQuestion, expecting expected: ExpectedStatus?) {
        self.question = question
        self.expected = expected
    }
}
