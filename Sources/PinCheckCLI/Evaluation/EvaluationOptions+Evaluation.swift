import PinFormats
import Pinning
import X509

extension EvaluationOptions {
    /// Reads the files that the flags name and puts together what chains are judged by.
    func evaluation(in context: Context) throws(CommandError) -> Evaluation {
        let time: Timestamp? = if let at { try TimeText.read(at) } else { nil }
        guard anchors.isEmpty == false || !andSystem else {
            throw .usage("--and-system adds the system's roots to --anchors: give --anchors too, or leave it out")
        }
        let authLevel = try givenAuthLevel()
        var (pins, notes) = try readPins()
        let mode = try pinningMode(for: pins)
        if let pins, mode == .none {
            let message = "mode none compares no pins: the \(pins.pins.count) given play no part in the verdict"
            notes.append(Report.Message(id: "pins-not-compared", message: message))
        }
        let installed = try bundles(at: extraRoot)
        let clients = try ClientChoice.read(client ?? ClientRegistry.defaultName) { settings in
            ClientInput(
                mode: mode,
                allowInvalidCertificates: allowInvalidCertificates,
                isDomainNameIgnored: noValidateDomainName,
                validatesCertificateChain: validateCertificateChain,
                pins: pins,
                installedRoots: installed.flatMap(\.certificates),
                settings: settings
            )
        }
        let (trustStore, trust) = try trust(in: context)
        func verifier(_ store: TrustStore) -> OpenSSLPathVerifier {
            OpenSSLPathVerifier(trustStore: store, authLevel: authLevel, isStrict: strict)
        }
        return Evaluation(
            clients: clients,
            mode: mode,
            pins: pins,
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

    /// The pins of all sources in their order, and what should be said about them.
    private func readPins() throws(CommandError) -> (PinSet?, [Report.Message]) {
        var all: [Pin] = []
        var notes: [Report.Message] = []
        for source in pins {
            do {
                let reading = try PinSource(source, skipsBadPins: skipBadPins).read()
                all += reading.pins
                notes += reading.notes.map { Report.Message(id: $0.id.rawValue, message: $0.message) }
            } catch {
                throw CommandError(
                    status: error.kind == .missing ? .noInput : .data,
                    description: error.description
                )
            }
        }
        return (PinSet(all), notes)
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

    private func trust(in context: Context) throws(CommandError) -> (TrustStore, Evaluation.Trust) {
        guard !anchors.isEmpty else { return (.system(environment: context.environment), .system) }
        let bundles = try bundles(at: anchors)
        guard andSystem else { return (TrustStore(anchors: bundles), .anchors) }
        return (TrustStore(anchors: bundles, and: .system(environment: context.environment)), .both)
    }
}
