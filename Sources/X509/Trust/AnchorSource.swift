/// Somewhere anchors are looked up by name, so that only those a path needs are ever parsed.
protocol AnchorSource: Sendable {
    /// The anchors whose subject is `name`, compared in canonical form.
    ///
    /// - Parameter name: an `X509_NAME *`, borrowed for the call.
    /// - Returns: the anchors, none when there is none of that name.
    func anchors(named name: OpaquePointer) -> [PathNode]
}
