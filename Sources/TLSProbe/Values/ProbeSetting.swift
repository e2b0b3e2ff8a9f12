/// A setting that the advice on a failed probe names, in a library's words; a program with options has its own.
package enum ProbeSetting: String, Sendable, Hashable, CaseIterable {
    case timeout = "the timeout"
    case address = "to connect to"
    case family = "the other address family"
    case serverName = "the SNI"
    case minimumVersion = "the lowest TLS version"
    case maximumVersion = "the highest TLS version"
    case ciphers = "the ciphers"
    case groups = "the groups"
    case keyTypes = "the key types"
    case protocols = "the application protocols"
    case jobs = "the number of connections at once"

    package typealias Naming = (ProbeSetting) -> String
}
