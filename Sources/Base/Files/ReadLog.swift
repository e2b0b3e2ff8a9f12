internal import Synchronization

/// The files that were read: so that none of them is written over.
package final class ReadLog: Sendable {
    /// The log of the run that a task belongs to, `nil` where none is kept.
    @TaskLocal package static var current: ReadLog?

    private let paths = Mutex<Set<String>>([])

    package init() {}

    package func holds(_ identity: FileIdentity) -> Bool {
        paths.withLock { $0 }.contains { FileIdentity(ofFile: $0) == identity }
    }

    func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }
}
