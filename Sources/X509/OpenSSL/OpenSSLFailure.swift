internal import COpenSSL

/// What OpenSSL's error queue said about the last call of this thread.
///
/// The queue belongs to the thread, so it is emptied before a call and read right after it, with no suspension between.
enum OpenSSLFailure {
    /// Forgets earlier errors, so that what is read next belongs to the call in between.
    static func forget() { ERR_clear_error() }

    /// Empties the queue and returns the reason of its first entry, the one nearest to the cause.
    static func takeReason() -> String? {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else { return nil }
        return String(cString: reason)
    }
}
