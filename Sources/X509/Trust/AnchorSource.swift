/// Somewhere anchors are looked up by name, so that only those a path needs are ever parsed.
protocol AnchorSource: Sendable {
    /// The certificates whose subject is `name`, compared in canonical form, distrusted ones among them.
    ///
    /// - Parameter name: an `X509_NAME *`, borrowed for the call.
    /// - Returns: the anchors, none when there is none of that name.
    func anchors(named name: OpaquePointer) -> [PathNode]

    /// Those of them whose trust settings forbid to trust them for TLS servers.
    ///
    /// Every path asks for each of its certificates, so an answer of none has to be cheap.
    func distrusted(named name: OpaquePointer) -> [PathNode]
}
