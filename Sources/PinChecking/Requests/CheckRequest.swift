/// What is asked of servers, or of a chain: the names, how to connect, what is judged by, which variants are looked at, and which
/// request is sent then.
///
/// Flags, policies and lists of targets are readers of this one value. What none of them says is `nil` or empty, so that another can
/// say it (``merged(over:)``); what holds then stands in ``RequestDefaults``. Files and pins it names are not read yet.
package struct CheckRequest: Hashable, Sendable {
    package var names = Names()
    package var connection = Connection()
    package var judging = Judging()
    /// What is checked beside what an ordinary client sees.
    package var variants = Variants()
    /// What a server is asked once it is accepted.
    package var http = HTTP()

    package init() {}

    /// This request, with `other` for what it leaves open.
    ///
    /// What says more of a target goes first: its line of a list over the flags, the flags over the policy.
    package func merged(over other: CheckRequest) -> CheckRequest {
        var merged = self
        merged.names = names.merged(over: other.names)
        merged.connection = connection.merged(over: other.connection)
        merged.judging = judging.merged(over: other.judging)
        merged.variants = variants.merged(over: other.variants)
        merged.http = http.merged(over: other.http)
        return merged
    }
}
