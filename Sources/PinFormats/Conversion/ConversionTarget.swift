internal import Pinning

/// What a format can say of a host beside its pins.
struct ConversionTarget {
    /// The client's name in sentences.
    let name: String
    /// The depths it has, and the nearest it has to the others.
    let depths: [HostPattern.Depth: HostPattern.Depth]
    var hasExpiration = false
    var hasEnforcement = false
    var hasExclusion = false
    var hasReportURIs = false
    var hasPorts = false
    /// Whether it names the hosts that the pins are for.
    var namesHosts = true
    /// Whether a host can stand there once only.
    var hasOneEntryPerHost = false
    /// Whether the entries of a parent domain count for a host with one of its own.
    var addsParents = false

    private static let exactOnly: [HostPattern.Depth: HostPattern.Depth] = [
        .exact: .exact, .oneLabel: .exact, .upToOneLabel: .exact, .anyNumber: .exact,
    ]
    private static let exactOrAny: [HostPattern.Depth: HostPattern.Depth] = [
        .exact: .exact, .oneLabel: .anyNumber, .upToOneLabel: .anyNumber, .anyNumber: .anyNumber,
    ]
    private static let every: [HostPattern.Depth: HostPattern.Depth] = [
        .exact: .exact, .oneLabel: .oneLabel, .upToOneLabel: .upToOneLabel, .anyNumber: .anyNumber,
    ]

    init(_ format: PinBlockFormat) {
        switch format {
        case .okhttp:
            (name, depths) = ("OkHttp", Self.every)
            addsParents = true
        case .trustkit:
            (name, depths) = ("TrustKit", Self.exactOrAny)
            (hasExpiration, hasEnforcement, hasExclusion, hasReportURIs) = (true, true, true, true)
            hasOneEntryPerHost = true
        case .nspinned:
            name = "NSPinnedDomains"
            depths = [
                .exact: .exact, .oneLabel: .upToOneLabel, .upToOneLabel: .upToOneLabel, .anyNumber: .upToOneLabel,
            ]
            hasOneEntryPerHost = true
            addsParents = true
        case .android:
            (name, depths) = ("Android", Self.exactOrAny)
            (hasExpiration, hasExclusion, hasReportURIs) = (true, true, true)
            hasOneEntryPerHost = true
        case .curl:
            (name, depths) = ("curl", Self.exactOnly)
            hasPorts = true
        case .afnetworking:
            (name, depths) = ("AFNetworking", Self.exactOnly)
            namesHosts = false
        }
    }

    /// What becomes of hosts when one depth stands for another, `nil` when nothing does.
    static func loss(_ host: String, _ from: HostPattern.Depth, _ to: HostPattern.Depth, in name: String) -> String? {
        switch (from, to) {
        case (.exact, _), (.oneLabel, .oneLabel), (.upToOneLabel, .upToOneLabel), (.anyNumber, .anyNumber): nil
        case (.oneLabel, .upToOneLabel): "\(name) cannot leave out \(host) itself, which is pinned now too"
        case (.oneLabel, .anyNumber):
            "\(name) has no pattern for one label: \(host) itself and names two labels and more below it are pinned now too"
        case (.upToOneLabel, .anyNumber):
            "\(name) includes all subdomains or none: names two labels and more below \(host) are pinned now too"
        case (.anyNumber, .upToOneLabel), (.anyNumber, .oneLabel):
            "\(name) includes one label only: names two labels and more below \(host) are not pinned any more"
        case (.oneLabel, .exact): "\(name) has no subdomains: only \(host) itself is named, which was not pinned before"
        case (_, .exact): "\(name) has no subdomains: names below \(host) are not pinned any more"
        case (.upToOneLabel, .oneLabel): "\(host) itself is not pinned any more"
        }
    }
}
