import Base
import Pinning
import X509

enum TransportSecurityReader {
    static let key = "NSAppTransportSecurity"

    private static let keys =
        TransportSecurity.narrowingKeys + ["NSAllowsArbitraryLoads", "NSExceptionDomains", "NSPinnedDomains"]
    private static let exceptionKeys = [
        "NSIncludesSubdomains", "NSExceptionAllowsInsecureHTTPLoads", "NSExceptionMinimumTLSVersion",
        "NSExceptionRequiresForwardSecrecy", "NSRequiresCertificateTransparency",
    ]
    /// Keys of 2015 that Apple's documentation no longer contains.
    private static let oldExceptionKeys = [
        "NSThirdPartyExceptionAllowsInsecureHTTPLoads", "NSThirdPartyExceptionMinimumTLSVersion",
        "NSThirdPartyExceptionRequiresForwardSecrecy",
    ]
    private static let versions: [String: ProtocolVersion] = [
        "TLSv1.0": .tls10, "TLSv1.1": .tls11, "TLSv1.2": .tls12, "TLSv1.3": .tls13,
    ]

    /// `true` if a property list is an app's Info.plist, to which App Transport Security always applies.
    static func isOfAnApp(_ root: DocumentNode) -> Bool {
        root[key] != nil || root.members?.contains { $0.key.hasPrefix("CFBundle") } == true
    }

    static func read(_ root: DocumentNode, into reading: inout PinReading) throws(Problem) {
        guard let node = root[key] else {
            return reading.transportSecurity.append(TransportSecurity(origin: root.place))
        }
        _ = try node.dictionary()
        var settings = TransportSecurity(origin: node.place, isStated: true)
        settings.narrowing = TransportSecurity.narrowingKeys.filter { node[$0] != nil }
        // The value of these keys has no effect, but its type must be right.
        for name in settings.narrowing where name != "NSAllowsLocalNetworking" {
            reading.attempt { (_) throws(Problem) in _ = try node[name]?.boolean() }
        }
        reading.attempt { (_) throws(Problem) in
            settings.allowsArbitraryLoads = try node["NSAllowsArbitraryLoads"]?.boolean() ?? false
            settings.allowsLocalNetworking = try node["NSAllowsLocalNetworking"]?.boolean() ?? false
        }
        reading.noteUnknown(in: node, of: "App Transport Security", keys)
        let exceptions = reading.attempt { (_) throws(Problem) in try node["NSExceptionDomains"]?.dictionary() ?? [] }
        settings.exceptions = (exceptions ?? []).compactMap { name, exception in
            reading.attempt { (reading) throws(Problem) in try self.exception(name, exception, into: &reading) }
        }
        reading.transportSecurity.append(settings)
    }

    private static func exception(
        _ name: String, _ node: DocumentNode, into reading: inout PinReading
    ) throws(Problem) -> TransportSecurity.Rules {
        _ = try node.dictionary()
        reading.noteUnknown(in: node, of: "App Transport Security", exceptionKeys + oldExceptionKeys)
        for key in oldExceptionKeys {
            guard let old = node[key] else { continue }
            reading.note(
                .unknownKey, .note, at: old.place,
                "'\(key)' is a key of 2015 that Apple's documentation has no more: judged as absent",
                remedy: .advice("write \(key.replacing("ThirdParty", with: ""))"))
        }
        let includesSubdomains = try node["NSIncludesSubdomains"]?.boolean() ?? false
        let hosts = hosts(name, includesSubdomains)
        if case .none = hosts {
            let what = "'\(shortened(name, to: 80))' in NSExceptionDomains is the host of no URL"
            let words = "\(what), which has small letters, no scheme, port, path or *: its exception counts for nothing"
            reading.note(.hostNeverMatches, at: node.place, words)
        }
        var exception = TransportSecurity.Rules(hosts: hosts, origin: node.place)
        if let node = node["NSExceptionMinimumTLSVersion"] { exception.minimumTLS = try version(node) }
        exception.requiresForwardSecrecy = try node["NSExceptionRequiresForwardSecrecy"]?.boolean() ?? true
        exception.allowsInsecureLoads = try node["NSExceptionAllowsInsecureHTTPLoads"]?.boolean() ?? false
        exception.requiresTransparency = try node["NSRequiresCertificateTransparency"]?.boolean() ?? false
        return exception
    }

    private static func version(_ node: DocumentNode) throws(Problem) -> ProtocolVersion {
        let text = try node.text()
        if let version = versions[text] { return version }
        let reason = "NSExceptionMinimumTLSVersion '\(shortened(text, to: 40))' is not a version"
        throw node.problem(.wrongValue, reason, "it is TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3")
    }

    /// The hosts that a key of `NSExceptionDomains` names: a name in lower case, an address, or an address range.
    private static func hosts(_ name: String, _ includesSubdomains: Bool) -> TransportSecurity.Hosts {
        let parts = name.parts(at: "/", atMost: 2)
        if let address = IPAddress(parts[0]) {
            let width = address.bytes.count * 8
            guard parts.count == 2 else { return .addresses(address, bits: width) }
            guard parts[1].utf8.allSatisfy(\.isDigit), let bits = Int(parts[1]), bits <= width
            else { return .none(name) }
            return .addresses(address, bits: bits)
        }
        guard let host = try? ServerName(name), host.description == name else { return .none(name) }
        return .names(HostPattern(text: name, includesSubdomains ? .upToOneLabel : .exact))
    }
}
