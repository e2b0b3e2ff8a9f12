/// OkHttp 5: `CertificatePinner`, after the platform's checks of trust and name; pins match on the cleaned chain, never
/// on the presented certificates, and never rescue an untrusted chain.
package struct OkHttp: ClientProcedure {
    /// The longest chain that OkHttp cleans on a JVM, a leaf and nine signers (square/okhttp,
    /// `BasicCertificateChainCleaner.kt`); on Android the platform cleans chains (`AndroidCertificateChainCleaner.kt`).
    private static let chainLimit = 10

    /// The hosts of the pins; `nil` if all pins are for the checked host.
    private let pattern: HostPattern?
    /// The host of the URL, which may end in a dot; `nil` if it is the reference name.
    private let host: String?
    /// The trust settings of the app's network security configuration; `nil` if the trust store alone decides.
    private let trust: AndroidTrust?
    /// `true` if the app contains Conscrypt, for TLS 1.3 before Android 10 (square/okhttp, `security_providers.md`).
    private let bringsConscrypt: Bool
    /// The `expirationDate` of react-native-ssl-public-key-pinning, which builds the pinner (its `types.ts`).
    private let expiration: Timestamp?

    package init(
        pattern: HostPattern? = nil, host: String? = nil, trust: AndroidTrust? = nil, bringsConscrypt: Bool = false,
        expiration: Timestamp? = nil
    ) {
        (self.pattern, self.host, self.trust) = (pattern, host, trust)
        (self.bringsConscrypt, self.expiration) = (bringsConscrypt, expiration)
    }

    package func stack(on release: PlatformRelease) -> TLSStack? {
        (bringsConscrypt ? TLSStack.conscrypt : TLSStack(of: .android, on: release)).ofOkHttp
    }

    package var platform: Platform? { .android(names: .okHttp) }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        doPinsApply(to: name) ? .keys(of: pins, at: .anywhere, expiration: expiration) : .nothing
    }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        run.afterServerTrust(by: trust) { run, system in
            guard let condition = comparison(with: run.pins, for: run.name).conditions.first else {
                let host = host ?? run.name.description
                if run.pins != nil, host.hasSuffix(".") {
                    run.warn(
                        .hostNeverMatches,
                        "no pin is for '\(host)': OkHttp compares names as text, and the dot at the end makes it another one"
                    )
                }
                return run.acceptUnpinned("no pin is for \(host)", system)
            }
            let length = system.builtChain.certificates.count
            guard length <= Self.chainLimit else {
                let limit = "OkHttp on a JVM takes \(Self.chainLimit); on Android its limit is the system's"
                run.fail("chain-length", "the cleaned chain has \(length) certificates: \(limit)")
                return run.verdict(
                    .clientError(
                        name: "SSLPeerUnverifiedException", message: "Certificate chain too long: \(length) (\(limit))"),
                    on: system.builtChain)
            }
            if let expiration, expiration < run.view.time {
                run.warn(
                    .pinSetExpired,
                    "the pins expired at \(expiration): newer versions of react-native-ssl-public-key-pinning compare none "
                        + "any more; judged as by an older one")
            }
            return run.compare(condition, on: system)
        }
    }

    private func doPinsApply(to reference: ReferenceName) -> Bool {
        // Pins without a pattern are for the checked name, which does not end in a dot.
        guard let pattern else { return host?.hasSuffix(".") != true }
        return reference.serverName.map { pattern.covers(host ?? $0.description) } ?? false
    }
}
