import PinFormats
import Pinning

extension CheckRequest {
    /// What chains are judged by: pins, clients, trust and time.
    struct Judging: Hashable, Sendable {
        /// The sources of pins.
        var pins: [PinSource] = []
        /// Whether pins that cannot be read are left out, with a warning.
        var skipsBadPins: Bool?
        /// The clients whose decisions are made.
        var clients: ClientSelection?
        /// AFNetworking's pinning mode, `nil` for the one that the pins suggest.
        var mode: AFSecurityPolicy.PinningMode?
        /// AFNetworking's `allowInvalidCertificates`.
        var allowsInvalidCertificates: Bool?
        /// AFNetworking's `validatesDomainName`, `nil` for the default of its version.
        var validatesDomainName: Bool?
        /// AFNetworking 2.5's `validatesCertificateChain`.
        var validatesCertificateChain: Bool?
        /// The roots that are trusted.
        var trust = Trust()
        /// Files and directories of roots as if a user had installed them.
        var extraRoots: [String] = []
        /// The moment to judge by, `nil` for now.
        var time: Timestamp?
        /// Whether what OpenSSL's pedantic checks find is a rejection.
        var isStrict: Bool?
        /// OpenSSL's security level, 0 to 5.
        var authLevel: Int?
        /// What is asked for the time ahead.
        var outlook = OutlookRules()

        /// The sources of pins, as they are to be read.
        var pinSources: [PinSource] {
            skipsBadPins ?? RequestDefaults.skipsBadPins ? pins.map { $0.skippingBadPins() } : pins
        }

        func merged(over other: Judging) -> Judging {
            Judging(
                pins: pins.isEmpty ? other.pins : pins,
                skipsBadPins: skipsBadPins ?? other.skipsBadPins,
                clients: clients ?? other.clients,
                mode: mode ?? other.mode,
                allowsInvalidCertificates: allowsInvalidCertificates ?? other.allowsInvalidCertificates,
                validatesDomainName: validatesDomainName ?? other.validatesDomainName,
                validatesCertificateChain: validatesCertificateChain ?? other.validatesCertificateChain,
                trust: trust.merged(over: other.trust),
                extraRoots: extraRoots.isEmpty ? other.extraRoots : extraRoots,
                time: time ?? other.time,
                isStrict: isStrict ?? other.isStrict,
                authLevel: authLevel ?? other.authLevel,
                outlook: outlook.merged(over: other.outlook)
            )
        }
    }

    /// The roots that are trusted.
    struct Trust: Hashable, Sendable {
        /// Files and directories of the anchors, empty for the system's roots.
        var anchors: [String] = []
        /// Whether the system's roots are trusted beside the anchors.
        var includesSystem: Bool?

        /// Anchors that are given are all that is trusted, whatever `other` adds to its own.
        fileprivate func merged(over other: Trust) -> Trust {
            guard anchors.isEmpty else { return self }
            return Trust(anchors: other.anchors, includesSystem: includesSystem ?? other.includesSystem)
        }
    }
}
