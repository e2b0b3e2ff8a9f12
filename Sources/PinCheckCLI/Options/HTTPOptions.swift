import ArgumentParser
import Base
import PinChecking

/// The request for a server that is accepted.
struct HTTPOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Ask the server for this path, once it is accepted.",
            discussion: """
                On the same connection, with the Host header of --host. No HTTP answer is exit status 1.
                """, valueName: "path")) var request: String?

    @Option(
        help: ArgumentHelp(
            "Fail when the HTTP status is another.",
            discussion: "It is 204, 2xx, 200-299, or several with commas. Another is exit status 1.",
            valueName: "status")) var expectStatus: String?
}

extension HTTPOptions {
    func read() throws(CommandError) -> CheckRequest.HTTP {
        var http = CheckRequest.HTTP()
        try CommandError.reading { () throws(RequestError) in
            if let request { http.path = try CheckRequest.HTTP.path(request) }
            if let expectStatus { http.expected = try ExpectedStatus([expectStatus]) }
        }
        return http
    }
}
