import NIOCore
import Pinning
import Synchronization

/// Looks up host names by HTTPDNS or DNS over HTTPS in place of the system's resolver.
package struct AddressResolver: Sendable {
    package let service: AddressService
    let prober: Prober
    let objection: ServiceObjection

    package init(_ service: AddressService, prober: Prober, objection: @escaping ServiceObjection) {
        (self.service, self.prober, self.objection) = (service, prober, objection)
    }

    /// Looks up the addresses of `name`, at least one.
    package func addresses(
        of name: String, family: ProbeRequest.AddressFamily, timeout: Duration
    ) async throws(ProbeError) -> HostAddresses {
        let questions: [AddressService.Question]
        do { questions = try service.questions(for: name, family: family) } catch {
            throw ProbeError(.resolve, .resolverFailed("\(error)"), target: name, service: service.title)
        }
        // A family that stays silent leaves time to connect to the addresses of the other.
        let timeout = questions.count > 1 ? timeout / 2 : timeout
        let answers = await withTaskGroup { group in
            for question in questions {
                group.addTask { (question.family, await answer(to: question, for: name, timeout: timeout)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        func isWanted(_ address: IPAddress) -> Bool { family == .any || address.isIPv6 == (family == .ipv6) }
        var wanted: [IPAddress] = []
        var others: [ProbeRequest.AddressFamily: ProbeError?] = [:]
        func error(_ reason: ProbeError.Reason) -> ProbeError {
            ProbeError(.resolve, reason, target: name, service: service.title)
        }
        for (family, answer) in answers {
            switch answer {
            case .failure(let failure): others[family] = .some(error(reason(for: failure, family, timeout)))
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
            let failures = [ProbeRequest.AddressFamily.any, .ipv4, .ipv6].compactMap { others[$0] ?? nil }
            throw failures.first ?? error(.noAddress(family))
        }
        return HostAddresses(wanted, others: others)
    }

    private func reason(
        for failure: QuestionError, _ family: ProbeRequest.AddressFamily, _ timeout: Duration
    ) -> ProbeError.Reason {
        switch failure {
        case .http(.deadlineExceeded): return .deadlineExceeded(timeout: timeout)
        case .http(.cancelled): return .cancelled
        case .answer(let error) where error.kind == .nameUnknown: return .nameNotFound
        case .http(.noConnection(let error)) where error.id == "timeout": return .deadlineExceeded(timeout: timeout)
        default: return .resolverFailed("\(failure)")
        }
    }

    /// The addresses in the answer to one question; an answer that contains a host must be for `name`.
    private func answer(
        to question: AddressService.Question, for name: String, timeout: Duration
    ) async -> Result<[IPAddress], QuestionError> {
        await body(of: question, timeout: timeout).flatMap { body in
            do throws(AnswerError) {
                let answer = try AddressAnswer.read(body)
                if let host = answer.host, host != name.lowercased() { return .failure(.otherHost(host)) }
                return .success(answer.addresses)
            } catch { return .failure(.answer(error)) }
        }
    }

    /// Makes one exchange on a new connection; the chain of an `https` service must be trusted before the request.
    private func body(of question: AddressService.Question, timeout: Duration) async -> Result<[UInt8], QuestionError> {
        let location = question.location
        let request = ProbeRequest(to: location.host, port: location.port, timeout: timeout)
        let receiver = AnswerReceiver()
        let accept = HTTPField(unchecked: "Accept", question.accept)
        let exchange = HTTPExchange(HTTPRequest(location, fields: [accept]), for: receiver)
        // Only connections to targets have lines in `--verbose`.
        let response = await ProbeWatch.$current.withValue(nil) { () -> Result<HTTPResponse, QuestionError> in
            guard location.isSecure else {
                return await prober.exchangePlainly(request, exchange).mapError(QuestionError.http)
            }
            do throws(ProbeError) {
                let (handshake, connection) = try await prober.hold(request)
                if let untrusted = objection(handshake, location.host)?.why {
                    connection.close()
                    return .failure(.untrusted(untrusted))
                }
                return await connection.carry(exchange, within: timeout).mapError(QuestionError.http)
            } catch { return .failure(.http(.noConnection(error))) }
        }
        return receiver.body.flatMap { body in response.map { _ in body } }
    }
}

/// Receives the body of one response with status 200, up to the limit.
private final class AnswerReceiver: HTTPReceiver {
    private let received = Mutex(Result<[UInt8], QuestionError>.success([]))

    var body: Result<[UInt8], QuestionError> { received.withLock { $0 } }

    func receive(_ head: HTTPResponse) -> Bool {
        guard head.status != 200 else { return true }
        let isRedirect = (300..<400).contains(head.status)
        received.withLock { $0 = .failure(isRedirect ? .redirect(head.value(of: "Location")) : .status(head.status)) }
        return false
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        received.withLock { body in
            body = body.flatMap { read in
                let isTooLarge = read.count + bytes.count > AddressAnswer.sizeLimit
                return isTooLarge ? .failure(.http(.tooMuchOverhead)) : .success(read + bytes)
            }
            return (try? body.get()) != nil
        }
    }
}

private enum QuestionError: Error, CustomStringConvertible {
    case http(HTTPError)
    case untrusted(String)
    /// A redirect, which is not followed, with the value of its Location field.
    case redirect(String?)
    case status(Int)
    case answer(AnswerError)
    case otherHost(String)

    /// The fact, to follow the name of the service; text from the service is not escaped.
    var description: String {
        switch self {
        case .http(.noConnection(let error)): error.fact
        case .http(.notHTTP), .http(.malformed), .http(.spokeFirst): "it does not speak HTTP"
        case .http(.tooLong), .http(.tooMuchOverhead): "its answer is larger than \(AddressAnswer.sizeLimit / 1024) KiB"
        case .http(.closedEarly), .http(.cutOff), .http(.reset):
            "it closed the connection before its answer was complete"
        case .http(let error): "\(error)"
        case .untrusted(let reason): "its certificate is not trusted: \(reason)"
        case .redirect(let place?):
            "it redirects to '\(place.unicodeScalars.count > 100 ? String(place.unicodeScalars.prefix(99)) + "…" : place)'"
                + ", which is not followed: give that address"
        case .redirect(nil): "it redirects, which is not followed"
        case .status(let code): "it answers with HTTP status \(code)"
        case .answer(let error): "its answer cannot be used: \(error)"
        case .otherHost(let name): "its answer is for another name, '\(name.prefix(80))'"
        }
    }
}

extension Prober {
    /// Makes an exchange without TLS: addresses need no protection, because the chain of the server there is judged.
    func exchangePlainly(_ request: ProbeRequest, _ exchange: HTTPExchange) async -> Result<HTTPResponse, HTTPError> {
        let attempt = PlainExchange(request, exchange, in: self)
        return await result(HTTPError.cancelled, start: attempt.start, cancel: attempt.cancel)
    }
}

/// Makes one exchange over a connection without TLS; Sendable because after `init` only the event loop uses it.
private final class PlainExchange: Attempt, @unchecked Sendable {
    private let request: ProbeRequest
    private let exchange: HTTPExchange
    private let prober: Prober
    private let connection: TimedConnection
    private var deliver: HTTPHandler.Delivery?
    private var isCancelled = false

    init(_ request: ProbeRequest, _ exchange: HTTPExchange, in prober: Prober) {
        (self.request, self.exchange, self.prober) = (request, exchange, prober)
        connection = TimedConnection(request, in: prober)
    }

    func start(_ deliver: @escaping HTTPHandler.Delivery) {
        guard !isCancelled else { return deliver(.failure(.cancelled)) }
        self.deliver = deliver
        prober.add(self)
        connection.start { result in
            if let result { self.connectEnded(result) } else { self.finish(.failure(.deadlineExceeded)) }
        }
    }

    func cancel() {
        isCancelled = true
        finish(.failure(.cancelled))
    }

    private func connectEnded(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let failure):
            let reason = request.reason(for: failure)
            finish(.failure(.noConnection(ProbeError(.connect, reason, target: request.target))))
        case .success(let channel):
            let handler = HTTPHandler(exchange) {
                self.connection.stopClock()
            } ended: {
                self.finish($0)
            }
            do { try channel.pipeline.syncOperations.addHandlers(handler.handlers()) } catch {
                return finish(.failure(.closedEarly(received: 0)))
            }
            handler.send()
        }
    }

    private func finish(_ result: Result<HTTPResponse, HTTPError>) {
        guard let deliver else { return }
        self.deliver = nil
        prober.remove(self)
        connection.end()
        deliver(result)
    }
}
