import PinChecking
import TLSProbe
import Text

extension ConnectionOptions {
    /// The connection with what a file and the environment say of proxies.
    ///
    /// - Throws: ``CommandError`` for a file that does not hold a user, and for a variable that names no proxy; neither is shown.
    func addingProxies(
        to connection: CheckRequest.Connection,
        environment: [String: String]
    ) throws(CommandError) -> CheckRequest.Connection {
        var connection = connection
        connection.proxyCredentials = try proxyCredentials(for: connection.proxy)
        guard connection.proxy != .direct else { return connection }
        let namesProxy = connection.proxy == nil
        connection.environmentProxies = try CommandError.reading { () throws(RequestError) in
            try ProxyEnvironment(environment, namesProxy: namesProxy)
        }
        return connection
    }

    /// The user in the file, `nil` where none is named.
    private func proxyCredentials(for choice: ProxyChoice?) throws(CommandError) -> ProxyCredentials? {
        guard let proxyUserFile else { return nil }
        let line = try CommandError.contents(ofFile: proxyUserFile).prefix { $0 != UInt8(ascii: "\n") }
        let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        var kind = Proxy.Kind.http
        if case .through(let proxy)? = choice { kind = proxy.kind }
        guard parts.count == 2, !parts[0].isEmpty,
            let credentials = ProxyCredentials(user: Array(parts[0]), password: Array(parts[1]), for: kind)
        else {
            throw .data(
                "\(quoted(proxyUserFile)) does not begin with a line user:password, as --proxy-user-file has it"
            )
        }
        return credentials
    }
}
