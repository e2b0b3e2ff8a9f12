import Base
import PinChecking
import PinFormats
import Pinning

extension Report {
    /// The id of the reason of a result that says that there is none.
    static let missingResult = "no-result"

    /// That no run has a result of a target that was to be checked: it has no verdict.
    ///
    /// - Parameters:
    ///   - target: the target.
    ///   - place: where it is listed.
    ///   - shard: the part it would have been in, where that is known.
    ///   - time: the moment of the merging.
    init(missing target: String, at place: PinPlace?, of shard: Shard?, time: Timestamp) {
        let origin = place.map { " (\($0))" } ?? ""
        let reason = Message(id: Self.missingResult, message: "no file has a result of it" + origin)
        self.init(
            target: target, shard: shard, evaluatedAt: time.description, presented: [], built: [], builtIsValid: false,
            pins: Pins(mode: "none", configured: [], matched: []), checks: [], clients: [], warnings: [], notes: [],
            verdict: .none, reason: reason, exit: Exit(.unreachable),
            monitoring: Monitoring(status: .unreachable, reason: reason, statusOfRun: .unreachable))
    }
}
