import Base
package import Pinning

package typealias ProbeResult = Result<Handshake, ProbeError>

/// The reason why a probe ended without a chain.
package struct ProbeError: Error, Hashable, CustomStringConvertible {
    package enum Phase: String, CaseIterable {
        case resolve, connect
        /// The connection through a proxy, with all steps before it.
        case proxy
        case handshake
    }

    package enum Reason: Error, Hashable {
        /// The deadline passed; `timeout` is the request's, `attempts` the number made, `nil` if only one was wanted.
        case deadlineExceeded(timeout: Duration, attempts: Int? = nil)
        /// No attempt was made, because others of the same target used the time; `timeout` is the request's.
        case noTimeLeft(timeout: Duration)
        /// The task was cancelled, or the prober was shut down.
        case cancelled
        case nameNotFound
        case noAddress(AddressFamily)
        /// The name has only unspecified addresses (0.0.0.0, ::), which would lead to this machine.
        case addressesFiltered
        case resolverFailed(String)
        /// One failure for each attempt.
        case notConnected([ConnectFailure])
        case proxy(ProxyFailure)
        case alert(TLSAlert)
        /// The server has no certificate with a key of the only offered type.
        case keyTypeRefused(CertificateKeyType, TLSAlert?)
        /// The server accepts no part of a restricted offer; without an alert OpenSSL itself rejected the offer.
        case offerRefused(HandshakeOffer, TLSAlert?)
        /// The server closed the connection before the end of the handshake, after so many bytes.
        case closedEarly(received: Int)
        case reset
        case notTLS(PlainProtocol)
        case protocolVersion(minimum: ProtocolVersion, maximum: ProtocolVersion)
        /// The certificates are larger than so many bytes.
        case certificatesTooLarge(limit: Int)
        case tooManyCertificates(limit: Int)
        /// The server sent more than so many bytes before the end of the handshake.
        case tooMuchData(limit: Int)
        case keyNotProven
        /// The server requires a client certificate, and ended the handshake before it proved that it has its key.
        case clientCertificateRequired
        case noCertificate
        case unreadableCertificate(String)
        /// Any other failure of the handshake, in OpenSSL's words.
        case tlsFailure(String)
        case setUpFailed(String)
    }

    package let phase: Phase
    package let reason: Reason
    /// The requested name or address with its port: `example.com:443`.
    let target: String
    package let peer: PeerAddress?
    /// The URL of the proxy without credentials; `nil` if there is none.
    let proxy: String?
    /// The service that resolved the name, as in `the HTTPDNS service 119.29.29.29`; `nil` if the system did.
    let service: String?

    package init(
        _ phase: Phase, _ reason: Reason, target: String, peer: PeerAddress? = nil, proxy: String? = nil,
        service: String? = nil
    ) {
        (self.proxy, self.service, self.phase, self.reason) = (proxy, service, phase, reason)
        (self.target, self.peer) = (target, peer)
    }

    /// A stable id for scripts, as in `refused` or `tls-alert`.
    package var id: String {
        switch reason {
        case .deadlineExceeded: phase == .proxy ? "proxy-timeout" : "timeout"
        case .proxy(let failure): failure.id
        case .noTimeLeft: "no-time"
        case .cancelled: "cancelled"
        case .nameNotFound: "name-not-found"
        case .noAddress, .addressesFiltered: "no-address"
        case .resolverFailed: "resolver-failed"
        case .notConnected(let failures): ConnectFailure.commonID(of: failures)
        case .alert: "tls-alert"
        case .keyTypeRefused: "key-type-not-offered"
        case .offerRefused: "offer-refused"
        case .closedEarly: "closed-early"
        case .reset: "reset"
        case .notTLS: "not-tls"
        case .protocolVersion: "protocol-version"
        case .certificatesTooLarge: "certificates-too-large"
        case .tooManyCertificates: "too-many-certificates"
        case .tooMuchData: "too-much-data"
        case .keyNotProven: "key-not-proven"
        case .clientCertificateRequired: "client-certificate-required"
        case .noCertificate: "no-certificate"
        case .unreadableCertificate: "unreadable-certificate"
        case .tlsFailure: "tls-failure"
        case .setUpFailed: "set-up-failed"
        }
    }

    /// The server's refusal of a client's offer, by an alert or, as Schannel does, by an end; `nil` if there was none.
    package var refusal: String? {
        guard phase == .handshake else { return nil }
        return switch reason {
        case .alert(let alert): "alert \(alert)"
        case .offerRefused(_, nil): "it chose something else"
        case .closedEarly: "it closed the connection"
        case .reset: "it reset the connection"
        default: nil
        }
    }

    /// The fact and the advice in one line, which quotes the target; text from outside is escaped.
    package var description: String { escapedFact + advice(naming: \.rawValue) }

    /// The fact without the advice, which only the target's owner can follow.
    var fact: String {
        if case .deadlineExceeded = reason { return "it took too long (\(phase.rawValue))" }
        return escapedFact
    }

    package var escapedFact: String { TerminalText.escaped(sentence(\.rawValue).fact) }

    package func advice(naming name: ProbeSetting.Naming) -> String { TerminalText.escaped(sentence(name).advice) }

    private var hostName: Substring {
        guard let colon = target.lastIndex(of: ":"), target[target.index(after: colon)...].allSatisfy(\.isNumber) else {
            return target[...]
        }
        return target[..<colon]
    }

    private func sentence(_ name: ProbeSetting.Naming) -> (fact: String, advice: String) {
        let place = peer.map { $0.description == target ? "'\(target)'" : "'\(target)' (\($0))" } ?? "'\(target)'"
        let server = proxy.map { "\(place) through the proxy '\($0)'" } ?? place
        let unresolved = "cannot resolve '\(hostName)': "
        let giveAddress = "give the address \(name(.address))"
        if let service, let (fact, advice) = sentence(on: service, name) { return (unresolved + fact, advice) }
        return switch reason {
        case .deadlineExceeded(let timeout, let attempts):
            deadlineSentence(
                server, attempts.map { Self.attemptsText($0, in: timeout) } ?? "",
                "raise \(name(.timeout)) (\(secondsText(timeout)))")
        case .noTimeLeft(let timeout):
            ("no time was left to connect to \(server)", ": raise \(name(.timeout)) (\(secondsText(timeout)))")
        case .cancelled: ("the probe of \(server) was cancelled", "")
        case .nameNotFound: (unresolved + "there is no such name", "; check the spelling, or \(giveAddress)")
        case .noAddress(let family):
            (unresolved + "the name has no \(family.rawValue) address", "; give one \(name(.address))")
        case .addressesFiltered:
            (
                unresolved + "the name has no address but this machine's, as DNS filters answer",
                "; ask another resolver, or \(giveAddress)"
            )
        case .resolverFailed(let detail): (unresolved + detail, "; check the DNS settings, or \(giveAddress)")
        case .notConnected(let failures):
            ("cannot connect to \(server): " + failures.fact, "; " + failures.advice(naming: name))
        case .proxy(let failure): failure.sentence(on: proxy ?? "", to: target, name)
        case .alert(let alert):
            ("\(server) ended the handshake: alert \(alert), sent by the server", "; " + alert.advice(naming: name))
        case .offerRefused(let offer, nil):
            (
                "the offer (\(offer)) fits none of the allowed TLS versions",
                "; offer more, or see \(name(.minimumVersion)) and \(name(.maximumVersion))"
            )
        case .offerRefused(let offer, let alert?):
            (
                "\(server) accepts no part of the offer (\(offer)): alert \(alert), sent by the server",
                "; offer more"
            )
        case .keyTypeRefused(let keyType, let alert):
            (
                "\(server) offers no certificate with a key for \(keyType)" + (alert.map { " (alert \($0))" } ?? ""),
                "; leave \(keyType) out of \(name(.keyTypes)), or install one"
            )
        case .closedEarly(0):
            (
                "\(server) closed the connection without an answer to the ClientHello",
                "; check the port and \(name(.serverName))"
            )
        case .closedEarly(let received):
            ("\(server) closed the connection during the handshake, after \(received) bytes", "; see the server's log")
        case .reset:
            (
                "\(server) reset the connection during the handshake",
                "; check the port, \(name(.serverName)) and the firewall"
            )
        case .notTLS(let spoken):
            ("\(server) does not speak TLS: it answered with \(spoken.rawValue)", "; \(spoken.remedy)")
        case .protocolVersion(let minimum, let maximum):
            (
                "\(server) supports none of the TLS versions offered (\(minimum.number) to \(maximum.number))",
                "; check \(name(.minimumVersion)) and \(name(.maximumVersion)): an outdated server may need 1.0"
            )
        case .certificatesTooLarge(let limit):
            ("\(server) sent more than \(limit) bytes of certificates", "; check what it is configured to send")
        case .tooManyCertificates(let limit):
            ("\(server) sent more than \(limit) certificates", "; check what it is configured to send")
        case .tooMuchData(let limit):
            (
                "\(server) sent more than \(limit) bytes without completing the handshake",
                "; check that it is a TLS server"
            )
        case .keyNotProven:
            (
                "\(server) presented a certificate without holding its key: the signature in the handshake is wrong",
                "; treat the server as an impostor, or check that its key belongs to its certificate"
            )
        case .clientCertificateRequired:
            (
                "\(server) insists on a client certificate and gave up before it had proven its own key",
                "; enable an ECDHE cipher on it"
            )
        case .noCertificate: ("\(server) sent no certificate", "; check its configuration")
        case .unreadableCertificate(let detail):
            ("\(server) sent a certificate that cannot be read: \(detail)", "; replace it on the server")
        case .tlsFailure(let detail): ("the handshake with \(server) failed: \(detail)", "; see the server's log")
        case .setUpFailed(let detail):
            ("OpenSSL cannot be set up for \(server): \(detail)", "; check the installation and openssl.cnf")
        }
    }

    /// The failure of an attempt that had a part of `timeout`, with the whole `timeout` and the number of all attempts.
    package func ofPart(of timeout: Duration, attempts: Int? = nil) -> Self {
        guard case .deadlineExceeded(_, let made) = reason else { return self }
        let reason = Reason.deadlineExceeded(timeout: timeout, attempts: attempts ?? made)
        return Self(phase, reason, target: target, peer: peer, proxy: proxy, service: service)
    }

    private static func attemptsText(_ count: Int, in timeout: Duration) -> String {
        count == 1 ? "; no time was left to try again" : " (\(count) attempts in \(secondsText(timeout)))"
    }

    /// The fact and advice if `service` failed; `nil` if the failure is not the service's.
    private func sentence(on service: String, _ name: ProbeSetting.Naming) -> (fact: String, advice: String)? {
        switch reason {
        case .deadlineExceeded(let timeout, _):
            ("\(service) took too long", ": check the service, or raise \(name(.timeout)) (\(secondsText(timeout)))")
        case .nameNotFound: ("\(service) says that there is no such name", "; check the spelling")
        case .addressesFiltered:
            ("\(service) says no address but this machine's, as DNS filters answer", "; ask another service")
        case .noAddress(let family): ("\(service) says that the name has no \(family.rawValue) address", "")
        case .resolverFailed(let detail):
            ("\(service): \(detail)", "; check the service, or give the address \(name(.address))")
        default: nil
        }
    }

    private func deadlineSentence(
        _ server: String, _ attempts: String, _ raise: String
    ) -> (fact: String, advice: String) {
        let (fact, check): (String, String) =
            switch phase {
            case .resolve: ("resolving \(server) took too long", "check the DNS settings")
            case .connect: ("connecting to \(server) took too long", "a firewall may drop the packets; check it")
            case .proxy:
                (
                    "the proxy '\(proxy ?? "")' did not let the connection to '\(target)' through in time",
                    "check that it can be reached and what it speaks"
                )
            case .handshake: ("\(server) did not complete the TLS handshake in time", "check that it speaks TLS")
            }
        return (fact + attempts, ": \(check), or \(raise)")
    }
}
