import Text

extension CheckRequest {
    /// What the flags of a call say; a command without a group of them leaves it out.
    ///
    /// Reads the files of `--cert`, `--key` and `--addresses`; pins and anchors are read later.
    ///
    /// - Throws: ``CommandError`` for values that cannot be understood, and for flags that contradict each other.
    init(
        names: NameOptions? = nil,
        connection: ConnectionOptions? = nil,
        clientCertificate: ClientCertificateOptions? = nil,
        evaluation: EvaluationOptions? = nil,
        outlook: OutlookOptions? = nil,
        trust: TrustOptions? = nil,
        variants: VariantOptions? = nil,
        in context: Context
    ) throws(CommandError) {
        if let names { self.names = try names.read() }
        if let connection { self.connection = try connection.read() }
        if let evaluation { judging = try evaluation.read() }
        if let outlook { judging.outlook = try outlook.read() }
        if let trust { judging.trust = trust.read() }
        if let clientCertificate { self.connection.clientIdentity = try clientCertificate.identity() }
        guard let variants else { return }
        self.variants = try variants.read()
        self.connection.addresses.answered = try variants.answeredAddresses(of: self.connection.family, in: context)
        guard self.variants.service == nil || self.connection.addresses.all.isEmpty else {
            throw .usage("addresses are given and a service is to be asked for them: leave out one of the two")
        }
    }
}
