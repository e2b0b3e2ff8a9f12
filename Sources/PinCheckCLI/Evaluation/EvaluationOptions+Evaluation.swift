import PinFormats
import Pinning
import X509

extension EvaluationOptions {
    /// Reads the files that the flags name and puts together what chains are judged by.
    func evaluation(in context: Context) throws(CommandError) -> Evaluation {
        let client = try ClientRegistry.entry(named: client ?? ClientRegistry.defaultName)
        let time: Timestamp? = if let at { try TimeText.read(at) } else { nil }
        guard anchors.isEmpty == false || !andSystem else {
            throw .usage("--and-system adds the system's roots to --anchors: give --anchors too, or leave it out")
        }
        var (pins, notes) = try readPins()
        let policy = AFSecurityPolicy(
            mode: try pinningMode(for: pins),
            allowInvalidCertificates: allowInvalidCertificates,
            validatesDomainName: !noValidateDomainName
        )
        if let pins, policy.mode == .none {
            let message = "mode none compares no pins: the \(pins.pins.count) given play no part in the verdict"
            notes.append(Report.Message(id: "pins-not-compared", message: message))
        }
        let (trustStore, trust) = try trust(in: context)
        return Evaluation(
            client: client,
            policy: policy,
            pins: pins,
            verifier: OpenSSLPathVerifier(trustStore: trustStore),
            trust: trust,
            time: time,
            notes: notes
        )
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
        var bundles: [AnchorBundle] = []
        for path in anchors { bundles += try AnchorFiles.bundles(at: path) }
        guard andSystem else { return (TrustStore(anchors: bundles), .anchors) }
        return (TrustStore(anchors: bundles, and: .system(environment: context.environment)), .both)
    }
}
