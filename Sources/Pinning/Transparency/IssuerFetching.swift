/// Where Apple's platform would fetch the issuer of a certificate that a server did not send.
public enum IssuerFetching {
    /// With so many places or more, none is tried (SecCAIssuerRequest of macOS 26).
    static let tooMany = 10
    static let tried = 3

    /// The places that would be tried, in their order.
    ///
    /// - Parameter places: the caIssuers places that the certificate names (RFC 5280, 4.2.2.1), all of them.
    /// - Returns: at most three `http:` URLs; none when the certificate names ten places or more, or no such URL.
    public static func triedPlaces(of places: [String]) -> [String] {
        guard places.count < tooMany else { return [] }
        return Array(places.filter(isHTTP).prefix(tried))
    }

    /// Whether a URL has the scheme `http` and a host.
    private static func isHTTP(_ place: String) -> Bool {
        let scheme = "http://"
        guard place.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) else { return false }
        let rest = place.utf8.dropFirst(scheme.utf8.count)
        guard let first = rest.first else { return false }
        return first != UInt8(ascii: "/") && !rest.contains { $0 <= 0x20 || $0 >= 0x7F }
    }
}
