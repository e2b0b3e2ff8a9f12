/// The kinds of findings about pins that can be read, as stable words.
package enum LintRuleID: String, Sendable, Hashable, CaseIterable {
    // Certificates
    case pinnedCertificateExpired = "pinned-certificate-expired"
    case pinnedCertificateExpiresSoon = "pinned-certificate-expires-soon"
    case pinnedCertificateNotYetValid = "pinned-certificate-not-yet-valid"
    case certificateModeEnds = "certificate-mode-ends"
    case leafCertificatePinned = "leaf-certificate-pinned"
    case onlyLeafPins = "only-leaf-pins"
    case authorityBesideLeaf = "authority-beside-leaf"
    case lifetimeTooLong = "lifetime-too-long"
    case noServerAuth = "no-server-auth"
    case weakKey = "weak-key"
    case weakSignature = "weak-signature"
    // Sets of pins
    case noBackupPin = "no-backup-pin"
    case duplicatePin = "duplicate-pin"
    case sameKeyTwice = "same-key-twice"
    case overlappingHosts = "overlapping-hosts"
    case emptyPinSet = "empty-pin-set"
    case hostNotPinned = "host-not-pinned"
    case hostNeverMatches = "host-never-matches"
    // Expiration
    case pinSetExpired = "pin-set-expired"
    case pinSetExpiresSoon = "pin-set-expires-soon"
    // Clients
    case notLoadedByAFNetworking = "not-loaded-by-afnetworking"
    case notLoadedByAlamofire = "not-loaded-by-alamofire"
    case clientTakesCertificates = "client-takes-certificates"
    case curlTakesKeys = "curl-takes-keys"
    case curlComparesTheLeaf = "curl-compares-the-leaf"
    case trustKitTooFewPins = "trustkit-too-few-pins"
    case trustKitNoRegisteredSuffix = "trustkit-no-registered-suffix"
    case trustKitPublicSuffix = "trustkit-public-suffix"
    case trustKitUnsupportedKey = "trustkit-unsupported-key"
    case trustKitNotEnforced = "trustkit-not-enforced"
    case trustKitHashDiffers = "trustkit-hash-differs"
    case trustKitReportURI = "trustkit-report-uri"
    case unknownKey = "unknown-key"
    case publicKeyNotLoaded = "public-key-not-loaded"
    case trustKitAndroidThrows = "trustkit-android-throws"
    case trustKitFailsOpenAfterExpiration = "trustkit-fails-open-after-expiration"
    case trustKitAndroidNotEnforced = "trustkit-android-not-enforced"
    case trustKitAndroidOneDomain = "trustkit-android-one-domain"
    case androidFailsOpenAfterExpiration = "android-fails-open-after-expiration"
    case pinsOverridden = "pins-overridden"
    case trustsNothing = "trusts-nothing"
    case userAnchors = "user-anchors"
    case debugOverrides = "debug-overrides"
    case debugBuildThrows = "debug-build-throws"
    case nsPinnedDomainsOneLabel = "nspinneddomains-one-label"
    case nsPinnedDomainsLeafAndCA = "nspinneddomains-leaf-and-ca"
    case arbitraryLoads = "ats-arbitrary-loads"
    case arbitraryLoadsNarrowed = "ats-arbitrary-loads-narrowed"
    case transportSecurityException = "ats-exception"
    case pinnedToNothing = "pinned-to-nothing"
    case okHttpOneLabel = "okhttp-one-label"
    // Readers' remarks
    case ignored
    case notFollowed = "not-followed"
    case notAPinFile = "not-a-pin-file"
    case certificateRequest = "certificate-request"
    // Several sources
    case driftHosts = "drift-hosts"
    case driftPins = "drift-pins"
    case driftSubdomains = "drift-subdomains"
    case driftExpiration = "drift-expiration"
    case driftEnforcement = "drift-enforcement"

    /// How bad it is; a rule may find a case of it less bad.
    package var severity: LintSeverity {
        switch self {
        case .pinnedCertificateExpired, .pinSetExpired, .trustKitTooFewPins, .trustKitNoRegisteredSuffix,
            .trustKitPublicSuffix, .trustKitUnsupportedKey, .trustKitHashDiffers, .trustKitAndroidThrows,
            .debugBuildThrows, .unknownKey, .trustsNothing, .hostNeverMatches, .publicKeyNotLoaded, .lifetimeTooLong,
            .noServerAuth, .pinnedToNothing, .curlTakesKeys:
            .error
        case .pinnedCertificateExpiresSoon, .pinnedCertificateNotYetValid, .leafCertificatePinned, .onlyLeafPins,
            .authorityBesideLeaf, .weakKey, .weakSignature, .noBackupPin, .duplicatePin, .emptyPinSet, .hostNotPinned,
            .pinSetExpiresSoon, .notLoadedByAFNetworking, .notLoadedByAlamofire, .curlComparesTheLeaf,
            .trustKitNotEnforced, .trustKitAndroidNotEnforced, .trustKitAndroidOneDomain, .pinsOverridden, .userAnchors,
            .arbitraryLoads, .transportSecurityException, .nsPinnedDomainsLeafAndCA, .okHttpOneLabel,
            .trustKitReportURI, .driftHosts, .driftPins, .driftSubdomains, .driftExpiration, .driftEnforcement:
            .warning
        case .certificateModeEnds, .sameKeyTwice, .arbitraryLoadsNarrowed, .overlappingHosts,
            .trustKitFailsOpenAfterExpiration, .androidFailsOpenAfterExpiration, .debugOverrides,
            .nsPinnedDomainsOneLabel, .ignored, .notFollowed, .notAPinFile, .certificateRequest,
            .clientTakesCertificates:
            .note
        }
    }

    /// What it means, in one sentence.
    package var explanation: String {
        switch self {
        case .pinnedCertificateExpired:
            "A pinned certificate is past its end, so a client in certificate mode refuses it."
        case .pinnedCertificateExpiresSoon: "A pinned certificate ends soon, and with it what certificate mode accepts."
        case .pinnedCertificateNotYetValid: "A pinned certificate is not valid yet."
        case .certificateModeEnds: "The date on which an app that ships these certificates stops working."
        case .leafCertificatePinned: "A pinned leaf certificate matches until the server's next renewal only."
        case .onlyLeafPins: "Only leaf certificates are pinned, so the next renewal locks certificate mode out."
        case .authorityBesideLeaf:
            "An authority is pinned beside a server's own key, so that any certificate it issues for the name will do."
        case .lifetimeTooLong:
            "A pinned server's certificate is valid for longer than Apple's platforms take, from its first day on."
        case .noServerAuth:
            "A pinned server's certificate does not say serverAuth, which Apple's platforms ask for from its first day on."
        case .weakKey: "A pinned key is shorter than clients accept: RSA below 2048 bits, EC below 256, or DSA."
        case .weakSignature: "A pinned certificate is signed with SHA-1, MD5 or older, which clients refuse."
        case .noBackupPin: "Fewer than two keys are pinned, so that losing one locks every user out."
        case .duplicatePin: "The same pin is listed twice."
        case .sameKeyTwice: "One key is pinned in two ways, which makes it no second pin."
        case .overlappingHosts: "Entries overlap, and the client takes the pins of all of them."
        case .emptyPinSet: "A set of pins is empty, which switches pinning off."
        case .hostNotPinned: "A host is configured without anything that pins it."
        case .hostNeverMatches: "A host is pinned by a name that its client never finds equal to that of a URL."
        case .pinSetExpired: "The expiration of the pins is past, so that nothing is pinned any more."
        case .pinSetExpiresSoon: "The expiration of the pins is near, from which on nothing is pinned."
        case .notLoadedByAFNetworking: "AFNetworking loads only DER files named .cer from a bundle."
        case .notLoadedByAlamofire: "Alamofire loads only DER files named .cer, .crt or .der from a bundle."
        case .clientTakesCertificates:
            "The client pins the keys of certificates in its bundle, for which a hash can only stand here."
        case .curlTakesKeys: "curl takes the file of a public key, and never matches a certificate's."
        case .curlComparesTheLeaf: "curl compares the key of the leaf alone, so an authority's never matches."
        case .trustKitTooFewPins: "TrustKit throws when fewer than two different pins are enforced."
        case .trustKitNoRegisteredSuffix: "TrustKit throws for a domain that ends in no registered suffix."
        case .trustKitPublicSuffix: "TrustKit throws when subdomains of a public suffix are included."
        case .trustKitUnsupportedKey: "TrustKit cannot hash this kind of key and blocks the connection."
        case .trustKitHashDiffers:
            "TrustKit computes another hash for the key than everybody else, so that its pin never matches."
        case .trustKitReportURI: "TrustKit throws on iOS 16 and older for a report URI that is not a URL."
        case .unknownKey: "The client does not read a key that the file gives it."
        case .publicKeyNotLoaded: "The client cannot hold this kind of key, and leaves the pin out or ends."
        case .trustKitAndroidThrows: "TrustKit for Android throws for the file when the app starts."
        case .trustKitNotEnforced: "TrustKit only reports mismatches for this domain."
        case .trustKitFailsOpenAfterExpiration: "After its expiration TrustKit accepts every trusted chain."
        case .trustKitAndroidNotEnforced: "TrustKit for Android only reports mismatches unless it is told to enforce."
        case .trustKitAndroidOneDomain: "TrustKit for Android reads the last domain of a domain-config only."
        case .androidFailsOpenAfterExpiration: "After its expiration Android accepts every trusted chain."
        case .pinsOverridden: "Chains to anchors with overridePins are accepted without a pin."
        case .trustsNothing: "An app trusts no root at all for its hosts, so that nothing can be connected to."
        case .userAnchors: "An app trusts whatever roots its user installs, an interceptor's among them."
        case .debugOverrides: "Anchors for debuggable builds override pins there."
        case .debugBuildThrows: "Debuggable builds throw for a part of the file that other builds do not read."
        case .nsPinnedDomainsOneLabel: "NSIncludesSubdomains covers one label below the domain, and no more."
        case .nsPinnedDomainsLeafAndCA: "Leaf and authority identities must both match."
        case .arbitraryLoads: "App Transport Security is off for all hosts without an entry of their own."
        case .arbitraryLoadsNarrowed: "A key that is there takes the effect from NSAllowsArbitraryLoads."
        case .transportSecurityException: "An exception from App Transport Security weakens the connections to a host."
        case .pinnedToNothing: "A host is pinned to an empty list, so that no certificate can match."
        case .okHttpOneLabel: "OkHttp's *. covers exactly one label, and not the domain itself."
        case .ignored: "A part of the file plays no role for pins."
        case .notFollowed: "A part of the file was not followed."
        case .notAPinFile: "A file in a directory of pins holds none."
        case .certificateRequest: "A certificate request's key is pinned before there is a certificate."
        case .driftHosts: "A host is pinned in one source and not in another."
        case .driftPins: "A host has a pin in one source that it lacks in another."
        case .driftSubdomains: "Sources differ in which subdomains of a host they pin."
        case .driftExpiration: "Sources differ in when the pins of a host expire."
        case .driftEnforcement: "Sources differ in whether a mismatch blocks the connection."
        }
    }
}
