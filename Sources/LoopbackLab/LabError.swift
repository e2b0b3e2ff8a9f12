import COpenSSL

// The C library of the system, for every file that imports LoopbackLab.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Darwin)
@_exported public import Darwin
#endif

package struct LabError: Error, Hashable, CustomStringConvertible {
    package let description: String

    /// An error for a combination that the lab cannot make, which says what to use instead.
    package static func unsupported(_ combination: String) -> Self {
        Self(description: "the loopback lab refuses: \(combination)")
    }

    /// An error for the OpenSSL call that just failed on this thread, whose error queue it empties.
    static func openSSL(_ operation: String) -> Self {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        let reason = reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
        return Self(description: "OpenSSL could not \(operation): \(reason)")
    }

    static func system(_ operation: String) -> Self {
        Self(description: "cannot \(operation): \(String(cString: strerror(errno)))")
    }
}
