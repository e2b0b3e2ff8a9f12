internal import Base
internal import PinFormats
internal import Pinning

/// What weakens the connections of an app on Apple's platforms beside its pins.
struct TransportSecurityRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.inspections.flatMap(\.transportSecurity).flatMap { settings in
            arbitraryLoads(settings, source) + settings.exceptions.compactMap { weakened($0, source) }
        }
    }

    private func arbitraryLoads(_ settings: TransportSecurity, _ source: LintSource) -> [LintFinding] {
        guard settings.allowsArbitraryLoads else { return [] }
        let place = source.place(ofOrigin: settings.origin)
        guard settings.narrowing.isEmpty else {
            return [
                LintFinding(
                    .arbitraryLoadsNarrowed, at: place,
                    "NSAllowsArbitraryLoads counts as NO beside \(settings.narrowing.joined(separator: ", ")), with whatever value"
                )
            ]
        }
        return [
            LintFinding(
                .arbitraryLoads, at: place,
                "NSAllowsArbitraryLoads switches App Transport Security off for every host without an entry of its own",
                remedy: "name the hosts that need an exception in NSExceptionDomains")
        ]
    }

    private func weakened(_ exception: TransportSecurity.Exception, _ source: LintSource) -> LintFinding? {
        var words: [String] = []
        if let version = exception.minimumTLS, version < .tls12 { words.append("\(version)") }
        if exception.requiresForwardSecrecy == false { words.append("keys that are not made for the connection") }
        if exception.allowsInsecureLoads { words.append("plain HTTP and servers that the system refuses") }
        guard !words.isEmpty else { return nil }
        let host = shortened(exception.hosts.description)
        return LintFinding(
            .transportSecurityException, at: source.place(ofOrigin: exception.origin), host: host,
            "the exception for \(host) allows \(words.joined(separator: ", "))",
            remedy: "take out what the server does not need")
    }
}
