package import Base
internal import Pinning

/// Is told what probes do while they do it, in sentences for people.
package struct ProbeWatch: Sendable {
    /// Who is told of the probes of a task and its children, `nil` where nobody asks.
    @TaskLocal package static var current: ProbeWatch?

    private let tell: @Sendable (SafeText) -> Void

    /// A watch that hands sentences to `tell`, on whatever thread they come from.
    package init(_ tell: @escaping @Sendable (SafeText) -> Void) { self.tell = tell }

    package func callAsFunction(_ sentence: SafeText) { tell(sentence) }
}

extension ProbeRequest {
    /// What is particular about the connection, in brackets behind a blank.
    var wayInWords: SafeText {
        var parts: [SafeText] = [serverNameIndication.map { "SNI \($0.name)" } ?? "no SNI"]
        parts.append(
            minimumTLS == maximumTLS ? "TLS \(minimumTLS.number)" : "TLS \(minimumTLS.number) to \(maximumTLS.number)")
        if let keyType { parts.append("\(keyType.rawValue) certificates alone") }
        if let proxy { parts.append("through \(proxy.url)") }
        return " (" + parts.dropFirst().reduce(parts[0]) { $0 + ", " + $1 } + ")"
    }
}

extension ProbeWatch {
    func callAsFunction(_ result: Result<Handshake, ProbeError>, of target: String) {
        switch result {
        case .success(let result):
            let count = result.presented.certificates.count
            let milliseconds = Int(result.timings.handshake / .milliseconds(1))
            self(
                """
                \(target): handshake done in \(milliseconds) ms: \(result.tlsVersion) \(result.cipher), \
                \(count) certificate\(count == 1 ? "" : "s")
                """)
        case .failure(let error): self("\(target): \(error)")
        }
    }
}
