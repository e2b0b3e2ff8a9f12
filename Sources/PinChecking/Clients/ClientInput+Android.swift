import Base
import Pinning

extension ClientSettings {
    /// What Android trusts for a host in the app that the settings describe, `nil` where nothing says it.
    ///
    /// - Returns: the anchors and what goes with them, and why the app throws when there is a reason.
    /// - Throws: ``CheckError`` for settings that are none, or that the configuration contradicts.
    func androidTrust(
        _ configuration: NetworkSecurityConfiguration?, for host: String?, installedRoots: [Certificate]
    ) throws(CheckError) -> (trust: AndroidTrust?, obstacle: ClientConfigurationError?) {
        guard entry.platform == .android else { return (nil, nil) }
        let targetSDK = try targetSDK()
        guard configuration != nil || targetSDK != nil else { return (nil, nil) }
        let isDebuggable = isSet("debuggable")
        var trust =
            configuration?.trust(for: host, targetSDK: targetSDK, isDebuggable: isDebuggable)
            ?? AndroidTrust(targetSDK: targetSDK)
        if isSet("user-roots"), !trust.trustsInstalledRoots {
            if let place = trust.place, place.namesAnchors {
                throw .said(
                    .data,
                    "\(entry.name): the app's configuration trusts \(trust.words) and no root of the user's "
                        + "(\(place.origin)): leave user-roots out, or name src=\"user\" there")
            }
            trust.sources.append(.init(.user))
        }
        trust.installedRoots = installedRoots
        let obstacle = isDebuggable ? configuration?.debugObstacle : nil
        return (trust, obstacle.map { ClientConfigurationError(client: entry.name, message: $0) })
    }

    private func targetSDK() throws(CheckError) -> Int? {
        guard let text = text("target-sdk") else { return nil }
        guard let level = Int(text), (1...10_000).contains(level) else {
            throw .said(
                .request, "\(entry.name) has no target-sdk \(quoted(text)): give an API level, as in target-sdk=34")
        }
        return level
    }
}
