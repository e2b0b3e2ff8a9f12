internal import COpenSSL

/// What a failed OpenSSL call left in this thread's error queue.
struct OpenSSLErrors {
    private let codes: [UInt]

    /// Empties the queue before a call, so that what is taken after it belongs to that call.
    static func clear() { ERR_clear_error() }

    /// Takes all entries, oldest first, and leaves the queue empty.
    ///
    /// To be called right after the call that failed.
    static func take() -> OpenSSLErrors {
        var codes: [UInt] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            codes.append(code)
        }
        return OpenSSLErrors(codes: codes)
    }

    /// The reason of the entry that libssl itself made: what went wrong in terms of TLS.
    var tlsReason: Int32? { codes.first { ERR_GET_LIB($0) == ERR_LIB_SSL }.map { ERR_GET_REASON($0) } }

    /// OpenSSL reports an alert it received as this number plus the alert's (`SSL_AD_REASON_OFFSET`).
    private static let alertOffset: Int32 = 1000

    /// The alert that the other side sent, `nil` when the call failed for something else.
    var alert: TLSAlert? { tlsReason.flatMap { UInt8(exactly: $0 - Self.alertOffset) }.map(TLSAlert.init) }

    /// OpenSSL's words for it, or for the first entry of another library.
    var text: String {
        guard let code = codes.first(where: { ERR_GET_LIB($0) == ERR_LIB_SSL }) ?? codes.first else {
            return "OpenSSL states no reason"
        }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "OpenSSL error \(String(code, radix: 16))"
    }
}
