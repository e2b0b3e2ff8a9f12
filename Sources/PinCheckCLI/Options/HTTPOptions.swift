import ArgumentParser
import PinChecking
import Text

/// The request for a server that is accepted.
struct HTTPOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Once a server is accepted, ask it for this path on the same connection, with the Host header of --host. No HTTP \
            answer is exit status 1.
            """,
            valueName: "path"
        )
    )
    var request: String?

    @Flag(help: "Ask by HEAD rather than GET.")
    var head = false

    @Option(
        help: ArgumentHelp(
            "Exit status 1 for an answer with another status than 204, 2xx, 200-299, or a comma list of such.",
            valueName: "status"
        )
    )
    var expectStatus: String?
}

extension HTTPOptions {
    /// What the options say.
    func read() throws(CommandError) -> CheckRequest.HTTP {
        var http = CheckRequest.HTTP()
        try CommandError.reading { () throws(RequestError) in
            if let request { http.path = try CheckRequest.HTTP.path(request) }
            if head { http.asksForHead = true }
            if let expectStatus { http.expected = try ExpectedStatus([expectStatus]) }
        }
        return http
    }
}
