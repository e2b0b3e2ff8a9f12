import Base
import PinFormats
import Pinning

/// The pins in the code of apps, and their effect on one target; no client compares them, so an acceptance without
/// another compared pin says nothing about the app.
struct AppCode: Sendable {
    private static let mostLines = 20
    private let apps: [CodePins]
    private let host: String
    /// The ends of the pins that clients compare and enforce for the target; `nil` if a pin has none.
    private let ends: [Timestamp?]
    /// `true` if the user chose clients that follow the app's configuration and ignore its code.
    private let followsConfiguration: Bool

    /// The code of `apps`, compared with `clients` for a host of this name; `isNamed` if the user chose the clients.
    init(
        _ apps: [CodePins], beside clients: [ConfiguredClient], for name: ReferenceName, of host: String, isNamed: Bool
    ) {
        (self.apps, self.host) = (apps, host)
        ends = clients.compactMap { (try? $0.procedure.get())?.comparison(with: $0.pins, for: name) }
            .filter { !$0.conditions.isEmpty && $0.isEnforced }.map(\.expiration)
        followsConfiguration = isNamed && clients.allSatisfy { $0.client.bindsAppBy != nil }
    }

    func warnings(at time: Timestamp) -> [Finding] {
        guard followsConfiguration || isCompared(at: time) else { return [] }
        return pinsByApp(at: time).map { app, pins in
            let texts = pins.map { "\(shortened(app.file(of: $0), isPublic: true)): \($0.spkiSHA256)" }
            let beside = "beside what was judged (\(listed(texts))): for which hosts cannot be told"
            return .warning(.pinsInCode, "\(app.place): \(CodePins.count(pins)) \(beside)")
        }
    }

    /// The reason why an acceptance is not a verdict; `nil` if it is one.
    func obstacle(at time: Timestamp) -> Reason? {
        let found = pinsByApp(at: time)
        guard !followsConfiguration, !isCompared(at: time), let app = found.first?.app else { return nil }
        let lines = found.flatMap { $0.app.lines($0.pins) }
        let rest = lines.count - Self.mostLines
        return Reason(
            FindingID.pinsInCode.word,
            "\(app.place): nothing that was read pins \(host), and \(CodePins.count(found.flatMap(\.pins))): "
                + "for which hosts cannot be told",
            hints: lines.prefix(Self.mostLines) + (rest > 0 ? ["and \(rest) more"] : []), remedy: .givePinsOfHost)
    }

    private func isCompared(at time: Timestamp) -> Bool { ends.contains { $0.map { time <= $0 } ?? true } }

    private func pinsByApp(at time: Timestamp) -> [(app: CodePins, pins: [Pin])] {
        let isCompared = isCompared(at: time)
        return apps.map { (app: $0, pins: isCompared ? $0.new : $0.found) }.filter { !$0.pins.isEmpty }
    }
}
