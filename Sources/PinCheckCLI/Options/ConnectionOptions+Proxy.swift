import Base
import PinChecking
import TLSProbe

extension ConnectionOptions {
    /// The connection with what a file and the environment say of proxies.
    ///
    /// - Parameters:
    ///   - connection: the connection as the flags say it.
    ///   - environment: the variables.
    ///   - readsTargets: whether targets are read from files, which can name proxies of their own.
    /// - Returns: the connection with the proxies.
    /// - Throws: ``CommandError`` for a file that does not hold a user, for one whose user is of no use, and for a variable that names
    ///   no proxy; no user is shown.
    func addingProxies(
        to connection: CheckRequest.Connection, environment: [String: String], readsTargets: Bool
    ) throws(CommandError) -> CheckRequest.Connection {
        var connection = connection
        try refuseSecondUser(beside: connection.proxy)
        connection.proxyCredentials = try proxyCredentials(for: connection.proxy)
        if connection.proxy == .direct { return connection }
        let namesProxy = connection.proxy == nil
        connection.environmentProxies = try CommandError.reading { () throws(RequestError) in
            try ProxyEnvironment(environment, namesProxy: namesProxy)
        }
        guard proxyUserFile == nil || readsTargets || !namesProxy || connection.environmentProxies?.proxy != nil else {
            throw .usage(
                "--proxy-user-file names a user for a proxy, but there is none: give --proxy URL, or set HTTPS_PROXY")
        }
        return connection
    }

    /// Throws where the file of a user goes with `--no-proxy`, or with a proxy whose URL names one.
    private func refuseSecondUser(beside choice: ProxyChoice?) throws(CommandError) {
        guard proxyUserFile != nil else { return }
        switch choice {
        case .direct?:
            throw .usage(
                "--proxy-user-file names a user for a proxy, but there is none: leave out --no-proxy, or the user")
        case .through(let proxy)? where proxy.credentials != nil:
            throw .usage("--proxy and --proxy-user-file both name a user: give it in one of them")
        default: break
        }
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
                "\(quoted(proxyUserFile)) does not begin with a line user:password, as --proxy-user-file has it")
        }
        return credentials
    }
}
