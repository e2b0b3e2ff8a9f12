internal import Synchronization

/// The contexts that a server answers new connections with, which can be changed while it runs.
final class CurrentTLSContext: Sendable {
    private let context: Mutex<TLSServerContext>

    init(_ context: TLSServerContext) { self.context = Mutex(context) }

    /// What a connection gets that begins now; it keeps it to its end.
    var value: TLSServerContext { context.withLock { $0 } }

    /// Gives new connections another one.
    func replace(with newer: TLSServerContext) { context.withLock { $0 = newer } }
}
