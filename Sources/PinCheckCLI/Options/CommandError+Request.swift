import Pinning
import TLSProbe
import Text

extension CommandError {
    /// A mistake in what the command line asks for, in the words of its flags.
    ///
    /// - Parameters:
    ///   - error: the mistake.
    ///   - serverName: what gave the server name, as messages call it.
    init(_ error: RequestError, serverName: String = "--sni") {
        self =
            switch error {
            case .malformed(.target, _, .empty):
                .usage("the target '' is empty: name a host, as in 'pincheck api.example.com'")
            case .serverName(let error): .usage("\(serverName): \(error)")
            case .addressAsServerName(let text):
                .usage(
                    "\(serverName) \(quoted(text)) is an address: TLS carries host names only (RFC 6066), use --no-sni"
                )
            case .applicationProtocols: .usage("--alpn \(error.description)")
            case .timeout: .usage("--timeout \(error.description)")
            case .otherFamily(let address, let family):
                .usage(
                    "\(quoted(address.description)) is no address of the family that "
                        + "\(family == .ipv6 ? "-6" : "-4") asks for: leave that flag out"
                )
            case .noVersionLeft(let lowest, let highest):
                .usage(
                    "--min-tls \(lowest.number) is above --max-tls \(highest.number): no version is left to offer"
                )
            case .neverWarns(let warning, let failure):
                .usage(
                    "--warn-before \(warning) never warns, since --fail-before \(failure) fails earlier: "
                        + "warn before the larger of the two"
                )
            case .malformed, .keyMaterial, .unusedAddress: .usage("\(error.description(calling: \.flag))")
            }
    }

    /// Reads a part of a request that the command line gives.
    static func reading<Value>(
        serverName: String = "--sni",
        _ read: () throws(RequestError) -> Value
    ) throws(CommandError) -> Value {
        do {
            return try read()
        } catch {
            throw CommandError(error, serverName: serverName)
        }
    }
}

extension RequestError.Part {
    /// What the text is called on the command line.
    fileprivate var flag: String {
        switch self {
        case .port: "option --port"
        case .connect: "--connect address"
        case .resolve: "--resolve value"
        case .connectTo: "--connect-to value"
        case .target, .host, .address: name
        }
    }
}
