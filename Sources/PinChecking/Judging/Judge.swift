import Base
import Pinning
import TLSProbe
import X509

/// The result of a handshake with exactly the offer of a client's TLS.
enum Asking {
    case judgedOn(Handshake)
    case refused(HandshakeRefusal)
    case unanswered(ProbeError)
}

/// The results by offer; a client without an entry is judged on the first handshake.
typealias Answers = [TLSStack: Asking]

extension HostPolicy {
    /// The only way to a verdict, on connections, files and deployments; a client decides on its TLS's handshake if that
    /// is within its offer, and `wording` replaces the words for a server.
    func judge(
        _ presented: PresentedChain, for name: ReferenceName, at time: Timestamp, on first: Handshake? = nil,
        _ answers: Answers = [:], asked attempt: Attempt? = nil, wording: ((Verdict, ConfiguredClient) -> Reason)? = nil
    ) -> JudgedChain {
        let keyType = attempt?.variant.keyType
        func view(of presented: PresentedChain, on handshake: Handshake?) -> ServerView {
            ServerView(
                presented: presented, referenceName: name, time: time, fetchable: fetchable,
                evidence: evidence(of: presented, staple: handshake?.staple, at: time), connection: handshake?.facts)
        }
        var views = [(handshake: first, view: view(of: presented, on: first))]
        let budget = TargetBudget()
        let verifiers = devices.map { device in
            (
                plain: RememberingVerifier(device.verifier.within(budget)),
                own: RememberingVerifier(device.verifierWithInstalledRoots.within(budget))
            )
        }
        let stacks = keyType.map(stacks)
        var clients = verdicts(of: stacks) { client, procedure, place in
            var refusal: HandshakeRefusal?
            var position = 0
            switch answers.isEmpty ? nil : procedure.stack(on: devices[place].release).flatMap({ answers[$0.offer] }) {
            case nil: break
            case .refused(let how): refusal = how
            case .unanswered(let error): return (nil, Reason(error), nil, nil)
            case .judgedOn(let handshake):
                position = views.firstIndex { $0.handshake === handshake } ?? views.count
                if position == views.count { views.append((handshake, view(of: handshake.presented, on: handshake))) }
            }
            var view = views[position].view
            (view.release, view.refusal) = (devices[place].release, refusal)
            let verifier = client.trustsInstalledRoots ? verifiers[place].own : verifiers[place].plain
            let verdict = procedure.decide(view, pins: client.pins, verifier: verifier, in: client.app)
            let reason =
                wording?(verdict, client)
                ?? reason(
                    of: verdict, by: client, for: name, asked: attempt, hasAnchors: givenRoots != nil,
                    on: devices[place], refusal)
            // An outlook needs only verdicts, not the findings on other systems.
            view.tellsOfOthers = false
            let forecaster = Forecaster(
                verdict, of: client, procedure, in: self, on: devices[place], by: verifier, view)
            return (verdict, reason, forecaster, refusal == nil ? views[position].handshake : nil)
        }
        let presented = views.flatMap(\.view.presented.certificates)
        if wording == nil, clients.contains(where: \.isUntrusted), let hint = clockHint(on: presented, at: time) {
            for index in clients.indices where clients[index].isUntrusted { clients[index].reason.hints.append(hint) }
        }
        let interception = interceptionFinding(on: clients.ranked)
        if interception?.isInterception == true { for index in clients.indices { clients[index].reason.remedy = nil } }
        let findings = findings(on: clients, views.map(\.view), interception)
        // Clients on these devices never get a certificate with such a key.
        let leftOut = keyType == nil ? [] : Set(devices.map(\.name)).subtracting(clients.map(\.judgedDevice.name))
        let view = clients.shown?.view ?? views[0].view
        var judged = JudgedChain(
            policy: self, view: view, clients: clients, findings: findings + self.leftOut(beside: stacks, keyType),
            ending: clients.ending(in: self, at: view.time, leftOut: leftOut))
        let others = verifiers.flatMap { $0.plain.otherPaths + $0.own.otherPaths }
        let used = clients.flatMap { $0.decided?.certificates ?? [] } + others.joined()
        judged.learn(inUse: Set(presented.marks + used.marks))
        return judged
    }

    /// The clock's time if it may be wrong: no certificate of several is valid at it, or the program is younger.
    private func clockHint(on sent: [Certificate], at time: Timestamp) -> String? {
        guard self.time == nil else { return nil }
        let isNoneValid = sent.count > 1 && sent.allSatisfy { time < $0.notBefore || $0.notAfter < time }
        return isNoneValid || time < DeviceData.builtIn.date
            ? "this machine's clock reads \("\(time)".prefix(16))Z" : nil
    }

    private func leftOut(beside stacks: [TLSStack?]?, _ keyType: CertificateKeyType?) -> [Finding] {
        guard let stacks, let keyType else { return [] }
        let idle = running.filter { !stacks.contains($0.procedure.stack(on: $0.device.release)) }
        let names = idle.map(\.client.client.name).distinct
        let message = "not judged for \(listed(names)), which never gets a key for \(keyType)"
        return names.isEmpty ? [] : [Finding(.keyTypesDiffer, .note, message)]
    }

    typealias Decision = (verdict: Verdict?, reason: Reason, forecaster: Forecaster?, handshake: Handshake?)

    /// The verdict of each client on its devices, or of those with one of `stacks`; `place` is the device's position.
    func verdicts(
        of stacks: [TLSStack?]? = nil, _ decide: (ConfiguredClient, any ClientProcedure, _ place: Int) -> Decision
    ) -> [ClientVerdict] {
        let ranks = ranks
        return devices.enumerated().flatMap { place, device in
            clients.enumerated().filter { $1.client.runs(on: device.device) }.compactMap { index, client in
                var decision: Decision
                switch client.procedure {
                case .success(let procedure) where stacks?.contains(procedure.stack(on: device.release)) == false:
                    return nil
                case .failure(let error): decision = (nil, Reason(ClientVerdict.notSetUp, error.message), nil, nil)
                case .success(let procedure):
                    decision = decide(client, procedure, place)
                    if let obstacle = decision.verdict.flatMap(device.obstacle) { decision = (nil, obstacle, nil, nil) }
                }
                return ClientVerdict(client, on: device, in: self, rank: place * clients.count + ranks[index], decision)
            }
        }
    }

    private var ranks: [Int] {
        guard clients.count > 1 else { return [0] }
        let all = Client.all.map(\.name)
        let keys = clients.map { (all.firstIndex(of: $0.client.name) ?? .max, $0.client.words.joined(separator: ":")) }
        let order = keys.indices.sorted { (keys[$0].0, keys[$0].1, $0) < (keys[$1].0, keys[$1].1, $1) }
        return clients.indices.map { order.firstIndex(of: $0) ?? 0 }
    }

    func evidence(of presented: PresentedChain, staple: [UInt8]?, at time: Timestamp) -> LeafEvidence {
        LeafEvidence(
            timestamps: EmbeddedTimestamps.of(presented.leaf),
            staple: staple.map {
                StapleReader.read($0, leaf: presented.leaf, issuer: issuer(ofLeafIn: presented, at: time), time: time)
            } ?? .none, at: time)
    }

    /// The certificate of the leaf's issuer, trusted or not; `nil` if none is at hand.
    private func issuer(ofLeafIn presented: PresentedChain, at time: Timestamp) -> Certificate? {
        // An app's own anchors count only for its clients.
        let own = configuredAnchors
        let places = devices.map { ($0.verifierWithInstalledRoots, Anchors.trustStore) }
        for (verifier, anchors) in places + (own.isEmpty ? [] : [(verifier, .only(own))]) {
            let question = PathQuestion(
                presented: presented, intermediates: intermediates, anchors: anchors, policy: .basicX509, time: time)
            let path = verifier.evaluate(question).builtChain.certificates
            if path.count > 1 { return path[1] }
        }
        return presented.leaf.isSelfIssued ? presented.leaf : nil
    }
}

extension LeafEvidence {
    func finding(isRefused: Bool) -> Finding? {
        switch staple {
        case .unusable(let why): .warning(.unusableStaple, "\(why): it does not say that the certificate is good")
        case .revoked(let time, _) where !isRefused:
            .warning(
                .certificateRevoked,
                "the certificate was revoked at \(time), by the server's own OCSP staple: not every client looks")
        default: nil
        }
    }
}
