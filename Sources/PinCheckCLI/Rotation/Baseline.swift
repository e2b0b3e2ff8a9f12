import PinFormats
import Rotation
import Text

/// The recorded state that servers are compared with.
struct Baseline: Sendable {
    /// The file as the user named it.
    let path: String
    /// What is recorded.
    let snapshot: Snapshot
    /// Which changes are fine.
    let policy: RotationPolicy
    private let comparison: SnapshotComparison

    /// Reads the baseline at `path`, and what may differ from it.
    init(_ path: String, _ options: RotationOptions, in context: Context) throws(CommandError) {
        policy = try Self.policy(options.allow)
        guard path != "-" || !options.update else {
            throw .usage("--update cannot rewrite standard input: name the file of the baseline")
        }
        snapshot = try SnapshotFile.read(path, in: context)
        self.path = path
        comparison = SnapshotComparison(with: snapshot)
    }

    /// Reads the lists of `--allow`.
    private static func policy(_ lists: [String]) throws(CommandError) -> RotationPolicy {
        do {
            return try RotationPolicy(reading: lists)
        } catch {
            let known = Change.Kind.allCases.map(\.rawValue)
            let guess = Suggestion.nearest(to: error.word, in: known).map { "; did you mean \(quoted($0))?" } ?? ""
            throw .usage("--allow: \(error)\(guess)")
        }
    }

    /// What changed at endpoints of one target, position by position.
    func changes(at endpoints: [Snapshot.Endpoint]) -> [[Change]] {
        let differences = comparison.differences(among: endpoints)
        return endpoints.enumerated().map { index, endpoint in
            let changes = comparison.changes(at: endpoint)
            guard let difference = differences[index] else { return changes }
            return changes.filter { $0.kind != .unchanged } + [difference]
        }
    }

    /// What is recorded of an endpoint, `nil` for nothing.
    func recorded(for endpoint: Snapshot.Endpoint) -> Snapshot.Endpoint? { comparison.recorded(for: endpoint) }

    /// The address that an endpoint is compared with where its own is not recorded.
    func placeElsewhere(for endpoint: Snapshot.Endpoint) -> String? {
        guard let (other, isElsewhere) = comparison.counterpart(for: endpoint), isElsewhere else { return nil }
        return other.place
    }

    /// What is recorded and not among `endpoints`.
    func missing(from endpoints: [Snapshot.Endpoint]) -> [(endpoint: Snapshot.Endpoint, change: Change)] {
        comparison.missing(from: endpoints)
    }
}
