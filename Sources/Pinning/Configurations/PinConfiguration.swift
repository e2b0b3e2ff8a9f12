package import Base

/// The entries of a file that configures hosts.
package struct PinConfiguration {
    package enum Kind: String, CaseIterable {
        case okHttp = "okhttp"
        /// TrustKit for iOS: `TSKConfiguration`.
        case trustKit = "trustkit"
        case nsPinnedDomains = "nspinneddomains"
        case android
        /// react-native-ssl-public-key-pinning: TrustKit on iOS, OkHttp on Android.
        case reactNative = "react-native"
        case policy
        case appBundle = "app-bundle"

        package var lookup: Lookup {
            switch self {
            case .okHttp, .nsPinnedDomains, .appBundle: .union
            case .android, .policy: .mostSpecific
            case .trustKit, .reactNative: .mostSpecificOfSameSuffix
            }
        }
    }

    package enum Lookup {
        case union
        /// The entry of the exact name, else the longest that covers the host.
        case mostSpecific
        /// ``mostSpecific`` among the domains that have the host's public suffix.
        case mostSpecificOfSameSuffix
    }

    package let kind: Kind
    package let entries: [HostEntry]
    /// `true` if a program's source contains the entries: two sources may belong to two clients.
    package let isSource: Bool
    private let index: HostIndex<HostEntry>

    package init(_ kind: Kind, entries: [HostEntry], isSource: Bool = false) {
        (self.kind, self.entries, self.isSource) = (kind, entries, isSource)
        index = HostIndex(entries.map { ($0.hosts, $0) })
    }

    /// The entries for a host, which is compared as text; `nil` if none match.
    ///
    /// A `nil` lookup is that of the kind. TrustKit's lookup needs the public suffix list (publicsuffix.org):
    /// `publicSuffix` returns `co.uk` for `www.example.co.uk`, and `nil` if no rule covers the name.
    package func policy(for host: String, by lookup: Lookup? = nil, publicSuffix: (String) -> String?) -> [HostEntry]? {
        let covering = index.covering(host)
        let lookup = lookup ?? kind.lookup
        guard lookup != .union else { return covering.isEmpty ? nil : covering }
        if let own = covering.first(where: { $0.hosts?.name == host }) { return [own] }
        let eligible = covering.filter { entry in
            guard lookup == .mostSpecificOfSameSuffix, let hosts = entry.hosts else { return true }
            return publicSuffix(hosts.name) == publicSuffix(host)
        }
        return eligible.max { ($0.hosts?.name.utf8.count ?? 0) < ($1.hosts?.name.utf8.count ?? 0) }.map { [$0] }
    }
}

package struct HostEntry: Hashable {
    package enum Identities: Hashable {
        case anywhere([Pin])
        /// `NSPinnedLeafIdentities` and `NSPinnedCAIdentities`; `nil` if absent, empty if no entry is usable.
        case positions(leaf: [Pin]?, authorities: [Pin]?)
    }

    /// The hosts; `nil` if the entry is for every host.
    package var hosts: HostPattern?
    /// The place of the entry: a file with a line or a key path.
    package let origin: PinPlace
    package var identities: Identities
    package var enforcesPinning: Bool?
    /// The moment after which the pins do not apply: midnight in UTC at the start of the given date.
    package var expiration: Timestamp?
    /// `true` if the hosts are exempt from the entry of their parent domain.
    package var isExcluded = false
    /// `true` if the configuration contains anchors below which no pin is needed (Android's `overridePins`).
    package var hasExemptAnchors = false
    /// `true` if installed roots need no pin on macOS (`TSKIgnorePinningForUserDefinedTrustAnchors`); `nil` if unset.
    package var exemptsInstalledRoots: Bool?
    package var reportURIs: [String] = []
    /// The clients that load the pins from an app's files; `nil` if the pins are from a configuration.
    package var loaders: Set<BundleLoader>?

    package init(hosts: HostPattern?, origin: PinPlace, identities: Identities) {
        (self.hosts, self.origin, self.identities) = (hosts, origin, identities)
    }

    package var pins: [Pin] {
        switch identities {
        case .anywhere(let pins): pins
        case .positions(let leaf, let authorities): (leaf ?? []) + (authorities ?? [])
        }
    }

    /// `true` if the hosts are pinned, even to nothing.
    package var isPinning: Bool {
        if case .positions = identities { true } else { !pins.isEmpty }
    }

    package var includesSubdomains: Bool { hosts?.depth == .anyNumber && !isExcluded }
}

package enum BundleLoader: String, CaseIterable {
    /// Files named `.cer` in the main bundle.
    case afNetworking4 = "AFNetworking 4"
    /// Files named `.cer` in the bundle of AFNetworking's class, which is the framework's if it is one.
    case afNetworking3 = "AFNetworking 2 and 3"
    /// Files in the main bundle named `.cer`, `.crt` or `.der`, in small or capital letters.
    case alamofire = "Alamofire"
}

extension [HostEntry] {
    package var pins: PinSet? { PinSet(filter { !$0.isExcluded }.flatMap(\.pins)) }
    package var enforcesPinning: Bool? { lazy.compactMap(\.enforcesPinning).first }
    package var expiration: Timestamp? { lazy.compactMap(\.expiration).first }
}
