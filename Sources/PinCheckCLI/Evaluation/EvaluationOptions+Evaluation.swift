import PinFormats
import Pinning
import X509

extension EvaluationOptions {
    /// Reads the files that the flags name and puts together what chains are judged by.
    ///
    /// - Parameters:
    ///   - names: the reference names that will be asked for; configurations have something else to say of each.
    ///   - context: the world of the command.
    /// - Returns: what chains are judged by.
    /// - Throws: ``CommandError`` for flags, pins and anchors that cannot be used.
    func evaluation(
        for names: [ReferenceName],
        in context: Context
    ) throws(CommandError) -> Evaluation {
        let time: Timestamp? = if let at { try TimeText.read(at) } else { nil }
        let authLevel = try givenAuthLevel()
        if !(pins.isEmpty && anchors.isEmpty && extraRoot.isEmpty) { try OpenSSLHealth.require() }
        let sources = try PinSources(reading: pins, skipsBadPins: skipBadPins)
        let installed = try bundles(at: extraRoot)
        var setups: [ReferenceName: HostSetup] = [:]
        if !sources.configurations.isEmpty {
            for name in names where setups[name] == nil {
                setups[name] = try setup(for: name, sources, installedRoots: installed.flatMap(\.certificates))
            }
        }
        var common: HostSetup
        if let first = names.first, let setup = setups[first] {
            common = setup
        } else {
            common = try setup(for: .unchecked, sources, installedRoots: installed.flatMap(\.certificates))
        }
        // Without configurations everything there is to say goes for all hosts, and is said once.
        let notes = sources.notes + (setups.isEmpty ? common.warnings : [])
        if setups.isEmpty { common.warnings = [] }
        let (trustStore, trust) = try TrustAnchors.read(anchors, andSystem: andSystem, in: context)
        func verifier(_ store: TrustStore) -> OpenSSLPathVerifier {
            OpenSSLPathVerifier(trustStore: store, authLevel: authLevel, isStrict: strict)
        }
        return Evaluation(
            setups: setups,
            common: common,
            verifier: verifier(trustStore),
            verifierWithInstalledRoots: verifier(
                installed.isEmpty ? trustStore : TrustStore(anchors: installed, and: trustStore)
            ),
            trust: trust,
            time: time,
            notes: notes
        )
    }

    private func bundles(at paths: [String]) throws(CommandError) -> [AnchorBundle] {
        var bundles: [AnchorBundle] = []
        for path in paths { bundles += try AnchorFiles.bundles(at: path) }
        return bundles
    }

    private func givenAuthLevel() throws(CommandError) -> Int {
        guard let authLevel else { return OpenSSLPathVerifier.defaultAuthLevel }
        guard let level = (0...5).first(where: { String($0) == authLevel }) else {
            throw .usage("--auth-level \(quoted(authLevel)) is none of OpenSSL's security levels: give 0 to 5")
        }
        return level
    }

    /// What the host called `name` is judged by.
    private func setup(
        for name: ReferenceName,
        _ sources: PinSources,
        installedRoots: [Certificate]
    ) throws(CommandError) -> HostSetup {
        let isHostNeeded = sources.configurations.contains { $0.entries.contains { $0.hosts != nil } }
        guard name != .unchecked || !isHostNeeded else {
            throw .usage("the pins are configured host by host: give --host or --verify-name")
        }
        let selection = sources.selection(for: name)
        let mode = try pinningMode(for: selection.pins)
        var warnings = sources.warning(for: name, selection).map { [$0] } ?? []
        if let pins = selection.pins, mode == .none {
            let message = "mode none compares no pins: the \(pins.pins.count) given play no part in the verdict"
            warnings.append(Report.Message(id: "pins-not-compared", message: message))
        }
        let clients = try ClientChoice.read(client ?? ClientRegistry.defaultName) { entry, settings in
            let own = sources.own(entry, for: name)
            return ClientInput(
                mode: mode,
                allowInvalidCertificates: allowInvalidCertificates,
                isDomainNameIgnored: noValidateDomainName,
                validatesCertificateChain: validateCertificateChain,
                pins: own.map { $0.policy?.pins } ?? selection.pins,
                policy: own?.policy,
                installedRoots: installedRoots,
                settings: settings
            )
        }
        return HostSetup(
            clients: clients,
            mode: mode,
            pins: selection.pins,
            entries: selection.policies.flatMap { kind, policy in
                policy.entries.map { Report.ConfigurationEntry(kind, $0) }
            },
            warnings: warnings
        )
    }

    /// The mode that was asked for, or the one the pins suggest.
    private func pinningMode(for pins: PinSet?) throws(CommandError) -> AFSecurityPolicy.PinningMode {
        let mode = try givenMode()
        guard let pins else { return mode ?? .none }
        guard mode != .certificate || !pins.certificates.isEmpty else {
            throw .usage(
                "--mode certificate compares certificates and all the pins given are hashes or keys: "
                    + "pin a certificate file, or use --mode public-key"
            )
        }
        return mode ?? (pins.certificates.count == pins.pins.count ? .certificate : .publicKey)
    }

    private func givenMode() throws(CommandError) -> AFSecurityPolicy.PinningMode? {
        guard let mode else { return nil }
        guard let known = AFSecurityPolicy.PinningMode(rawValue: mode) else {
            let names = AFSecurityPolicy.PinningMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--mode \(quoted(mode)) is no pinning mode: choose from \(names)")
        }
        return known
    }
}
