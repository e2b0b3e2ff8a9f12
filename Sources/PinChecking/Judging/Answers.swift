import Pinning
import TLSProbe

/// What came of asking a server with exactly what the TLS of a client offers.
enum Asking: Sendable {
    case judgedOn(Handshake)
    case refused(HandshakeRefusal)
    case unanswered(ProbeError)
}

/// What was asked, by offers; a client whose offer is not in it is judged on the first handshake.
typealias Answers = [TLSStack: Asking]
