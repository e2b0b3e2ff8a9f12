package import Pinning

/// Asks a service for the addresses of names.
package struct AddressResolver: Sendable {
    /// Judges the chain of a service that is asked over TLS: `nil` for one that is trusted under the name, or why it is not.
    package typealias Objection = @Sendable (_ chain: PresentedChain, _ host: ServerName) -> String?

    package let service: AddressService
    let prober: Prober
    let objection: Objection

    /// A resolver that asks `service`.
    package init(_ service: AddressService, prober: Prober, objection: @escaping Objection) {
        self.service = service
        self.prober = prober
        self.objection = objection
    }

    /// Asks for all addresses of `name`.
    ///
    /// - Returns: the addresses; at least one.
    package func addresses(
        of name: String, family: ProbeRequest.AddressFamily, timeout: Duration
    ) async throws(ProbeError) -> HostAddresses {
        let questions: [AddressService.Question]
        do { questions = try service.questions(for: name, family: family) } catch {
            throw ProbeError(.resolve, .resolverFailed("\(error)"), target: name, service: service.title)
        }
        let answers = await withTaskGroup { group in
            for question in questions {
                group.addTask { (question.family, await answer(to: question, for: name, timeout: timeout)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let found = answers.flatMap { (try? $0.1.get()) ?? [] }
        let wanted = found.filter { family == .any || $0.isIPv6 == (family == .ipv6) }
        let failures = answers.compactMap { family, answer -> (ProbeRequest.AddressFamily, QuestionError)? in
            if case .failure(let error) = answer { (family, error) } else { nil }
        }
        guard !wanted.isEmpty else {
            let reason = reason(for: failures.map(\.1), family, timeout)
            throw ProbeError(.resolve, reason, target: name, service: service.title)
        }
        return HostAddresses(
            wanted, gaps: failures.map { HostAddresses.Gap(family: $0, reason: "\(service.title): \($1)") })
    }

    /// What to tell the user when there are no addresses.
    private func reason(
        for failures: [QuestionError], _ family: ProbeRequest.AddressFamily, _ timeout: Duration
    ) -> ProbeError.Reason {
        guard let failure = failures.first else { return .noAddress(family) }
        switch failure {
        case .fetch(.deadlineExceeded): return .deadlineExceeded(timeout: timeout)
        case .fetch(.cancelled): return .cancelled
        case .answer(let error) where error.kind == .nameUnknown: return .nameNotFound
        case .fetch(.noConnection(let error)) where error.id == "timeout": return .deadlineExceeded(timeout: timeout)
        default: return .resolverFailed("\(failure)")
        }
    }

    /// Asks one question; the answer has to be for `name`, if it says for what it is.
    private func answer(
        to question: AddressService.Question, for name: String, timeout: Duration
    ) async -> Result<[IPAddress], QuestionError> {
        let host = question.location.host
        let fetch = HTTPFetch(
            question.location, mediaType: question.mediaType, sizeLimit: AddressAnswer.sizeLimit, timeout: timeout
        ) { [objection] chain in objection(chain, host) }
        let body: [UInt8]
        do { body = try await prober.body(of: fetch) } catch { return .failure(.fetch(error)) }
        do {
            let answers = try AddressAnswer.read(body)
            guard let answer = answers.first(where: { $0.host == nil || $0.host == name.lowercased() }) else {
                return .failure(.otherHost(answers.first?.host ?? ""))
            }
            return .success(answer.addresses)
        } catch { return .failure(.answer(error)) }
    }
}

/// Why one question to a service had no answer.
private enum QuestionError: Error, CustomStringConvertible {
    case fetch(HTTPFetchError)
    case answer(AnswerError)
    case otherHost(String)

    /// For the end of a line that names the service.
    var description: String {
        switch self {
        case .fetch(.noConnection(let error)): error.fact
        case .fetch(let error): error.description
        case .answer(let error): "its answer cannot be used: \(error)"
        case .otherHost(let name): "it answers for '\(name.prefix(80))' instead"
        }
    }
}
