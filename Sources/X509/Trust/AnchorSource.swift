/// Somewhere anchors are looked up by name, so that only those a path needs are ever parsed.
protocol AnchorSource: Sendable {
    /// The certificates whose subject is `name`, compared in canonical form, distrusted ones among them.
    ///
    /// - Returns: the anchors, none when there is none of that name.
    func anchors(named name: OpaquePointer) -> [PathNode]

    /// Those of them whose trust settings forbid to trust them for TLS servers.
    ///
    /// Every path asks for each of its certificates, so an answer of none has to be cheap.
    func distrusted(named name: OpaquePointer) -> [PathNode]

    /// Whether something in a file that was read could not be read as it stands; costs next to nothing.
    var isDamaged: Bool { get }

    /// What could not be read where certificates of this name are looked for.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage]
}

extension AnchorSource {
    /// Whole: what is given for a run is refused when it is not.
    var isDamaged: Bool { false }

    /// None: what is given for a run is refused when it is damaged.
    func damage(named name: OpaquePointer, whenMissing isMissing: Bool) -> [StoreDamage] { [] }
}
