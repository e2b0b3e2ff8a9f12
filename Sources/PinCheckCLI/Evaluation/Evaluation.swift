import Pinning
import X509

/// Everything a chain is judged by: the same for a chain from a server and one from a file.
struct Evaluation: Sendable {
    /// The client whose decision is made.
    let client: ClientRegistry.Entry
    /// Its settings.
    let policy: AFSecurityPolicy
    /// The pins it ships.
    let pins: PinSet?
    /// Finds the paths; holds the trust store.
    let verifier: OpenSSLPathVerifier
    /// What the trust store holds.
    let trust: Trust
    /// The moment to judge by, `nil` for now.
    let time: Timestamp?
    /// What should be said once about the pins as they were read.
    let notes: [Report.Message]

    /// What stands for the roots of the client's device, named as reports name it.
    enum Trust: String, Sendable {
        case system
        case anchors
        case both = "anchors and system"
    }

    /// The client's decision.
    func verdict(on observation: Observation) -> Verdict {
        client.makeProcedure(policy).evaluate(observation, pins: pins, verifier: verifier)
    }
}
