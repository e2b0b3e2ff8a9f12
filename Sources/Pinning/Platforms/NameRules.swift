/// The rules by which a certificate's names match a server (RFC 6125, 6.4; RFC 9525); on all platforms a star means
/// exactly the left-most label, ASCII case does not matter, and an address matches by its bytes.
package struct NameRules: Hashable {
    /// `true` if a wildcard above a registry's suffix counts, as in `*.co.uk` (public suffix list, ICANN section).
    var takesWildcardsAboveRegistries = true
    /// The fewest labels that must follow a star.
    var fewestLabelsAfterStar = 2
    /// `true` if a dNSName with a dot at its end counts without the dot, `false` if it never counts.
    var dropsTrailingDot = true
    /// `true` if the last common name counts in a certificate without a DNS name or address in its subjectAltName.
    var takesCommonName = false
    /// `true` if an IPv4 address equals the IPv6 address that maps it.
    var mapsIPv4 = false

    /// Apple's rules; the list of suffixes is CFNetwork's and closed.
    static let apple = NameRules(takesWildcardsAboveRegistries: false, dropsTrailingDot: false)
    /// Conscrypt's strict verifier (`OkHostnameVerifier`).
    package static let android = NameRules()
    /// OkHttp's own verifier (`OkHostnameVerifier` of OkHttp).
    static let okHttp = NameRules(fewestLabelsAfterStar: 1, mapsIPv4: true)
    /// curl's (`hostcheck.c`, `ossl_verifyhost`).
    static let curl = NameRules(takesCommonName: true)
    /// The rules of a client without a platform: a name that one platform refuses does not count.
    package static let verifier = apple
    static let all = [apple, android, okHttp, curl]

    /// `true` if a name of the certificate covers the server; `isRegistry` is called only for wildcards, and `true` if
    /// a registry gives out names directly below a suffix.
    package func matches(_ certificate: Certificate, _ name: ServerName, isRegistry: (String) -> Bool) -> Bool {
        var hasServerName = false
        for entry in certificate.names {
            switch (entry, name) {
            case (.dns(let pattern), .dns(let host)) where covers(pattern, host, isRegistry: isRegistry): return true
            case (.ip(let bytes), .ip(let address)) where isSame(bytes, address.bytes): return true
            case (.other, _): break
            default: hasServerName = true
            }
        }
        guard takesCommonName, !hasServerName, let common = certificate.commonName else { return false }
        switch name {
        case .dns(let host): return covers(common, host, isRegistry: isRegistry)
        case .ip(let address): return common == address.description
        }
    }

    /// `true` if a dNSName equals the host, or is a star and equal from the first dot on.
    func covers(_ pattern: String, _ host: String, isRegistry: (String) -> Bool) -> Bool {
        let dot = UInt8(ascii: ".")
        var pattern = pattern.utf8[...]
        if pattern.last == dot {
            guard dropsTrailingDot else { return false }
            pattern = pattern.dropLast()
        }
        guard !pattern.isEmpty else { return false }
        guard pattern.starts(with: "*.".utf8) else { return Self.isEqual(pattern, host.utf8[...]) }
        let suffix = pattern.dropFirst(2)
        guard let end = host.utf8.firstIndex(of: dot), end != host.utf8.startIndex,
            Self.isEqual(suffix, host.utf8[host.utf8.index(after: end)...])
        else { return false }
        let labels = suffix.reduce(1) { $1 == dot ? $0 + 1 : $0 }
        guard labels >= fewestLabelsAfterStar else { return false }
        return takesWildcardsAboveRegistries || !isRegistry(String(host[host.utf8.index(after: end)...]))
    }

    private static func isEqual(_ left: Substring.UTF8View, _ right: Substring.UTF8View) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { ServerName.lowercased($0) == ServerName.lowercased($1) }
    }

    private func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard mapsIPv4 else { return left == right }
        func unmapped(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
            let isMapped =
                bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return isMapped ? bytes[12...] : bytes[...]
        }
        return unmapped(left) == unmapped(right)
    }
}
