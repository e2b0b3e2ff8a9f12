import Pinning
import TLSProbe
import X509

extension HostPolicy {
    /// The words for a verdict; `attempt` is `nil` if the chain is from a file.
    func reason(
        of verdict: Verdict, by client: ConfiguredClient, for name: ReferenceName, asked attempt: Attempt? = nil,
        hasAnchors: Bool, on device: JudgedDevice? = nil, _ refusal: HandshakeRefusal? = nil
    ) -> Reason {
        func reason(_ message: String, _ hints: [String] = [], _ remedy: Remedy? = nil) -> Reason {
            Reason(verdict.reason.id, message, hints: hints, remedy: remedy)
        }
        switch verdict.reason {
        case .pinMatched(let match):
            let step = verdict.trace.last { $0.id == "pins" && $0.status == .pass }
            return reason(step?.detail ?? "a pin matched at depth \(match.depth)")
        case .trustedWithoutPins where client.client.looseSet == .others:
            return reason(
                name == .unchecked
                    ? "trusted; the name was not checked" : "trusted and valid for \(name) (no pins given)")
        case .trustedWithoutPins: return reason("the chain is trusted; no pins are compared")
        case .everythingAccepted: return reason("these settings accept every certificate")
        case .pinsNotApplied(let why): return reason("the chain is trusted; the pins do not apply: \(why)")
        case .mismatchNotEnforced: return reason("no configured pin is on the chain, which this client only reports")
        case .untrusted(let failures):
            guard let first = failures.first else { return reason("the chain is not trusted") }
            if case .handshake(let why) = first.reason {
                let who = clients.count * devices.count > 1 ? "" : client.client.name + " "
                let place = who.isEmpty || lists == nil ? "" : device.map { "on \($0.name) " } ?? ""
                let connects =
                    !client.client.isSet("conscrypt")
                    && TLSStack.conscrypt.lacks(nil, first.certificate.publicKey).isEmpty
                let remedy: Remedy? =
                    if case .byOptions(let part) = refusal { .offerMore(part) } else { connects ? .bringTLS : nil }
                return reason("\(who)\(place)cannot connect: \(why)", [], remedy)
            }
            var hints = failures.prefix(3).dropFirst().map { "also, \($0)" }
            var remedy = anchorRemedy(for: first, of: client, attempt, hasAnchors: hasAnchors)
            // AFSecurityPolicy can accept a pinned self-signed certificate by a setting, without an anchor.
            if first.reason == .selfSigned, client.client.hasSecurityPolicy,
                client.pins?.certificates.contains(first.certificate) == true
            {
                // Apple's rules for leaves under an app's own anchor still apply in certificate mode.
                let apple = Platform.apple().running(on: device?.release ?? .newest)
                let objection =
                    mode == .publicKey ? nil : apple.objections(toLeaf: first.certificate, endingAt: .own).first
                if let objection {
                    hints.append("its pin is not enough with allowInvalidCertificates = YES: \(objection)")
                } else {
                    remedy = .allowInvalidCertificates
                }
            }
            // Servers choose the certificate by the SNI, which explains most wrong names.
            if case .nameMismatch = first.reason, let (endpoint, variant) = attempt {
                let sent = endpoint.request.serverNameIndication
                hints.append(
                    sent.map { "the SNI was \($0)" }
                        ?? "this address serves \(first.certificate) to clients that send no SNI")
                // The SNI may be missing on purpose: the user wants none, or a variant compares the result.
                if sent == nil, variant != .withoutSNI, !endpoint.omitsServerName {
                    remedy = endpoint.nameToSend.map(Remedy.sendServerName) ?? .giveServerName
                }
            }
            return reason("\(first)", hints, remedy)
        case .pinMismatch:
            let others = (client.pins?.certificates ?? []).flatMap { pinned in
                verdict.builtChain.certificates.filter { $0 != pinned && $0.publicKey == pinned.publicKey }.map {
                    "pinned: to \(pinned.notAfter.date), served: to \($0.notAfter.date)"
                }
            }
            let another = others.first.map { ": the key is pinned, the certificate is another (\($0))" } ?? ""
            return reason(
                "no configured pin is on the chain" + another,
                another.isEmpty ? [] : ["ship the new .cer, or pin the key"])
        case .pinsFallShort(let what): return reason(what)
        case .noPins: return reason("pins are required in this mode and none are configured", [], .givePins)
        case .clientError(let name, let message): return reason("\(name): \(message)")
        case .refusedSettings(let text): return reason(text)
        case .refusedByTransportSecurity(let failure):
            return reason("\(failure)", [], failure.id == "ats-forward-secrecy" ? .offerECDHE : nil)
        }
    }

    private func anchorRemedy(
        for failure: TrustFailure, of client: ConfiguredClient, _ attempt: Attempt?, hasAnchors: Bool
    ) -> Remedy? {
        switch failure.reason {
        case .unknownIssuer:
            let giving = giving(issuerOf: failure.certificate, for: client)
            // A root rarely issues a server's certificate: the server most likely left out an intermediate.
            guard failure.depth > 0, giving != .isUnused else {
                if let proxy = attempt?.endpoint.request.proxy { return .askWithoutProxy(proxy.url) }
                return .sendIntermediate(giving, isOfFile: attempt == nil, mayBeOwnRoot: !hasAnchors)
            }
            return hasAnchors ? nil : .nameAuthority
        case .untrustedRoot, .selfSigned: return hasAnchors ? nil : .nameRoot
        default: return nil
        }
    }

    private func giving(issuerOf certificate: Certificate, for client: ConfiguredClient) -> MissingIntermediate {
        guard !fetchable.contains(where: { $0.subject == certificate.issuer }) else { return .isUnused }
        guard fetchable.isEmpty else { return .isOfAnother }
        let hasPlace = !Platform.triedPlaces(of: verifier.issuerPlaces(of: certificate)).isEmpty
        let fetches = (try? client.procedure.get())?.platform?.fetchesIssuers ?? false
        return hasPlace && fetches ? .helps : .doesNotHelp
    }
}
