package import Base
package import Pinning
import X509

package enum HostText {
    static func pattern(
        _ text: some StringProtocol, _ depth: HostPattern.Depth, at place: PinPlace
    ) throws(Problem) -> HostPattern { HostPattern(text: try name(text, at: place).description, depth) }

    static func name(_ text: some StringProtocol, at place: PinPlace) throws(Problem) -> ServerName {
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
        let name = try name(text.dropFirst(stars.count), at: place)
        // OkHttp keeps a dot at the end; UTS #46, 4, maps these characters to it.
        let isDotted = if case .dns = name, let last = text.last { ".。．｡".contains(last) } else { false }
        let host = isDotted ? name.description + "." : name.description
        guard depth == .exact || !host.contains(":") else {
            throw Problem(
                .badHost, at: place, "'\(shortened(text))' is a pattern of an IPv6 address, and OkHttp throws for it",
                "write the address alone")
        }
        return HostPattern(text: host, depth)
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
