import Base
package import PinFormats
package import Pinning

extension CheckRequest {
    /// What chains are judged by: pins, clients, trust and time.
    package struct Judging: Hashable, Sendable {
        package var pins: [PinSource] = []
        package var clients: ClientSelection?
        /// AFNetworking's pinning mode, `nil` for the one that the pins suggest.
        package var mode: AFSecurityPolicy.PinningMode?
        package var allowsInvalidCertificates: Bool?
        /// AFNetworking's `validatesDomainName`, `nil` for the default of its version.
        package var validatesDomainName: Bool?
        package var trust = Trust()
        /// The names of the devices whose roots and rules decide, as in `ios-17`, `system` and `all`; `nil` for this machine and the
        /// newest of each client's platform.
        package var devices: [String]?
        /// A file with the roots of devices, `nil` for those of the program.
        package var deviceData: String?
        /// Files and directories of roots as if a user had installed them.
        package var extraRoots: [String] = []
        /// Files and directories of certificates as if a platform had fetched them.
        package var intermediates: [String] = []
        /// The moment to judge by, `nil` for now.
        package var time: Timestamp?
        package var outlook = OutlookRules()

        package init() {}

        func merged(over other: Judging) -> Judging {
            var merged = self
            merged.pins = pins.isEmpty ? other.pins : pins
            merged.clients = clients ?? other.clients
            merged.mode = mode ?? other.mode
            merged.allowsInvalidCertificates = allowsInvalidCertificates ?? other.allowsInvalidCertificates
            merged.validatesDomainName = validatesDomainName ?? other.validatesDomainName
            merged.trust = trust.merged(over: other.trust)
            merged.devices = devices ?? other.devices
            merged.deviceData = deviceData ?? other.deviceData
            merged.extraRoots = extraRoots.isEmpty ? other.extraRoots : extraRoots
            merged.intermediates = intermediates.isEmpty ? other.intermediates : intermediates
            merged.time = time ?? other.time
            merged.outlook = outlook.merged(over: other.outlook)
            return merged
        }
    }

    package struct Trust: Hashable, Sendable {
        /// Files and directories of the anchors, empty for the system's roots.
        package var anchors: [String] = []
        package var includesSystem: Bool?

        /// Anchors that are given are all that is trusted, whatever `other` adds to its own.
        fileprivate func merged(over other: Trust) -> Trust {
            guard anchors.isEmpty else { return self }
            return Trust(anchors: other.anchors, includesSystem: includesSystem ?? other.includesSystem)
        }
    }
}
