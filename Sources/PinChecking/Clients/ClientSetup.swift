import Base
import PinFormats
import Pinning
import X509

extension ClientInput {
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
        return OkHttp(
            pattern: pattern, host: pattern == nil && policy != nil ? nil : host?.lowercased(), trust: androidTrust,
            bringsConscrypt: client.isSet("conscrypt"), expiration: policy?.expiration)
    }

    func alamofire() throws(Problem) -> Alamofire {
        let hosts = client.texts("host")
        guard !hosts.isEmpty || !client.isSet("no-all-hosts") else {
            throw .usage(
                "no-all-hosts of \(client.name) is about hosts without an evaluator: name those that have one, host=HOST"
            )
        }
        var alamofire = Alamofire(try evaluator())
        alamofire.acceptSelfSigned = client.isSet("accept-self-signed")
        alamofire.performDefaultValidation = !client.isSet("no-default-validation")
        alamofire.validateHost = !client.isSet("no-validate-host")
        alamofire.evaluatedHosts = hosts.isEmpty ? nil : Set(hosts)
        alamofire.allHostsMustBeEvaluated = !client.isSet("no-all-hosts")
        alamofire.host = host
        return alamofire
    }

    private func evaluator() throws(Problem) -> Alamofire.Evaluator {
        let pinned: Alamofire.Evaluator = afSecurityPolicy.mode == .certificate ? .pinnedCertificates : .publicKeys
        let evaluator: Alamofire.Evaluator =
            switch client.text("evaluator") {
            case "default": .systemDefault
            case "pinned-certificates": .pinnedCertificates
            case "public-keys": .publicKeys
            case "composite": .composite([.systemDefault, pinned])
            case "disabled": .disabled
            default: afSecurityPolicy.mode == .none ? .systemDefault : pinned
            }
        if client.isSet("accept-self-signed"),
            ![.pinnedCertificates, .composite([.systemDefault, .pinnedCertificates])].contains(evaluator)
        {
            let names: [Alamofire.Evaluator: String] = [
                .systemDefault: "DefaultTrustEvaluator", .disabled: "DisabledTrustEvaluator",
            ]
            throw .usage(
                "\(names[evaluator] ?? "PublicKeysTrustEvaluator") has no acceptSelfSigned: "
                    + "leave accept-self-signed out, or pin certificate files")
        }
        return evaluator
    }

    func nsPinnedDomains() -> NSPinnedDomains {
        let pins = pins?.pins
        return switch client.text("key") {
        case "leaf": NSPinnedDomains(identities: pins.map { .positions(leaf: $0, authorities: nil) })
        case "ca": NSPinnedDomains(identities: pins.map { .positions(leaf: nil, authorities: $0) })
        default: NSPinnedDomains(identities: policy?.positions)
        }
    }
}
