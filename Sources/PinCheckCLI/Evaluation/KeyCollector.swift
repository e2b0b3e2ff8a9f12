import PinFormats
import Pinning
import TLSProbe
import X509

/// Gets the keys of servers and files.
struct KeyCollector: Sendable {
    let verifier: OpenSSLPathVerifier
    let trust: Evaluation.Trust
    let time: Timestamp
    /// How often to try again when there was no answer.
    let retries: Int

    /// Connects to every endpoint, at most `limit` at the same time, and returns what came of them in their order.
    func sources(_ endpoints: [CheckEndpoint], with prober: RetryingProber, inFlight limit: Int) async -> [KeySource] {
        if let endpoint = endpoints.first, endpoints.count == 1 { return [await source(endpoint, with: prober)] }
        return await withTaskGroup(of: (Int, KeySource).self) { group in
            var sources = [KeySource?](repeating: nil, count: endpoints.count)
            var next = 0
            func start() {
                guard next < endpoints.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await source(endpoints[index], with: prober)) }
            }
            for _ in 0..<min(limit, endpoints.count) { start() }
            for await (index, source) in group {
                sources[index] = source
                start()
            }
            return sources.compactMap { $0 }
        }
    }

    private func source(_ endpoint: CheckEndpoint, with prober: RetryingProber) async -> KeySource {
        do {
            let result = try await prober.probe(endpoint.request, retries: retries)
            return KeySource(endpoint, result, verifier: verifier, trust: trust, time: time)
        } catch {
            return KeySource(endpoint, error)
        }
    }

    /// The keys of the file an argument names, `nil` when it names none and has to be a target.
    static func file(_ argument: String, in context: Context) throws(CommandError) -> KeySource? {
        if argument == "-" {
            let bytes = try context.readStandardInput()
            return try reading { () throws(PinFormatError) in
                let name = "standard input"
                return KeySource(file: name, items: try PinItemReader.items(in: bytes, name: name))
            }
        }
        guard PinItemReader.isThere(argument) else {
            guard !isMeantAsFile(argument) else { throw .noInput("\(quoted(argument)): no such file") }
            return nil
        }
        return try reading { () throws(PinFormatError) in
            KeySource(file: argument, items: try PinItemReader.items(inFile: argument))
        }
    }

    /// The public half of a key file.
    static func keyFile(_ path: String) throws(CommandError) -> KeySource {
        try reading { () throws(PinFormatError) in
            KeySource(file: path, items: [try PinItemReader.publicHalf(ofKeyFile: path)])
        }
    }

    /// Whether an argument can only be a file: none of these endings is a top-level domain.
    private static func isMeantAsFile(_ argument: String) -> Bool {
        if argument.contains("/"), !argument.contains("://") { return true }
        return [".pem", ".cer", ".crt", ".der", ".csr", ".pub", ".key"].contains { argument.lowercased().hasSuffix($0) }
    }

    private static func reading(_ read: () throws(PinFormatError) -> KeySource) throws(CommandError) -> KeySource {
        do {
            return try read()
        } catch {
            throw CommandError(status: error.kind == .missing ? .noInput : .data, description: error.description)
        }
    }
}
