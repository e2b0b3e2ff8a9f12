import Base
import PinFormats
import Pinning
import X509

extension Findings {
    mutating func clients() {
        brokenTrustKitRules()
        for set in source.sets where set.isTrustKits || set.kind == nil && linter.isFor(.trustKit) { trustKit(set) }
        for set in source.sets where set.kind == .nsPinnedDomains { pinnedDomains(set) }
        transportSecurity()
        for set in source.sets where set.kind == .okHttp { okHttp(set) }
        androidAnchors()
        for reading in source.readings where reading.isDirectory { bundle(reading) }
        for pin in source.sets.filter({ $0.kind == nil }).flatMap(\.pins) { input(pin) }
    }

    /// Reports TrustKit's rules that React Native's options break; the reader of a `TSKConfiguration` reports its own.
    private mutating func brokenTrustKitRules() {
        let sets = source.sets.filter { $0.kind == .reactNative }
        let entries = sets.flatMap(\.entries).filter { $0.hosts != nil }
        for (set, entry) in zip(sets, entries) {
            for violation in TrustKit.violations(of: entry, among: entries) {
                if violation.kind == .trustKitTooFewPins, set.isIncomplete { continue }
                guard !violation.kind.isMalformed else { continue }
                let what = "TrustKit, which does the pinning on iOS, throws when the app starts"
                add(violation.kind, of: set, "\(what): \(shortened(violation.message, to: 400))")
            }
        }
    }

    private mutating func trustKit(_ set: PinnedSet) {
        for pin in set.pins {
            guard let key = publicKeys[pin.spkiSHA256], !TrustKit.hashesAsPins(key) else { continue }
            add(
                .trustKitUnsupportedKey, of: set, at: pin.place,
                "the key is \(key.algorithm), which TrustKit cannot hash: it blocks every chain with it",
                "use RSA with 2048, 3072 or 4096 bits, P-256 or P-384")
        }
        // NSURL accepts only the characters of RFC 3986, 2.
        for uri in set.entries.flatMap(\.reportURIs)
        where uri.isEmpty || uri.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "\"<>\\^`{|}".utf8.contains($0) }) {
            add(
                .trustKitReportURI, of: set,
                "'\(shortened(uri))' in TSKReportUris is not a URL: on iOS 16 and older TrustKit throws when the app starts",
                "write a URL such as https://reports.example.com/pin, with %20 for a space")
        }
        if set.isTrustKits, !set.isExcluded, set.entries.first?.enforcesPinning == false {
            add(
                .trustKitNotEnforced, of: set,
                "pinning is not enforced\(set.forHost): TrustKit reports a mismatch and goes on",
                "enforce it once the reports are quiet")
        }
        if set.kind == nil, set.keys.count < 2, !set.isIncomplete {
            add(
                .trustKitTooFewPins, of: set, "one key is pinned, and TrustKit throws for fewer than two",
                "add a backup pin")
        }
    }

    private mutating func pinnedDomains(_ set: PinnedSet) {
        guard let hosts = set.hosts else { return }
        if hosts.depth == .upToOneLabel {
            let name = shortened(hosts.name)
            add(
                .nsPinnedDomainsOneLabel, of: set,
                "NSIncludesSubdomains covers one label: a.\(name) is pinned, a.b.\(name) is not",
                "give deeper names entries of their own")
        }
        for case .positions(let leaf?, let authorities?) in set.entries.map(\.identities)
        where !leaf.isEmpty && !authorities.isEmpty {
            add(
                .nsPinnedDomainsLeafAndCA, of: set,
                "leaf and CA identities are both listed\(set.forHost): the chain has to match one of each",
                "list one kind, unless both are meant")
        }
    }

    private mutating func transportSecurity() {
        for settings in source.readings.flatMap(\.transportSecurity) {
            if settings.allowsArbitraryLoads, settings.narrowing.isEmpty {
                add(
                    .arbitraryLoads, at: settings.origin,
                    "NSAllowsArbitraryLoads switches App Transport Security off for every host without an entry of its own",
                    "name the hosts that need an exception in NSExceptionDomains")
            }
            for exception in settings.exceptions {
                var words: [String] = []
                if exception.minimumTLS < .tls12 { words.append("\(exception.minimumTLS)") }
                if !exception.requiresForwardSecrecy { words.append("keys that are not made for the connection") }
                if exception.allowsInsecureLoads { words.append("plain HTTP and servers that the system refuses") }
                guard !words.isEmpty else { continue }
                let host = shortened(exception.hosts?.description ?? "")
                add(
                    .transportSecurityException, at: (exception.origin ?? settings.origin),
                    host: host, "the exception for \(host) allows \(words.listed)",
                    "take out what the server does not need")
            }
        }
    }

    /// Reports OkHttp's `*.host`, which covers only names one label below the host.
    private mutating func okHttp(_ set: PinnedSet) {
        guard let hosts = set.hosts, hosts.depth == .oneLabel else { return }
        let isApexPinned = !source.entries(of: .okHttp, covering: hosts.name).isEmpty
        let name = shortened(hosts.name)
        add(
            .okHttpOneLabel, isApexPinned ? .note : .warning, of: set,
            "*.\(name) covers one label: a.\(name) is pinned, a.b.\(name)"
                + (isApexPinned ? " is not" : " and \(name) itself are not"),
            "write **.\(name) for the domain and all names below it")
    }

    private mutating func androidAnchors() {
        for configuration in source.readings.flatMap(\.networkSecurity) {
            let domains = configuration.domains.map { ($0.levels.first, $0.hosts.short as String?) }
            for (level, host) in [(configuration.base, nil)] + domains {
                guard let origin = level?.userAnchors else { continue }
                add(
                    .userAnchors, at: origin, host: host,
                    "roots that the user installs are trusted\(host.map { " for \(shortened($0))" } ?? ""), "
                        + "an interceptor's among them, also in releases",
                    "name src=\"user\" in <debug-overrides> alone")
            }
        }
    }

    private mutating func bundle(_ reading: PinReading) {
        let places = reading.pins.filter { $0.certificate != nil }.map { $0.place }
        let ignored = places.filter { $0.path?.hasSuffix(".cer") == false }
        // A directory without a file that AFNetworking loads is probably for another client.
        let isAFNetworkings = linter.isForAFNetworking || ignored.count < places.count
        for place in ignored where linter.isForAFNetworking || linter.clients.isEmpty {
            add(
                .notLoadedByAFNetworking, isAFNetworkings ? .warning : .note, at: place,
                "AFNetworking does not load this certificate: it takes DER files named .cer from a bundle, and no others",
                "convert it to DER and name it .cer")
        }
        let endings = [".cer", ".CER", ".crt", ".CRT", ".der", ".DER"]
        // A place with a line is in a PEM file.
        for place in places
        where linter.isFor(.alamofire) && (place.line != nil || !endings.contains { place.path?.hasSuffix($0) == true })
        {
            add(
                .notLoadedByAlamofire, at: place,
                "Alamofire does not load this certificate: it takes DER files named .cer, .crt or .der from a bundle",
                "convert it to DER and name it .cer")
        }
    }

    private mutating func input(_ pin: Pin) {
        if linter.isForAFNetworking || linter.isFor(.alamofire) {
            if pin.certificate == nil {
                add(
                    .clientTakesCertificates, at: pin.place,
                    "\(linter.isForAFNetworking ? "AFNetworking" : "Alamofire") reads its pins from certificates in the app: "
                        + "\(pin.spkiSHA256) is compared here as the key of one, but cannot be shipped itself",
                    "ship the certificate with that key as a .cer file in DER")
            }
            if let key = publicKeys[pin.spkiSHA256], !key.algorithm.hasSecKey {
                add(
                    .publicKeyNotLoaded, at: pin.place,
                    "the key is \(key.algorithm), and Apple's system loads RSA and EC keys only: "
                        + (linter.isForAFNetworking
                            ? "AFNetworking in public-key mode crashes on a chain with it"
                            : "Alamofire leaves it out when it compares keys"),
                    "pin an RSA or EC key")
            }
        }
        guard linter.comparesLeafKeyAlone, let certificate = pin.certificate else { return }
        if certificate.isAuthority {
            add(
                .curlComparesTheLeaf, at: pin.place,
                "\(shortened(certificate.description)) is a CA: curl compares the leaf's key alone, "
                    + "so this pin never matches", "pin the key of the leaf")
        } else {
            add(
                .curlTakesKeys, at: pin.place,
                "curl takes the file of a public key and not of a certificate, with which it ends with status 90",
                "give --pinnedpubkey sha256//\(certificate.spkiSHA256.base64)")
        }
    }
}
