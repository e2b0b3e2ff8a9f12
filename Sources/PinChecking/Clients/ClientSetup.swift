import Base
import PinFormats
import Pinning
import X509

extension ClientInput {
    func validatesCertificateChain() throws(Problem) -> Bool {
        switch client.text("chain") {
        case nil, "yes": return true
        case "no": return false
        case let other?: throw .usage("the setting chain of \(client.name) is yes or no, not \(quoted(other))")
        }
    }

    func trustKit() throws -> TrustKit {
        // Pins for any host get this host's name as their key of TSKPinnedDomains.
        if policy == nil, pins != nil, let name = referenceName ?? host,
            !TrustKit.hasRegisteredSuffix(name, publicSuffix: SystemPublicSuffixList.publicSuffix)
        {
            throw ClientConfigurationError(client: client.name, message: TrustKit.lackOfSuffix(name).message)
        }
        return try TrustKit(
            pins: pins, enforcesPinning: policy?.enforcesPinning ?? true && !client.isSet("no-enforce"),
            expiration: client.date("expires") ?? policy?.expiration,
            rootsThatPassOnMacs: policy?.first?.exemptsInstalledRoots == false ? [] : Set(installedRoots))
    }

    func okHttp() throws -> OkHttp {
        let pattern = try client.text("pattern").map { text in
            do throws(Problem) { return try HostText.okHttpPattern(text) } catch {
                let message = "\(quoted(text)) is not a pattern: write a host, *.host or **.host (\(error.reason))"
                throw ClientConfigurationError(client: client.name, message: message)
            }
        }
        let entries = pattern.map { pattern in (pins?.pins ?? []).indices.map { (pattern: pattern, pinIndex: $0) } }
        return OkHttp(
            entries: entries, host: pattern == nil && policy != nil ? nil : host?.lowercased(), trust: androidTrust,
            bringsConscrypt: client.isSet("conscrypt"))
    }

    func alamofire() throws(Problem) -> Alamofire {
        let hosts = client.texts("host")
        guard !hosts.isEmpty || !client.isSet("no-all-hosts") else {
            throw .usage(
                "no-all-hosts of \(client.name) is about hosts without an evaluator: name those that have one, host=HOST"
            )
        }
        return Alamofire(
            try evaluator(), evaluatedHosts: hosts.isEmpty ? nil : Set(hosts),
            allHostsMustBeEvaluated: !client.isSet("no-all-hosts"), host: host)
    }

    private func evaluator() throws(Problem) -> Alamofire.Evaluator {
        let suggested =
            switch afSecurityPolicy.mode {
            case .none: "default"
            case .publicKey: "public-keys"
            case .certificate: "pinned-certificates"
            }
        let performDefaultValidation = !client.isSet("no-default-validation")
        let validateHost = !client.isSet("no-validate-host")
        let pinnedCertificates = Alamofire.Evaluator.pinnedCertificates(
            acceptSelfSigned: client.isSet("accept-self-signed"), performDefaultValidation: performDefaultValidation,
            validateHost: validateHost)
        let publicKeys = Alamofire.Evaluator.publicKeys(
            performDefaultValidation: performDefaultValidation, validateHost: validateHost)
        let pinned = afSecurityPolicy.mode == .certificate ? pinnedCertificates : publicKeys
        let evaluators: KeyValuePairs<String, Alamofire.Evaluator> = [
            "default": .systemDefault(validateHost: validateHost), "pinned-certificates": pinnedCertificates,
            "public-keys": publicKeys, "composite": .composite([.systemDefault(validateHost: validateHost), pinned]),
            "disabled": .disabled,
        ]
        let name = client.text("evaluator") ?? suggested
        let comparesCertificates =
            name == "pinned-certificates" || name == "composite" && afSecurityPolicy.mode == .certificate
        if client.isSet("accept-self-signed"), !comparesCertificates {
            let evaluator = ["default": "DefaultTrustEvaluator", "disabled": "DisabledTrustEvaluator"][name]
            throw .usage(
                "\(evaluator ?? "PublicKeysTrustEvaluator") has no acceptSelfSigned: "
                    + "leave accept-self-signed out, or pin certificate files")
        }
        if let evaluator = evaluators.first(where: { $0.key == name })?.value { return evaluator }
        throw .usage(
            "\(client.name) has no evaluator \(quoted(name)): \(Suggestion.remedy(for: name, among: evaluators.map(\.key)))"
        )
    }

    func nsPinnedDomains() throws(Problem) -> NSPinnedDomains {
        if let policy, client.text("key") == nil { return NSPinnedDomains(identities: policy.positions) }
        let hashes = pins?.pins.map(\.spkiSHA256)
        switch client.text("key") {
        case nil: return NSPinnedDomains()
        case "leaf": return NSPinnedDomains(identities: hashes.map { .listed(leaf: $0, authorities: nil) })
        case "ca": return NSPinnedDomains(identities: hashes.map { .listed(leaf: nil, authorities: $0) })
        case let other?:
            throw .usage(
                "\(client.name) has no key \(quoted(other)): \(Suggestion.remedy(for: other, among: ["leaf", "ca"]))")
        }
    }
}
