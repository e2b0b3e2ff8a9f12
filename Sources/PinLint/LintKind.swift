internal import PinFormats

/// A kind of finding: a stable word, how bad it is, some cases of it apart, and what it means in one sentence.
package struct LintKind: Sendable, Hashable {
    package let id: String
    package let severity: LintSeverity
    package let explanation: String
    package let isObstacle: Bool

    private init(_ id: String, _ severity: LintSeverity, _ explanation: String, isObstacle: Bool = false) {
        (self.id, self.severity, self.explanation, self.isObstacle) = (id, severity, explanation, isObstacle)
    }

    /// Every kind there is: those about pins that can be read first, then the obstacles to reading them.
    package static let all =
        aboutPins
        + PinProblem.allCases.filter { problem in !aboutPins.contains { $0.id == problem.rawValue } }.map {
            LintKind($0.rawValue, .error, $0.explanation, isObstacle: true)
        }

    static func aboutPins(_ id: String) -> LintKind? { aboutPins.first { $0.id == id } }

    private static let aboutPins: [LintKind] = [
        .pinnedCertificateExpired, .pinnedCertificateExpiresSoon, .pinnedCertificateNotYetValid, .certificateModeEnds,
        .leafCertificatePinned, .onlyLeafPins, .authorityBesideLeaf, .lifetimeTooLong, .noServerAuth, .keyUsage,
        .weakKey, .weakSignature, .noBackupPin, .duplicatePin, .sameKeyTwice, .emptyPinSet, .hostNotPinned,
        .hostNeverMatches, .pinSetExpired, .pinSetExpiresSoon, .notLoadedByAFNetworking, .notLoadedByAlamofire,
        .clientTakesCertificates, .curlTakesKeys, .curlComparesTheLeaf, .trustKitTooFewPins,
        .trustKitNoRegisteredSuffix, .trustKitPublicSuffix, .trustKitUnsupportedKey, .trustKitNotEnforced,
        .trustKitReportURI, .unknownKey, .publicKeyNotLoaded, .trustKitFailsOpenAfterExpiration,
        .androidFailsOpenAfterExpiration, .pinsOverridden, .trustsNothing, .userAnchors, .debugOverrides,
        .debugBuildThrows, .nsPinnedDomainsOneLabel, .nsPinnedDomainsLeafAndCA, .arbitraryLoads,
        .transportSecurityException, .pinnedToNothing, .okHttpOneLabel, .ignored, .notFollowed, .notAPinFile,
        .certificateRequest, .driftHosts, .driftPins, .driftSubdomains,
    ]

    static let pinnedCertificateExpired = LintKind(
        "pinned-certificate-expired", .error,
        "A pinned certificate is past its end, so a client in certificate mode refuses it.")
    static let pinnedCertificateExpiresSoon = LintKind(
        "pinned-certificate-expires-soon", .warning,
        "A pinned certificate ends soon, and with it what certificate mode accepts.")
    static let pinnedCertificateNotYetValid = LintKind(
        "pinned-certificate-not-yet-valid", .warning, "A pinned certificate is not valid yet.")
    static let certificateModeEnds = LintKind(
        "certificate-mode-ends", .note, "The date on which an app that ships these certificates stops working.")
    static let leafCertificatePinned = LintKind(
        "leaf-certificate-pinned", .warning, "A pinned leaf certificate matches until the server's next renewal only.")
    static let onlyLeafPins = LintKind(
        "only-leaf-pins", .warning, "Only leaf certificates are pinned, so the next renewal locks certificate mode out."
    )
    static let authorityBesideLeaf = LintKind(
        "authority-beside-leaf", .warning,
        "A CA is pinned beside a server's own key: every certificate it issues for the name is accepted.")
    static let lifetimeTooLong = LintKind(
        "lifetime-too-long", .error,
        "A pinned server's certificate is valid for longer than Apple's platforms take, from its first day on.")
    static let noServerAuth = LintKind(
        "no-server-auth", .error,
        "A pinned server's certificate does not say serverAuth, which Apple's platforms ask for from its first day on.")
    static let keyUsage = LintKind(
        "key-usage", .error,
        "A pinned server's certificate lacks digitalSignature, without which phones end the handshake.")
    static let weakKey = LintKind(
        "weak-key", .warning, "A pinned key is shorter than clients accept: RSA below 2048 bits, EC below 256, or DSA.")
    static let weakSignature = LintKind(
        "weak-signature", .warning, "A pinned certificate is signed with SHA-1, MD5 or older, which clients refuse.")
    static let noBackupPin = LintKind(
        "no-backup-pin", .warning, "Fewer than two keys are pinned, so that losing one locks every user out.")
    static let duplicatePin = LintKind("duplicate-pin", .warning, "The same pin is listed twice.")
    static let sameKeyTwice = LintKind(
        "same-key-twice", .note, "One key is pinned in two ways, which makes it no second pin.")
    static let emptyPinSet = LintKind("empty-pin-set", .warning, "A set of pins is empty, which switches pinning off.")
    static let hostNotPinned = LintKind(
        "host-not-pinned", .warning, "A host is configured without anything that pins it.")
    static let hostNeverMatches = LintKind(
        "host-never-matches", .error, "A host is pinned by a name that its client never finds equal to that of a URL.")
    static let pinSetExpired = LintKind(
        "pin-set-expired", .error, "The expiration of the pins is past, so that nothing is pinned any more.")
    static let pinSetExpiresSoon = LintKind(
        "pin-set-expires-soon", .warning, "The expiration of the pins is near, from which on nothing is pinned.")
    static let notLoadedByAFNetworking = LintKind(
        "not-loaded-by-afnetworking", .warning, "AFNetworking loads only DER files named .cer from a bundle.")
    static let notLoadedByAlamofire = LintKind(
        "not-loaded-by-alamofire", .warning, "Alamofire loads only DER files named .cer, .crt or .der from a bundle.")
    static let clientTakesCertificates = LintKind(
        "client-takes-certificates", .note,
        "The client pins the keys of certificates in its bundle, for which a hash can only stand here.")
    static let curlTakesKeys = LintKind(
        "curl-takes-keys", .error, "curl takes the file of a public key, and never matches a certificate's.")
    static let curlComparesTheLeaf = LintKind(
        "curl-compares-the-leaf", .warning, "curl compares the key of the leaf alone, so a CA's never matches.")
    static let trustKitTooFewPins = LintKind(
        "trustkit-too-few-pins", .error, "TrustKit throws when fewer than two different pins are enforced.")
    static let trustKitNoRegisteredSuffix = LintKind(
        "trustkit-no-registered-suffix", .error, "TrustKit throws for a domain that ends in no registered suffix.")
    static let trustKitPublicSuffix = LintKind(
        "trustkit-public-suffix", .error, "TrustKit throws when subdomains of a public suffix are included.")
    static let trustKitUnsupportedKey = LintKind(
        "trustkit-unsupported-key", .error, "TrustKit cannot hash this kind of key and blocks the connection.")
    static let trustKitNotEnforced = LintKind(
        "trustkit-not-enforced", .warning, "TrustKit only reports mismatches for this domain.")
    static let trustKitReportURI = LintKind(
        "trustkit-report-uri", .warning, "TrustKit throws on iOS 16 and older for a report URI that is not a URL.")
    static let unknownKey = LintKind("unknown-key", .error, "The client does not read a key that the file gives it.")
    static let publicKeyNotLoaded = LintKind(
        "public-key-not-loaded", .error, "The client cannot hold this kind of key, and leaves the pin out or ends.")
    static let trustKitFailsOpenAfterExpiration = LintKind(
        "trustkit-fails-open-after-expiration", .note, "After its expiration TrustKit accepts every trusted chain.")
    static let androidFailsOpenAfterExpiration = LintKind(
        "android-fails-open-after-expiration", .note, "After its expiration Android accepts every trusted chain.")
    static let pinsOverridden = LintKind(
        "pins-overridden", .warning, "Chains to anchors with overridePins are accepted without a pin.")
    static let trustsNothing = LintKind(
        "trusts-nothing", .error, "An app trusts no root at all for its hosts, so that nothing can be connected to.")
    static let userAnchors = LintKind(
        "user-anchors", .warning, "An app trusts whatever roots its user installs, an interceptor's among them.")
    static let debugOverrides = LintKind("debug-overrides", .note, "Anchors for debuggable builds override pins there.")
    static let debugBuildThrows = LintKind(
        "debug-build-throws", .error, "Debuggable builds throw for a part of the file that other builds do not read.")
    static let nsPinnedDomainsOneLabel = LintKind(
        "nspinneddomains-one-label", .note, "NSIncludesSubdomains covers one label below the domain, and no more.")
    static let nsPinnedDomainsLeafAndCA = LintKind(
        "nspinneddomains-leaf-and-ca", .warning, "Leaf and CA identities must both match.")
    static let arbitraryLoads = LintKind(
        "ats-arbitrary-loads", .warning, "App Transport Security is off for all hosts without an entry of their own.")
    static let transportSecurityException = LintKind(
        "ats-exception", .warning, "An exception from App Transport Security weakens the connections to a host.")
    static let pinnedToNothing = LintKind(
        "pinned-to-nothing", .error, "A host is pinned to an empty list, so that no certificate can match.")
    static let okHttpOneLabel = LintKind(
        "okhttp-one-label", .warning, "OkHttp's *. covers exactly one label, and not the domain itself.")
    static let ignored = LintKind("ignored", .note, "A part of the file plays no role for pins.")
    static let notFollowed = LintKind("not-followed", .note, "A part of the file was not followed.")
    static let notAPinFile = LintKind("not-a-pin-file", .note, "A file in a directory of pins holds none.")
    static let certificateRequest = LintKind(
        "certificate-request", .note, "A certificate request's key is pinned before there is a certificate.")
    static let driftHosts = LintKind("drift-hosts", .warning, "A host is pinned in one source and not in another.")
    static let driftPins = LintKind("drift-pins", .warning, "A host has a pin in one source that it lacks in another.")
    static let driftSubdomains = LintKind(
        "drift-subdomains", .warning, "Sources differ in which subdomains of a host they pin.")
}
