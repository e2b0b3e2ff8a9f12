import Base
import NIOCore
import Pinning
import Synchronization

/// Looks up host names by HTTPDNS or DNS over HTTPS in place of the system's resolver.
package struct AddressResolver {
    let service: AddressService
    let prober: Prober
    let objection: ServiceObjection

    package init(_ service: AddressService, prober: Prober, objection: @escaping ServiceObjection) {
        (self.service, self.prober, self.objection) = (service, prober, objection)
    }

    /// Looks up the addresses of `name`, at least one.
    package func addresses(
        of name: String, family: AddressFamily, timeout: Duration
    ) async throws(ProbeError) -> HostAddresses {
        func error(_ reason: ProbeError.Reason) -> ProbeError {
            ProbeError(.resolve, reason, target: name, service: service.title)
        }
        let questions: [AddressService.Question]
        do { questions = try service.questions(for: name, family: family) } catch let problem {
            throw error(.resolverFailed("\(problem)"))
        }
        // A family that stays silent leaves time to connect to the addresses of the other.
        let timeout = questions.count > 1 ? timeout / 2 : timeout
        let answers = await withTaskGroup { group in
            for question in questions {
                group.addTask { (question.family, await answer(at: question.location, for: name, timeout: timeout)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        func isWanted(_ address: IPAddress) -> Bool { family == .any || address.isIPv6 == (family == .ipv6) }
        var wanted: [IPAddress] = []
        var others: [AddressFamily: ProbeError?] = [:]
        for (family, answer) in answers {
            switch answer {
            case .failure(let reason): others[family] = .some(error(reason))
            case .success(let found):
                let found = found.filter(isWanted)
                if found.isEmpty { others[family] = .some(nil) }
                wanted += found.filter { !$0.isUnspecified }
                // An unspecified address (0.0.0.0, ::) is a DNS filter's answer: it means this machine, not the server.
                for address in found where address.isUnspecified {
                    others[address.isIPv6 ? .ipv6 : .ipv4] = .some(error(.addressesFiltered))
                }
            }
        }
        guard !wanted.isEmpty else {
            let failures = [AddressFamily.any, .ipv4, .ipv6].compactMap { others[$0] ?? nil }
            throw failures.first ?? error(.noAddress(family))
        }
        return HostAddresses(wanted, others: others)
    }

    /// The addresses in the answer to one question; an answer that contains a host must be for `name`.
    private func answer(
        at location: HTTPLocation, for name: String, timeout: Duration
    ) async -> Result<[IPAddress], ProbeError.Reason> {
        await body(at: location, timeout: timeout).flatMap { body in
            do throws(AnswerError) {
                let answer = try AddressAnswer.read(body)
                guard let host = answer.host, host != name.lowercased() else { return .success(answer.addresses) }
                return .failure(.resolverFailed("its answer is for another name, '\(host.prefix(80))'"))
            } catch {
                let isUnknown = error.kind == .nameUnknown
                return .failure(isUnknown ? .nameNotFound : .resolverFailed("its answer cannot be used: \(error)"))
            }
        }
    }

    /// Makes one exchange on a new connection; the chain of an `https` service must be trusted before the request.
    private func body(at location: HTTPLocation, timeout: Duration) async -> Result<[UInt8], ProbeError.Reason> {
        let request = ProbeRequest(to: location.host, port: location.port, timeout: timeout)
        let receiver = AnswerReceiver()
        let accept = HTTPField(unchecked: "Accept", service.accept)
        let exchange = HTTPExchange(HTTPRequest(location, fields: [accept]), for: receiver)
        func reason(_ error: HTTPError) -> ProbeError.Reason { ProbeError.Reason(ofService: error, timeout: timeout) }
        // Only connections to targets have lines in `--verbose`.
        let response = await ProbeWatch.$current.withValue(nil) { () -> Result<HTTPResponse, ProbeError.Reason> in
            guard location.isSecure else { return await prober.exchangePlainly(request, exchange).mapError(reason) }
            do throws(ProbeError) {
                let (handshake, connection) = try await prober.hold(request)
                if let untrusted = objection(handshake, location.host)?.why {
                    connection.close()
                    return .failure(.resolverFailed("its certificate is not trusted: \(untrusted)"))
                }
                return await connection.carry(exchange, within: timeout).mapError(reason)
            } catch { return .failure(reason(.noConnection(error))) }
        }
        return receiver.body.flatMap { body in response.map { _ in body } }
    }
}

/// Receives the body of one response with status 200, up to the limit.
private final class AnswerReceiver: HTTPReceiver {
    private let received = Mutex(Result<[UInt8], ProbeError.Reason>.success([]))

    var body: Result<[UInt8], ProbeError.Reason> { received.withLock { $0 } }

    func receive(_ head: HTTPResponse) -> Bool {
        guard head.status != 200 else { return true }
        var words = "it answers with HTTP status \(head.status)"
        if (300..<400).contains(head.status) {
            let place = head.value(of: "Location").map { TerminalText.shortened($0, to: 100) }
            words =
                place.map { "it redirects to '\($0)', which is not followed: give that address" }
                ?? "it redirects, which is not followed"
        }
        received.withLock { $0 = .failure(.resolverFailed(words)) }
        return false
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        received.withLock { body in
            body = body.flatMap { read in
                let isTooLarge = read.count + bytes.count > AddressAnswer.sizeLimit
                return isTooLarge ? .failure(.tooLargeAnswer) : .success(read + bytes)
            }
            return (try? body.get()) != nil
        }
    }
}

extension ProbeError.Reason {
    fileprivate static let tooLargeAnswer = Self.resolverFailed(
        "its answer is larger than \(AddressAnswer.sizeLimit / 1024) KiB")

    /// The reason why a service gave no answer; text from the service is not escaped.
    fileprivate init(ofService error: HTTPError, timeout: Duration) {
        self =
            switch error {
            case .deadlineExceeded: .deadlineExceeded(timeout: timeout)
            case .cancelled: .cancelled
            case .noConnection(let error) where error.id == "timeout": .deadlineExceeded(timeout: timeout)
            case .noConnection(let error): .resolverFailed(error.fact)
            case .notHTTP, .malformed, .spokeFirst: .resolverFailed("it does not speak HTTP")
            case .tooLong, .tooMuchOverhead: .tooLargeAnswer
            case .closedEarly, .cutOff, .reset:
                .resolverFailed("it closed the connection before its answer was complete")
            default: .resolverFailed("\(error)")
            }
    }
}

extension Prober {
    /// Makes an exchange without TLS: addresses need no protection, because the chain of the server there is judged.
    func exchangePlainly(_ request: ProbeRequest, _ exchange: HTTPExchange) async -> HTTPResult {
        let attempt = ProbeAttempt(request, in: self)
        return await result(
            HTTPError.cancelled, start: { attempt.exchangePlainly(exchange, $0) }, cancel: attempt.cancel)
    }
}
