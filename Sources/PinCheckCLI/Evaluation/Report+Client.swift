import Pinning

extension Report.Client {
    /// Reports what one client decides.
    init(_ decision: Evaluation.Decision, subject: Report.Subject) {
        let name = decision.client.entry.name
        switch decision.verdict {
        case .success(let verdict):
            self.init(
                name: name,
                verdict: verdict.isAccepted ? .accept : .reject,
                reason: Report.Message(id: verdict.reason.id, message: Self.sentence(for: verdict, subject: subject)),
                disposition: decision.client.entry.answersChallenges ? verdict.disposition.rawValue : nil,
                settings: decision.client.settings
            )
        case .failure(let error):
            self.init(
                name: name,
                verdict: .none,
                reason: Report.Message(id: "not-configured", message: error.message),
                disposition: nil,
                settings: decision.client.settings
            )
        }
    }

    /// The reason in one line, with what the user needs to act on it.
    private static func sentence(for verdict: Verdict, subject: Report.Subject) -> String {
        switch verdict.reason {
        case .pinMatched(let match):
            return verdict.trace.last { $0.id == "pins" && $0.status == .pass }?.detail
                ?? "a pin matched at depth \(match.depth)"
        case .trustedWithoutPins: return "the chain is trusted; no pins are compared"
        case .everythingAccepted: return "these settings accept every certificate"
        case .pinsNotApplied(let why): return "the chain is trusted; the pins do not apply: \(why)"
        case .mismatchNotEnforced: return "no configured pin is on the chain, which this client only reports"
        case .untrusted(let failures):
            let texts = failures.prefix(3).map(\.description)
            let sentence = texts.isEmpty ? "the chain is not trusted" : texts.joined(separator: "; also, ")
            guard let first = failures.first, case .nameMismatch = first.reason else { return sentence }
            return sentence + namesSent(subject)
        case .pinMismatch:
            let failed = verdict.trace.last { $0.id == "pins" && $0.status == .fail }?.detail
            // Where a client asks for more than a pin anywhere on the chain, its step says what is missing.
            guard let failed, !failed.hasPrefix("no ") else { return "no configured pin is on the chain" }
            return failed
        case .noPins: return "pins are required in this mode and none are configured: give --pins"
        case .clientError(let name, let message): return "\(name): \(message)"
        case .refusedSettings(let text): return text
        }
    }

    /// Which name the server was asked for: what explains most certificates that are for another name.
    private static func namesSent(_ subject: Report.Subject) -> String {
        guard let endpoint = subject.endpoint else { return "" }
        guard let sni = endpoint.sni else {
            guard !subject.omitsServerName else { return "; the server chose its default certificate" }
            return "; no SNI was sent, so the server chose its default certificate: give --host or --sni"
        }
        return "; the SNI was \(sni)"
    }
}
