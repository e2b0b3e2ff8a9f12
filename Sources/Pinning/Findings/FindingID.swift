/// The kinds of findings, a row each: word, levels in a check and behind the slash in `lint`, and sentence.
///
/// The usual level is the first. `malformed` and `missing` are errors of data that cannot be used.
package enum FindingID: String, CaseIterable, Sendable {
    // Findings on pins that can be read: all in lint, some also in a check that reads the file.
    case pinnedCertificateExpired = "pinned-certificate-expired -/error,warning A pinned certificate has expired."
    case pinnedCertificateExpiresSoon = "pinned-certificate-expires-soon -/warning A pinned certificate expires soon."
    case pinnedCertificateNotYetValid =
        "pinned-certificate-not-yet-valid -/warning A pinned certificate is not valid yet."
    case certificateModeEnds = "certificate-mode-ends -/note The date from which on certificate mode accepts nothing."
    case leafCertificatePinned = "leaf-certificate-pinned -/warning A pinned leaf certificate ends with its renewal."
    case onlyLeafPins = "only-leaf-pins -/warning Only leaf certificates are pinned, and all end with their renewal."
    case authorityBesideLeaf =
        "authority-beside-leaf -/warning A CA is pinned next to a server's own key: all that it issues is accepted."
    case lifetimeTooLong = "lifetime-too-long -/error A pinned leaf is valid for longer than Apple's platforms take."
    case noServerAuth = "no-server-auth -/error A pinned leaf lacks serverAuth, which Apple's platforms ask for."
    case keyUsage = "key-usage -/error A pinned leaf lacks digitalSignature, without which phones end the handshake."
    case weakKey = "weak-key -/warning A pinned key is too short for clients: RSA below 2048 bits, EC below 256, DSA."
    case weakSignature = "weak-signature -/warning A pinned certificate is signed with SHA-1, MD5 or older."
    case noBackupPin = "no-backup-pin -/warning Fewer than two keys are pinned, so that losing one locks users out."
    case duplicatePin = "duplicate-pin -/warning The same pin is listed twice."
    case sameKeyTwice = "same-key-twice -/note One key is pinned in two ways, which makes it no second pin."
    case emptyPinSet = "empty-pin-set warning/warning A set of pins is empty, which switches pinning off."
    case hostNotPinned = "host-not-pinned warning/warning,error A host is configured without anything that pins it."
    case hostNeverMatches = "host-never-matches warning/error A host is pinned by a name that never equals a URL's."
    case pinSetExpired = "pin-set-expired warning/error The expiration of the pins is past, so that nothing is pinned."
    case pinSetExpiresSoon = "pin-set-expires-soon -/warning The pins expire soon; from then on none count."
    case notLoadedByAFNetworking =
        "not-loaded-by-afnetworking warning/warning,note AFNetworking loads only DER files named .cer from a bundle."
    case notLoadedByAlamofire = "not-loaded-by-alamofire -/warning Alamofire loads only DER files: .cer, .crt or .der."
    case clientTakesCertificates = "client-takes-certificates -/note The client pins certificates, and here is a hash."
    case curlTakesKeys = "curl-takes-keys -/error curl takes the file of a public key; a certificate's never matches."
    case curlComparesTheLeaf = "curl-compares-the-leaf -/warning curl compares the key of the leaf alone, never a CA's."
    case trustKitTooFewPins = "trustkit-too-few-pins -/error TrustKit throws if fewer than two pins are enforced."
    case trustKitNoRegisteredSuffix = "trustkit-no-registered-suffix -/error TrustKit finds no registered suffix."
    case trustKitPublicSuffix = "trustkit-public-suffix -/error TrustKit throws for subdomains of a public suffix."
    case trustKitUnsupportedKey =
        "trustkit-unsupported-key -/error TrustKit cannot hash this kind of key and blocks the connection."
    case trustKitNotEnforced = "trustkit-not-enforced -/warning TrustKit only reports mismatches for this domain."
    case trustKitReportURI = "trustkit-report-uri -/warning TrustKit throws on iOS 16 and older for such a report URI."
    case unknownKey = "unknown-key warning,note/error,warning The client does not read a key that the file gives it."
    case publicKeyNotLoaded = "public-key-not-loaded -/error The client cannot load such a key: it skips it or crashes."
    case trustKitFailsOpenAfterExpiration =
        "trustkit-fails-open-after-expiration -/note After its expiration TrustKit accepts every trusted chain."
    case androidFailsOpenAfterExpiration =
        "android-fails-open-after-expiration -/note After its expiration Android accepts every trusted chain."
    case pinsOverridden = "pins-overridden warning/warning Chains to anchors with overridePins need no pin."
    case trustsNothing = "trusts-nothing warning/error An app trusts no root, so that nothing can be connected to."
    case userAnchors = "user-anchors -/warning An app trusts the roots that its user installs, even an interceptor's."
    case debugOverrides = "debug-overrides note/note Anchors for debuggable builds override pins there."
    case debuggableApp = "debuggable-app warning/warning A built app is debuggable, so that other rules apply."
    case debugBuildThrows = "debug-build-throws warning/error Debuggable builds throw for a part that others ignore."
    case nsPinnedDomainsOneLabel = "nspinneddomains-one-label -/note NSIncludesSubdomains covers one label alone."
    case nsPinnedDomainsLeafAndCA = "nspinneddomains-leaf-and-ca -/warning Leaf and CA identities must both match."
    case arbitraryLoads = "ats-arbitrary-loads -/warning App Transport Security is off for all hosts without an entry."
    case transportSecurityException = "ats-exception -/warning An exception from App Transport Security weakens a host."
    case placeholderPin = "placeholder-pin warning/error A pin is a pattern or a sample, which no key in use has."
    case pinnedToNothing = "pinned-to-nothing warning/error A host is pinned to an empty list, which nothing matches."
    case okHttpOneLabel = "okhttp-one-label -/warning,note OkHttp's *. covers exactly one label, not the domain itself."
    case ignored = "ignored warning,note/note A part of the file plays no role for pins."
    case notFollowed = "not-followed warning/note A part of the file was not followed."
    case notAPinFile = "not-a-pin-file warning,note/note A file in a directory of pins holds none."
    case certificateRequest = "certificate-request -/note The key of a certificate request is pinned."
    case pinsInCode = "pins-in-code warning/warning Hashes or certificates stand in the code or the assets of an app."
    case pinsNotRead = "pins-not-read -/error A file has pins that are not read, or makes them when the app runs."
    case driftHosts = "drift-hosts -/warning A host is pinned in one source and not in another."
    case driftPins = "drift-pins -/warning A host has a pin in one source that it lacks in another."
    case driftSubdomains = "drift-subdomains -/warning,note Sources differ in which subdomains of a host they pin."

    // Findings on data that cannot be used.
    case missingFile = "missing-file -/missing There is no such file, and the text is not a pin either."
    case unreadable = "unreadable -/missing The file or directory cannot be read."
    case notARegularFile = "not-a-regular-file -/missing A pipe, a device or a socket is not a source of pins."
    case noPinsInDirectory = "no-pins-in-directory -/missing No file in the directory holds a pin."
    case nulCharacter = "nul-character -/malformed The path or the text holds a NUL character."
    case empty = "empty -/malformed The text or the file is empty."
    case tooLarge = "too-large -/malformed The file is larger than any pin file."
    case privateKey = "private-key -/malformed A private key is never a pin, and is not to be shipped."
    case encrypted = "encrypted -/malformed A file in an archive is encrypted."
    case noArchiveLibrary = "no-archive-library -/malformed The source is a zip archive, and libarchive is missing."
    case binaryJunk = "binary-junk -/malformed The file is binary and neither a certificate nor a key."
    case textEncoding = "text-encoding -/malformed The text is not UTF-8."
    case wrongExtent = "wrong-extent -/malformed DER ends early or goes on after its end."
    case brokenCertificate = "broken-certificate -/malformed What should be a certificate is not one."
    case brokenPublicKey = "broken-public-key -/malformed What should be a public key is not one."
    case brokenPEM = "broken-pem -/malformed PEM text has broken framing or base64."
    case otherKind = "other-kind -/malformed The data is a relative of certificates that holds no pin."
    case cerNotDER = "cer-not-der -/malformed A file named .cer is not one DER certificate, as AFNetworking needs."
    case notAPin = "not-a-pin -/malformed Nothing in the text is a pin."
    case wrongLength = "wrong-length -/malformed A hash has another length than SHA-256's 32 bytes."
    case wrongAlgorithm = "wrong-algorithm -/malformed A hash is of another algorithm than SHA-256."
    case base64URL = "base64url -/malformed A hash is in the alphabet of base64url."
    case padding = "padding -/malformed Base64 lacks its padding, or has too much of it."
    case badCharacter = "bad-character -/malformed A character does not belong to base64."
    case trailingBits = "trailing-bits -/malformed The last character of a hash is mistyped."
    case whitespace = "whitespace -/malformed White space stands within a pin."
    case slashes = "slashes -/malformed One slash stands where the notation has two, or two where it has one."
    case notation = "notation -/malformed A pin is in another notation than belongs there."
    case hashOfNothing = "hash-of-nothing -/malformed The pin is the SHA-256 of no bytes at all."
    case hexadecimal = "hexadecimal -/malformed A pin is hexadecimal, which may be a certificate's fingerprint."
    case pemBody = "pem-body -/malformed The base64 of a certificate or key stands where its hash should."
    case brokenDocument = "broken-document -/malformed XML, JSON or a property list cannot be read to its end."
    case unreasonableDocument = "unreasonable-document -/malformed The document is larger or deeper than any in use."
    case wrongValue = "wrong-value -/malformed A value is of another type than belongs there, or in the wrong place."
    case missingValue = "missing-value -/malformed Something is missing that the client needs."
    case badHost = "bad-host -/malformed What should be a host name or pattern is not one."
    case duplicate = "duplicate -/malformed A host or set of pins is given twice."
    case badDate = "bad-date -/malformed What should be a date is not one."
    case trustKitExclusionNotAlone = "trustkit-exclusion-not-alone -/malformed An exempt domain has other settings."
    case trustKitExclusionWithoutParent =
        "trustkit-exclusion-without-parent -/malformed TrustKit throws when a domain is exempt from no parent's policy."
    case noHosts = "no-hosts -/missing A policy names no host."

    // Findings of a check only.
    case addressesDiffer = "addresses-differ warning,note/- The addresses of one name serve different chains."
    case atsExceptionNeeded =
        "ats-exception-needed note,warning/- To accept the server the app needs an exception from ATS."
    case atsForwardSecrecy = "ats-forward-secrecy warning/- App Transport Security asks for a key exchange by ECDHE."
    case atsTLSVersion = "ats-tls-version warning/- App Transport Security asks for a newer TLS version."
    case atsTooFewSCTs = "ats-too-few-scts warning/- The app's Info.plist asks for more SCTs than the certificate has."
    case atsWeakKey = "ats-weak-key warning/- App Transport Security refuses the key of the leaf."
    case atsWeakSignature = "ats-weak-signature warning/- App Transport Security refuses the signature of the leaf."
    case authorityPin = "authority-pin warning,note/- A CA's pin matched, or is listed next to the leaf's."
    case bareKeyPin = "bare-key-pin warning/- A pin is the hash of a key without its SubjectPublicKeyInfo."
    case breaksAtRenewal = "breaks-at-renewal note,warning/- The pins end when the server's certificate is renewed."
    case certificateRevoked = "certificate-revoked warning/- The server's own OCSP staple says that it is revoked."
    case clientCertificateRequested =
        "client-certificate-requested note/- The server asked for a client certificate and got none."
    case clientCertificateRequired =
        "client-certificate-required warning/- The server wanted a client certificate and went no further."
    case clientCertificateUnfit =
        "client-certificate-unfit warning/- The certificate of --cert is outside its dates, or not for clients."
    case clientNotSetUp = "client-not-set-up warning/- A client cannot be set up with these pins, and has no verdict."
    case certificateHashPin = "certificate-hash-pin warning/- A pin is the hash of a certificate, or of PEM text."
    case configuredAnchors = "configured-anchors warning/- The app's configuration trusts its own roots alone."
    case ended = "ended warning,fail/- A certificate that the verdict rests on has ended."
    case errorAnswer = "error-answer warning/- The request was answered by an HTTP error, and no status was expected."
    case everythingAccepted = "everything-accepted warning/- The settings of a client accept every server."
    case expirationTimeZone = "expiration-time-zone warning/- Whether the pins expired depends on the time zone."
    case expiresSoon = "expires-soon warning,fail/- A certificate that the verdict rests on ends soon."
    case familyAbsent = "family-absent note/- The name has no addresses of one family."
    case handshakeUncertain = "handshake-uncertain warning/- Whether a phone connects depends on an update."
    case hashPinsIgnored = "hash-pins-ignored warning/- The client compares certificates and ignores hashes."
    case hostNotConfigured = "host-not-configured warning/- No configuration has an entry for the host."
    case hostNotEvaluated = "host-not-evaluated warning/- Alamofire has no evaluator for the host."
    case interceptor = "interceptor warning,note/- An issuer has the name of a TLS-intercepting proxy."
    case intermediateNotPresented = "intermediate-not-presented warning/- The server does not send an intermediate."
    case issuerWouldBeFetched = "issuer-would-be-fetched warning/- A device would fetch the issuer, missing here."
    case keyTypeAbsent = "key-type-absent note/- The server has no certificate with a key of a type that was asked for."
    case keyTypesDiffer = "key-types-differ note/- Clients get the key of the type they ask for."
    case leafOnly = "leaf-only warning/- A CA is pinned, and the client compares the leaf alone."
    case libraryDiffers = "library-differs warning,note/- Libraries that programs pin with by hand refuse the server."
    case loadedFromBundle = "loaded-from-bundle note/- The certificate files of an app, and the clients that load them."
    case nameNotChecked = "name-not-checked warning/- The name of the certificate was not checked."
    case needsAllowInvalid = "needs-allow-invalid warning/- AFNetworking needs allowInvalidCertificates here."
    case nextAssumed = "next-assumed warning/- The verdict assumes that the next certificate will be trusted."
    case nextRootMissing = "next-root-missing warning/- Only one root of a private CA is pinned, without a next."
    case noForwardSecrecy = "no-forward-secrecy warning/- The key exchange is by static RSA."
    case noSNIDiffers = "no-sni-differs warning,note/- Clients that send no SNI get another chain."
    case noSystemRoots = "no-system-roots warning/- This machine has no trusted roots."
    case notEnforced = "not-enforced warning/- No pin matches, and the client only reports that."
    case nothingPinned = "nothing-pinned warning/- An app or a policy pins nothing."
    case oldDeviceData = "old-device-data warning/- The lists of roots of devices, or what is known of CAs, are old."
    case onlyBackupLeft = "only-backup-left warning/- The server uses its backup key, and no other pin is left."
    case ownerUnknown = "owner-unknown warning/- The chain ends at a root that no device knows."
    case pathDependent = "path-dependent warning/- The pins match on one valid path and not on another."
    case pinAboveComingRoot = "pin-above-coming-root warning/- A CA below the pinned root is a root itself, or will be."
    case pinExpired = "pin-expired warning/- A pinned certificate that matches nothing has expired."
    case pinLifeShort = "pin-life-short fail/- No pin is sure to match for as long as was asked."
    case pinOnlyPresented = "pin-only-presented warning/- A pinned key is sent by the server and is not on the path."
    case pinsEnd = "pins-end note,warning/- The pins end with a certificate above the leaf."
    case pinsExpire = "pins-expire note,warning,fail/- The pins have a date from which on they no longer count."
    case pinsExpired = "pins-expired warning,fail/- The pins no longer count: the client accepts any trusted chain."
    case pinsNotJudged = "pins-not-judged note/- More certificates are pinned than are judged as backups."
    case pinsNotCompared = "pins-not-compared warning/- Pins are given, and the mode or the system compares none."
    case platformRule = "platform-rule warning,note/- A rule of the platform rejects the chain, whatever is pinned."
    case policySettings = "policy-settings warning/- Only the pins of a policy are read, not its settings."
    case privateRoot = "private-root warning,note/- The path ends at a root that is on no public list."
    case request = "request warning/- A certificate request's key is pinned, and no certificate."
    case reserveMissing = "reserve-missing warning/- No key in reserve is pinned."
    case rootLeaves = "root-leaves note,warning,fail/- The CA leaves the root on a day."
    case rootNotEverywhere = "root-not-everywhere note/- The root is on some of the named devices only."
    case servesInTurn = "serves-in-turn warning/- One address serves two leaves to the same client, in turn."
    case systemPins = "system-pins note/- The system compares pins for the host, next to the app's clients."
    case trustKitOnMacOS = "trustkit-on-macos note/- On a Mac TrustKit lets a chain to an installed root pass."
    case trustKitConfig = "trustkit-config note/- A part of the configuration is read by TrustKit for Android alone."
    case unusableStaple = "unusable-staple warning/- The OCSP staple does not say that the certificate is good."
    case unverified = "unverified warning/- The keys are from a chain that was not verified."
    case validityNotChecked = "validity-not-checked warning/- The client checks neither trust nor dates."
    case weakKeyExchange = "weak-key-exchange warning/- The Diffie-Hellman group of the key exchange is weak or rare."

    package init?(word: some StringProtocol) {
        guard let id = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = id
    }

    private var parts: [Substring] { rawValue.split(separator: " ", maxSplits: 2) }
    package var word: String { String(Substring(rawValue.utf8.prefix { $0 != UInt8(ascii: " ") })) }
    package var sentence: String { String(parts[2]) }

    private func levels(inLint isLint: Bool) -> [Substring] {
        parts[1].split(separator: "/")[isLint ? 1 : 0].split(separator: ",")
    }

    /// The levels in a check, the usual one first; empty if only lint has the finding.
    package var levels: [Finding.Level] { levels(inLint: false).compactMap { Finding.Level(rawValue: "\($0)") } }
    /// The levels in `lint`, the usual one first; empty if only checks have the finding.
    package var lintLevels: [Finding.Level] {
        levels(inLint: true).compactMap { isMalformed ? .error : Finding.Level(rawValue: "\($0)") }
    }
    package var isMalformed: Bool { isMissing || levels(inLint: true) == ["malformed"] }
    package var isMissing: Bool { levels(inLint: true) == ["missing"] }
}
