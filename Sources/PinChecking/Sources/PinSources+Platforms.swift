import Base
import PinFormats
import Pinning

/// What the sources say to the platforms, where several of them must say the same: an app ships one of each.
extension PinSources {
    /// The network security configuration of the app.
    ///
    /// - Parameters:
    ///   - name: the reference name, for the message.
    ///   - host: the host as Android has it, `nil` for one that is not known.
    /// - Returns: the only one, or one of several that agree about the host; `nil` for none.
    /// - Throws: ``CheckError`` when two say different things of the host: an app ships one.
    func networkSecurity(for name: ReferenceName, host: String?) throws(CheckError) -> NetworkSecurityConfiguration? {
        guard let first = networkSecurity.first else { return nil }
        for other in networkSecurity.dropFirst() where !other.says(theSameAs: first, of: host) {
            throw .said(
                .data,
                "two configurations say different things of whom Android trusts for \(name): "
                    + "\(first.trust(for: host).place?.origin ?? first.origin) and "
                    + "\(other.trust(for: host).place?.origin ?? other.origin); give the one that the app ships")
        }
        return first
    }

    /// App Transport Security of the app, the only one or one of several that agree; `nil` where none is known.
    ///
    /// - Throws: ``CheckError`` when two say different things of the host: an app has one Info.plist.
    func transportSecurity(for host: ServerName?) throws(CheckError) -> TransportSecurity? {
        guard let first = transportSecurity.first, let host else { return transportSecurity.first }
        for other in transportSecurity.dropFirst() where !other.says(theSameAs: first, of: host) {
            throw .said(
                .data,
                "two configurations say different things of App Transport Security for \(host): \(first.origin) and "
                    + "\(other.origin); give the one that the app ships")
        }
        return first
    }
}

extension NetworkSecurityConfiguration {
    /// Whether both have Android trust the same for a host, wherever it stands.
    fileprivate func says(theSameAs other: NetworkSecurityConfiguration, of host: String?) -> Bool {
        func meaning(_ configuration: NetworkSecurityConfiguration, isDebuggable: Bool) -> AndroidTrust {
            var trust = configuration.trust(for: host, isDebuggable: isDebuggable)
            trust.place = nil
            return trust
        }
        return [false, true].allSatisfy { meaning(self, isDebuggable: $0) == meaning(other, isDebuggable: $0) }
            && debugObstacle == other.debugObstacle
    }
}

extension TransportSecurity {
    /// Whether both ask the same of connections to a host, before iOS 17 and after, wherever it stands.
    fileprivate func says(theSameAs other: TransportSecurity, of host: ServerName) -> Bool {
        func meaning(_ settings: TransportSecurity, _ release: AppleRelease) -> Requirement? {
            guard case .on(var requirement) = settings.ruling(for: host, on: release) else { return nil }
            requirement.exception = nil
            return requirement
        }
        let older = AppleRelease(
            limitsLeavesOfOwnAnchors: true, requiresTransparency: true, judgesAddressesByTransportSecurity: false)
        return [.newest, older].allSatisfy { meaning(self, $0) == meaning(other, $0) }
    }
}
