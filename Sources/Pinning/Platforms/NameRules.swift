/// Which names of a certificate count for a server (RFC 6125, 6.4; RFC 9525).
///
/// Everybody takes a star for the whole left-most label and for nothing else, compares without regard to ASCII case and knows an
/// address only by its bytes; the rest differs.
public struct NameRules: Sendable, Hashable {
    /// What a dNSName that ends in a dot counts for.
    public enum TrailingDot: Sendable, Hashable {
        case ignored
        case dropped
    }

    /// Whether a wildcard directly above a registry's suffix, as in `*.co.uk`, counts (the ICANN section of the public suffix list).
    public let takesWildcardsAboveRegistries: Bool
    /// How many labels have to follow a star.
    public let fewestLabelsAfterStar: Int
    /// What a dNSName that ends in a dot counts for.
    public let trailingDot: TrailingDot
    /// Whether the last common name counts where the subjectAltName has neither a DNS name nor an address.
    public let takesCommonName: Bool
    /// Whether an IPv4 address and the IPv6 address that maps it are one.
    public let mapsIPv4: Bool

    /// Apple's; the list of suffixes that count is CFNetwork's and closed.
    public static let apple = NameRules(
        takesWildcardsAboveRegistries: false, fewestLabelsAfterStar: 2, trailingDot: .ignored, takesCommonName: false,
        mapsIPv4: false)

    /// Conscrypt's strict verifier (`OkHostnameVerifier`).
    public static let android = NameRules(
        takesWildcardsAboveRegistries: true, fewestLabelsAfterStar: 2, trailingDot: .dropped, takesCommonName: false,
        mapsIPv4: false)

    /// OkHttp's own verifier (`OkHostnameVerifier` of OkHttp).
    public static let okHttp = NameRules(
        takesWildcardsAboveRegistries: true, fewestLabelsAfterStar: 1, trailingDot: .dropped, takesCommonName: false,
        mapsIPv4: true)

    /// curl's (`hostcheck.c`, `ossl_verifyhost`).
    public static let curl = NameRules(
        takesWildcardsAboveRegistries: true, fewestLabelsAfterStar: 2, trailingDot: .dropped, takesCommonName: true,
        mapsIPv4: false)

    /// Those of a client without a platform.
    ///
    /// What a trailing dot counts for differs between platforms, so it counts for nothing.
    public static let verifier = NameRules(
        takesWildcardsAboveRegistries: false, fewestLabelsAfterStar: 2, trailingDot: .ignored, takesCommonName: false,
        mapsIPv4: false)

    /// Whether the certificate is for the server.
    ///
    /// - Parameters:
    ///   - certificate: the leaf.
    ///   - name: the server.
    ///   - isRegistry: whether names directly below this one are given out by a registry; asked for wildcards alone.
    /// - Returns: whether one of the certificate's names covers it.
    public func matches(_ certificate: Certificate, _ name: ServerName, isRegistry: (String) -> Bool) -> Bool {
        var hasServerName = false
        for entry in certificate.names {
            switch (entry, name) {
            case (.dns(let pattern), .dns(let host)):
                hasServerName = true
                if covers(pattern, host, isRegistry: isRegistry) { return true }
            case (.ip(let bytes), .ip(let address)):
                hasServerName = true
                if isSame(bytes, address.bytes) { return true }
            case (.dns, .ip), (.ip, .dns): hasServerName = true
            case (.other, _): break
            }
        }
        guard takesCommonName, !hasServerName, let common = certificate.commonName else { return false }
        switch name {
        case .dns(let host): return covers(common, host, isRegistry: isRegistry)
        case .ip(let address): return common == address.description
        }
    }

    /// Whether a dNSName is for the host: equal to it, or a star and equal from the first dot on.
    func covers(_ pattern: String, _ host: String, isRegistry: (String) -> Bool) -> Bool {
        let dot = UInt8(ascii: ".")
        var pattern = pattern.utf8[...]
        if pattern.last == dot {
            guard trailingDot == .dropped else { return false }
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
        func lowered(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        return left.count == right.count && zip(left, right).allSatisfy { lowered($0) == lowered($1) }
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
