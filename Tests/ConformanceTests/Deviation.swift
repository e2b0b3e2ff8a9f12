/// A case this project decides otherwise than its suite does, on purpose.
struct Deviation {
    /// `false-accept` or `false-reject`, in the words of the suites' own runner.
    let kind: String
    /// Which rule of ours takes precedence.
    let reason: String

    /// The deviations by the case's id.
    static let all: [String: Deviation] = [
        "names::webpki::082": registryWildcard, "names::webpki::088": registryWildcard,
    ]

    /// The suite's tables know no public suffixes; Apple's server policy and Chrome do.
    private static let registryWildcard = Deviation(
        kind: "false-reject",
        reason: "a wildcard directly above a registry's suffix (*.co.uk, *.com.br) matches nothing")
}
