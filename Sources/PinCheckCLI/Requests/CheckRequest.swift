/// What is asked of servers, or of a chain: the names, how to connect, what is judged by, and which variants are looked at.
///
/// Flags, policies and lists of targets are readers of this one value. What none of them says is `nil` or empty, so that another can
/// say it (``merged(over:)``); what holds then stands in ``RequestDefaults``. Files and pins it names are not read yet.
struct CheckRequest: Hashable, Sendable {
    /// The names a client uses.
    var names = Names()
    /// How to connect.
    var connection = Connection()
    /// What chains are judged by.
    var judging = Judging()
    /// What is checked beside what an ordinary client sees.
    var variants = Variants()

    /// This request, with `other` for what it leaves open.
    ///
    /// What says more of a target goes first: its line of a list over the flags, the flags over the policy.
    func merged(over other: CheckRequest) -> CheckRequest {
        CheckRequest(
            names: names.merged(over: other.names),
            connection: connection.merged(over: other.connection),
            judging: judging.merged(over: other.judging),
            variants: variants.merged(over: other.variants)
        )
    }
}
