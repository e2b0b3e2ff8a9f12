internal import NIOCore

/// What all probes of one event loop share.
///
/// Sendable because everything that changes is touched on the event loop only.
final class ProbeWorkshop: @unchecked Sendable {
    let loop: any EventLoop
    let lookups: LookupThreads
    /// The probes on their way.
    var attempts: [ObjectIdentifier: ProbeAttempt] = [:]
    private var madeContext: TLSContext?

    init(loop: any EventLoop, lookups: LookupThreads) {
        self.loop = loop
        self.lookups = lookups
    }

    /// The context, made when it is first asked for.
    func context() throws(OpenSSLSetUpError) -> TLSContext {
        if let madeContext { return madeContext }
        let context = try TLSContext()
        madeContext = context
        return context
    }

    /// Makes the context ahead of its use; a failure shows when it is used.
    func prepareContext() {
        _ = try? context()
    }
}
