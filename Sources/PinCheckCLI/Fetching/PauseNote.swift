import Base
import Synchronization

/// What a signal says of the downloads that it pauses.
final class PauseNote: Sendable {
    private let isQuiet: Bool
    private let files = Mutex<Set<String>>([])

    /// A note that says nothing with `isQuiet`.
    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func keep(_ file: String?, _ isKept: Bool) {
        guard let file, !isQuiet else { return }
        files.withLock { files in
            if isKept { files.insert(file) } else { files.remove(file) }
            Interruption.setFarewell(Self.text(files))
        }
    }

    private static func text(_ files: Set<String>) -> String {
        guard let file = files.first else { return "" }
        guard files.count == 1 else {
            return "Paused: what came of \(files.count) documents is kept, and the same command goes on with them.\n"
        }
        return "Paused: what came is kept in \(quoted(file + PartialFile.suffix, to: 300)), "
            + "and the same command goes on with it.\n"
    }
}
