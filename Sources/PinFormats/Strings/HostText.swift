package import Base
package import Pinning
import X509

package enum HostText {
    static func pattern(
        _ text: some StringProtocol, _ depth: HostPattern.Depth, at place: PinPlace
    ) throws(Problem) -> HostPattern { HostPattern(text: try name(text, at: place).description, depth) }

    private static func name(_ text: some StringProtocol, at place: PinPlace) throws(Problem) -> ServerName {
        let text = String(text)
        do { return try ServerName(InternationalName.ascii(text) ?? text) } catch {
            throw Problem(.badHost, at: place, shortened(error.description, to: 300))
        }
    }

    /// The hosts that an OkHttp pattern names: a host, `*.host`, `**.host`.
    package static func okHttpPattern(
        _ text: some StringProtocol, at place: PinPlace = .option
    ) throws(Problem) -> HostPattern {
        let patterns: [(stars: String, depth: HostPattern.Depth)] = [("**.", .anyNumber), ("*.", .oneLabel)]
        let (stars, depth) = patterns.first { text.hasPrefix($0.stars) } ?? ("", .exact)
        let host = try okHttpName(text.dropFirst(stars.count), at: place)
        guard depth == .exact || !host.contains(":") else {
            throw Problem(
                .badHost, at: place, "'\(shortened(text))' is a pattern of an IPv6 address, and OkHttp throws for it",
                remedy: "write the address alone")
        }
        return HostPattern(text: host, depth)
    }

    /// A name as OkHttp has it: A-labels in lower case, with a dot at the end if the text has one.
    private static func okHttpName(_ text: some StringProtocol, at place: PinPlace) throws(Problem) -> String {
        let name = try name(text, at: place)
        // UTS #46, 4, maps these characters to a dot.
        if case .dns(let host) = name, let last = text.last, ".。．｡".contains(last) { return host + "." }
        return name.description
    }

    /// The hosts that a name covers in TrustKit, which compares it as it is written.
    static func trustKitPattern(
        _ text: String, includesSubdomains: Bool, at place: PinPlace
    ) throws(Problem) -> HostPattern {
        _ = try name(text, at: place)
        return HostPattern(text: text, includesSubdomains ? .anyNumber : .exact)
    }

    /// The hosts that a name covers in Android, which compares it in lower case and otherwise as it is written.
    static func androidPattern(
        _ text: some StringProtocol, includesSubdomains: Bool, at place: PinPlace
    ) throws(Problem) -> HostPattern {
        _ = try name(text, at: place)
        return androidPattern(unchecked: text, includesSubdomains: includesSubdomains)
    }

    /// The hosts of text that is not a host name, which Android accepts silently.
    static func androidPattern(unchecked text: some StringProtocol, includesSubdomains: Bool) -> HostPattern {
        HostPattern(text: shortened(text.lowercased(), to: 253), includesSubdomains ? .anyNumber : .exact)
    }
}

extension PinReading {
    /// Notes pins that never apply: `client` compares names as text, and no URL's host is like the name of `hosts`.
    mutating func noteIfUnmatchable(_ hosts: HostPattern, by client: String, at place: PinPlace) {
        let name = hosts.name
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        guard !isASCII || name.hasSuffix(".") || name.contains(where: \.isUppercase) else { return }
        let lacks = !isASCII ? "has xn-- labels" : name.hasSuffix(".") ? "has no dot at its end" : "has small letters"
        let canonical = InternationalName.ascii(name).flatMap { try? ServerName($0) }?.description
        note(
            .hostNeverMatches, at: place,
            "'\(shortened(name, to: 80))' pins no server as URLs name it: \(client) compares names as text, and a URL's "
                + "host \(lacks)" + (canonical.map { "; write '\(shortened($0, to: 80))'" } ?? ""))
    }
}
