internal import COpenSSL

// The C library of the system, which every file has that imports LoopbackLab.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Darwin)
@_exported public import Darwin
#endif

/// What kept the lab from issuing a certificate or from running a server.
package enum LabError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A call into OpenSSL failed: its name and the reasons from OpenSSL's error queue.
    case openSSL(operation: String, reason: String)
    /// A system call failed: what was attempted and the value of `errno`.
    case system(operation: String, code: Int32)
    /// The combination that was asked for does not exist; the text says which and what does.
    case unsupported(String)

    package var description: String {
        switch self {
        case .openSSL(let operation, let reason): "OpenSSL could not \(operation): \(reason)"
        case .system(let operation, let code): "cannot \(operation): \(String(cString: strerror(code)))"
        case .unsupported(let combination): "not supported by the loopback lab: \(combination)"
        }
    }

    /// An error of the OpenSSL call that just failed on this thread.
    ///
    /// Empties the thread's error queue.
    static func openSSL(_ operation: String) -> LabError {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return .openSSL(
            operation: operation, reason: reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; "))
    }

    /// An error of the system call that just failed on this thread.
    static func system(_ operation: String) -> LabError { .system(operation: operation, code: errno) }
}
