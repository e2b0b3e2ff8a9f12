import Base
import PinChecking

extension CheckRequest {
    /// What the flags of a call say; a command without a group of them leaves it out.
    ///
    /// Nothing is read from files: for those of ``RequestFiles`` see ``reading(_:in:)``.
    ///
    /// - Throws: ``CommandError`` for values that cannot be understood, and for flags that contradict each other.
    init(
        names: NameOptions? = nil, connection: ConnectionOptions? = nil, evaluation: EvaluationOptions? = nil,
        devices: DeviceOptions? = nil, outlook: OutlookOptions? = nil, trust: TrustOptions? = nil,
        variants: VariantOptions? = nil, http: HTTPOptions? = nil
    ) throws(CommandError) {
        self.init()
        if let names { self.names = try names.read() }
        if let connection { self.connection = try connection.read() }
        if let evaluation { judging = try evaluation.read() }
        devices?.read(into: &judging)
        if let outlook { judging.outlook = try outlook.read() }
        if let trust { judging.trust = trust.read() }
        if let variants { self.variants = try variants.read() }
        if let http { self.http = try http.read() }
    }

    /// The request with what the files hold that flags name for it.
    ///
    /// - Throws: ``CommandError`` for files that cannot be used, and for addresses beside a service that is asked for them.
    func reading(_ files: RequestFiles, in context: Context) throws(CommandError) -> CheckRequest {
        var request = self
        if files.connects, connection.proxy != .direct {
            request.connection.environmentProxies = try CommandError.reading { () throws(RequestError) in
                try ProxyEnvironment(context.environment, namesProxy: connection.proxy == nil)
            }
        }
        request.connection.clientIdentity = try files.clientCertificate?.identity()
        if let options = files.variants {
            request.connection.addresses.answered = try options.answeredAddresses(of: connection.family, in: context)
        }
        guard variants.service == nil || request.connection.addresses.all.isEmpty else {
            throw .usage("addresses are given and a service is to be asked for them: leave out one of the two")
        }
        return request
    }
}

/// The options whose files are part of a request: read once it is known that the run writes over none of its files.
struct RequestFiles {
    var clientCertificate: ClientCertificateOptions? = nil
    var variants: VariantOptions? = nil
    /// Whether it connects, perhaps through the proxies of the environment.
    var connects = false
}
