import Base
import PinFormats
import Pinning

/// The pins in the code of apps, and their effect on one target.
///
/// No client compares them. If no client compares another pin either, an acceptance would say nothing about the app.
enum AppCode {
    case nothing
    /// Clients compare other pins, or follow the app's configuration and no code.
    case beside([Finding])
    /// No client compares a pin for the target.
    case alone([(app: CodePins, pins: [Pin])])

    private static let mostLines = 20

    var warnings: [Finding] { if case .beside(let findings) = self { findings } else { [] } }

    func obstacle(_ host: String) -> Reason? {
        guard case .alone(let found) = self, let app = found.first?.app else { return nil }
        let lines = found.flatMap { $0.app.lines($0.pins) }
        let rest = lines.count - Self.mostLines
        return Reason(
            FindingID.pinsInCode.word,
            "\(app.place): nothing that was read pins \(host), and \(CodePins.count(found.flatMap(\.pins))): "
                + "for which hosts cannot be told",
            hints: lines.prefix(Self.mostLines)
                + (rest > 0 ? ["and \(rest) more"] : []),
            remedy: .givePinsOfHost)
    }
}

extension PinSources {
    /// The effect of code on a target that `clients` judge at a time; `isNamed` if the user chose them.
    func code(
        beside clients: [ConfiguredClient], for name: ReferenceName, at time: Timestamp?, isNamed: Bool
    ) -> AppCode {
        let isCompared = clients.contains { $0.comparesPins(for: name, at: time) }
        let found = code.map { (app: $0, pins: isCompared ? $0.new : $0.found) }.filter { !$0.pins.isEmpty }
        guard !found.isEmpty else { return .nothing }
        // Such clients read the configuration and no code.
        let followsConfiguration = isNamed && clients.allSatisfy { $0.client.bindsAppBy != nil }
        guard isCompared || followsConfiguration else { return .alone(found) }
        return .beside(
            found.map { app, pins in
                let texts = pins.map { "\(shortened(app.file(of: $0), isPublic: true)): \($0.spkiSHA256)" }
                return .warning(
                    .pinsInCode,
                    "\(app.place): \(CodePins.count(pins)) beside what was judged (\(listed(texts))): for which hosts cannot be told"
                )
            })
    }
}

extension ConfiguredClient {
    /// `true` if a pin decides about servers of this name: one that has expired or is not enforced does not.
    func comparesPins(for name: ReferenceName, at time: Timestamp?) -> Bool {
        guard case .success(let procedure) = procedure else { return false }
        let comparison = procedure.comparison(with: pins, for: name)
        let isExpired = comparison.expiration.map { end in time.map { end < $0 } ?? false } ?? false
        return !comparison.conditions.isEmpty && comparison.isEnforced && !isExpired
    }
}
