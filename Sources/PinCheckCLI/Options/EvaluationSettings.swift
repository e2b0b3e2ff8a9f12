import PinFormats

/// What a chain is judged by, as the user said it: the flags of one call, or what a list or policy says of one target.
///
/// Files and values are not read yet; ``EvaluationLoader`` does that.
struct EvaluationSettings: Hashable, Sendable {
    /// The sources of pins.
    var pins: [PinSource] = []
    /// The clients with their settings, `nil` for the default.
    var client: String?
    /// AFNetworking's pinning mode, `nil` for the one that the pins suggest.
    var mode: String?
    /// AFNetworking's `allowInvalidCertificates`.
    var allowsInvalidCertificates = false
    /// Whether AFNetworking's `validatesDomainName` is off.
    var ignoresDomainName = false
    /// AFNetworking 2.5's `validatesCertificateChain`.
    var validatesCertificateChain = true
    /// Files and directories of the anchors, empty for the system's roots.
    var anchors: [String] = []
    /// Whether the system's roots are trusted beside the anchors.
    var trustsSystemToo = false
    /// Files and directories of roots as if a user had installed them.
    var extraRoots: [String] = []
    /// The moment to judge by, `nil` for now.
    var time: String?
    /// Whether what OpenSSL's pedantic checks find is a rejection.
    var isStrict = false
    /// OpenSSL's security level, `nil` for the default.
    var authLevel: String?
    /// What is asked for the time ahead.
    var outlook = OutlookSettings()
}

extension EvaluationSettings {
    /// What the flags say.
    init(_ options: EvaluationOptions, _ outlook: OutlookSettings) {
        self.init(
            pins: options.pins.map { PinSource($0, skipsBadPins: options.skipBadPins) }
                + (options.pinnedpubkey.map { [PinSource(pinnedPublicKey: $0, skipsBadPins: options.skipBadPins)] }
                    ?? []),
            client: options.client,
            mode: options.mode,
            allowsInvalidCertificates: options.allowInvalidCertificates,
            ignoresDomainName: options.noValidateDomainName,
            validatesCertificateChain: options.validateCertificateChain,
            anchors: options.anchors,
            trustsSystemToo: options.andSystem,
            extraRoots: options.extraRoot,
            time: options.at,
            isStrict: options.strict,
            authLevel: options.authLevel,
            outlook: outlook
        )
    }
}
