import Base
import Pinning
import TLSProbe

extension TLSStack {
    /// `true` if a handshake is within the offer, or within what an update may have added to it.
    fileprivate func has(_ handshake: Handshake) -> Bool {
        lacks(handshake.facts, handshake.presented.leaf.publicKey).isEmpty
    }

    /// `true` if a client with this offer is sure to agree on the same handshake.
    fileprivate func surelyHas(_ handshake: Handshake) -> Bool { has(handshake) && !isUncertain(handshake.facts) }
}

extension HostPolicy {
    /// The stacks of clients on their devices, `nil` if unknown; only those that accept `keyType`, if any does.
    func stacks(for keyType: CertificateKeyType?) -> [TLSStack?] {
        let all = running.map { $0.procedure.stack(on: $0.device.release) }.distinct
        let fitting = all.filter { stack in stack.map { keyType?.isKnown(to: $0) ?? true } ?? true }
        return fitting.isEmpty ? all : fitting
    }
}

extension Checker {
    func connection(
        of attempt: Attempt, _ check: Check, until deadline: Deadline,
        judge: (CheckedConnection) async -> CheckedConnection
    ) async -> CheckedConnection {
        let exchange = attempt.variant == .ordinary ? attempt.endpoint.exchange : nil
        var (connection, answer) = await connection(of: attempt, check, until: deadline, asks: exchange != nil) {
            let connection = await judge($0)
            return (
                connection, connection.verdict.outcome == .accepted ? exchange.map { HTTPExchange($0.request) } : nil
            )
        }
        connection.answer = exchange.map { CheckedAnswer(exchange: $0, result: answer) }
        return connection
    }

    /// Connects, and again for each client whose TLS offers less than was agreed on, and judges the handshakes; a
    /// request goes over the first connection that a client was judged on.
    func connection(
        of attempt: Attempt, _ check: Check, until deadline: Deadline, asks: Bool,
        judge: (CheckedConnection) async -> (CheckedConnection, HTTPExchange?)
    ) async -> (CheckedConnection, HTTPResult?) {
        var endpoint = attempt.endpoint
        endpoint.request = attempt.variant.request(of: endpoint)
        var held: [(handshake: Handshake, connection: HeldConnection)] = []
        func probe(_ request: ProbeRequest, holds: Bool) async -> ProbeResult {
            var request = request
            request.timeout = deadline.remaining
            guard request.timeout > .zero else {
                return .failure(ProbeError(.connect, .noTimeLeft(timeout: deadline.timeout), target: request.target))
            }
            do throws(ProbeError) {
                return try await request.retrying(check.retries) { (request) throws(ProbeError) in
                    do throws(ProbeError) {
                        guard holds else { return .success(try await prober.probe(request)) }
                        let (handshake, connection) = try await prober.hold(request)
                        held.append((handshake, connection))
                        return .success(handshake)
                    } catch {
                        // A refusal is an answer, too.
                        guard request.isExact, error.refusal != nil else { throw error }
                        return .failure(error)
                    }
                }
            } catch { return .failure(error.ofPart(of: deadline.timeout)) }
        }
        // Inlined, it would make every task that waits for a server larger.
        @inline(never) func ask(_ stacks: [TLSStack?], after first: Handshake) async -> Answers {
            var answers: Answers = [:]
            var isUsed = stacks.contains { $0?.surelyHas(first) ?? true }
            // Some servers allow only one connection at a time.
            if !stacks.contains(where: { $0?.has(first) ?? true }) { held.popLast()?.connection.close() }
            var others: [(highest: ProtocolVersion, handshake: Handshake)] = []
            for case let stack? in stacks where !stack.surelyHas(first) && answers[stack.offer] == nil {
                guard attempt.variant.keyType?.isKnown(to: stack) ?? true else { continue }
                let highest = stack.versions.upperBound
                if let known = others.first(where: { $0.highest == highest && stack.surelyHas($0.handshake) }) {
                    answers[stack.offer] = .judgedOn(known.handshake)
                    continue
                }
                let refusal: HandshakeRefusal
                do throws(OfferedPart) {
                    switch await probe(try endpoint.request.offering(stack, to: first.peer), holds: asks && !isUsed) {
                    case .success(let other) where stack.has(other):
                        answers[stack.offer] = .judgedOn(other)
                        others.append((highest, other))
                        isUsed = true
                        continue
                    case .success(let other):
                        // No client is judged on this connection.
                        if !isUsed { held.popLast()?.connection.close() }
                        refusal = .byServer("it chose \(other.facts)")
                    case .failure(let error):
                        guard let words = error.refusal else {
                            answers[stack.offer] = .unanswered(error)
                            continue
                        }
                        refusal = .byServer(words)
                    }
                } catch { refusal = .byOptions(error) }
                // A handshake is judged as it is if an update may have added what it uses.
                answers[stack.offer] = stack.has(first) ? .judgedOn(first) : .refused(refusal)
            }
            return answers
        }
        let result = await probe(endpoint.request, holds: asks)
        var connection = CheckedConnection(endpoint: endpoint, variant: attempt.variant, result: result, time: now())
        if let policy = check.policy, case .success(let first) = result {
            connection.answers = await ask(policy.stacks(for: attempt.variant.keyType), after: first)
        }
        // Only other connections to the server take from its time; judging does not.
        let left = connection.answers.isEmpty ? check.timeout : deadline.remaining
        let (judged, exchange) = await judge(connection)
        let clients = judged.judged?.clients ?? []
        var carrier: HeldConnection?
        for one in held {
            if carrier == nil, exchange != nil, clients.contains(where: { $0.handshake === one.handshake }) {
                carrier = one.connection
            } else {
                one.connection.close()
            }
        }
        guard let exchange, let carrier else { return (judged, nil) }
        return (judged, await carrier.carry(exchange, within: left))
    }
}
