/// A pin compared by hand after a path was found, as Go, Node, Java and dio programs do: a hash with the keys, a certificate with the
/// certificates of the preferred path (RFC 7469, 2.6, without the rules of its header).
///
/// It keeps the verifier's own rules; on a device those of the device's system, apart from App Transport Security.
public struct Generic: ClientProcedure {
    /// The name users choose it by; no line repeats it.
    public static let name = "generic"

    /// The name users choose it by.
    public var name: String { Self.name }

    /// None of its own.
    public var platform: Platform? { nil }

    /// A set of pins.
    public init() {}

    /// The rules of the device's system, `nil` for the verifier's own.
    public func platform(on release: PlatformRelease) -> Platform? {
        switch release {
        case .newest: nil
        case .apple(let release): .apple(release)
        case .android(let release): .android(release)
        }
    }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        guard let pins else { return .nothing }
        return PinComparison([.init(pins: Array(pins.pins.indices), at: .anywhere, comparing: .whatIsPinned)])
    }

    /// Decides by one path, the preferred one.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        let platform = platform(on: observation.release)
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        return run.afterServerTrust { run, system in
            if platform == nil {
                if case .revoked(let time, let reason)? = observation.evidence?.staple {
                    let failure = TrustFailure(
                        .revoked(at: time, reason: reason), at: 0, of: observation.presented.leaf)
                    run.fail("revocation", failure.description)
                    return run.verdict(.untrusted([failure]), on: system.builtChain)
                }
                run.tellPlatformsThatRefuse()
            }
            guard pins != nil else {
                run.skip("pins", "no pins are given")
                return run.verdict(.trustedWithoutPins, on: system.builtChain)
            }
            return run.compare(on: system, what: nil) { pins, chain in
                pins.matches(on: chain) { pin, certificate in
                    pin.certificate.map { $0 == certificate } ?? (pin.spkiSHA256 == certificate.publicKey.spkiSHA256)
                }
            }
        }
    }
}

extension ProcedureRun {
    /// Says which systems of today would refuse the server whatever its pins: with pins a warning, without a note.
    fileprivate mutating func tellPlatformsThatRefuse() {
        for (system, platform) in [("iOS", Platform.apple()), ("Android", .android())] {
            let failure =
                platform.handshakeFailure(of: observation.presented.leaf, on: observation.connection)
                ?? evaluate(serverPolicy, by: platform).failures.first
            guard let failure else { continue }
            let message = "\(system) refuses this server: \(failure)"
            if pins == nil {
                note(Warning.platformRule, message)
            } else {
                warn(Warning.platformRule, message, platform.family)
            }
        }
    }
}
