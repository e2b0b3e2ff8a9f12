import Base
import Synchronization

/// The modules as they were read last.
final class ProbeModules: Sendable {
    struct Reading: Sendable {
        var number = 0
        let modules: [String: ProbeModule]

        /// The names, in their order.
        var names: [String] { modules.keys.sorted() }
    }

    private let current: Mutex<Reading>
    private let read: @Sendable () throws(CommandError) -> Reading

    init(_ read: @escaping @Sendable () throws(CommandError) -> Reading) throws(CommandError) {
        self.read = read
        current = Mutex(try read())
    }

    var reading: Reading { current.withLock { $0 } }

    /// Reads the modules again; those in force stay where that fails.
    func readAgain() throws(CommandError) -> Reading {
        var reading = try read()
        return current.withLock { current in
            reading.number = current.number + 1
            current = reading
            return reading
        }
    }
}
