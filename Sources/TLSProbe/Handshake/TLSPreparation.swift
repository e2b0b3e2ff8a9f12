internal import COpenSSL
import X509

/// The set-up of OpenSSL on a thread of its own, while the process reads its arguments and files.
///
/// It is half of what a check does before its first packet, and needs nothing that a user says.
/// Sendable because the thread alone touches the context until it has ended, and the event loop alone everything after that.
final class TLSPreparation: @unchecked Sendable {
    private var thread: SystemThread?
    private var context: TLSContext?

    /// Begins.
    init() {
        thread = SystemThread { self.prepare() }
    }

    /// Waits for the context and hands it over, once; `nil` when there is none or it has been taken.
    func takeContext() -> TLSContext? {
        guard let thread else { return nil }
        thread.join()
        self.thread = nil
        defer { context = nil }
        return context
    }

    private func prepare() {
        // Who needs OpenSSL meanwhile waits here instead of doing the same work beside it.
        _ = Hashing.isAvailable
        OpenSSLNames.learn()
        // OpenSSL would do this when it parses the first certificate.
        OSSL_DECODER_do_all_provided(nil, { _, _ in }, nil)
        context = try? TLSContext()
    }
}
