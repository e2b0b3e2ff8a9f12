import PinChecking
import Pinning
import X509

/// What tells a job from others: where it goes, and the names that go with it.
///
/// 16 bytes, of which millions fit into memory.
struct ResultKey: Hashable {
    private let first: UInt64
    private let second: UInt64

    /// The key of values as JSON has them.
    init(parts: [ArraySlice<UInt8>]) {
        let digest = Hashing.sha256(Array(parts.joined(separator: [UInt8(ascii: "\n")]))).bytes
        first = digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        second = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The key of a job, which is that of its result.
    init(_ job: CheckJob) {
        let endpoint = EndpointFacts(job.endpoint, peer: nil)
        let name = job.endpoint.referenceName == .unchecked ? nil : job.endpoint.referenceName.description
        func text(_ value: String?) -> ArraySlice<UInt8> {
            var output = JSONOutput(depth: nil)
            if let value { output.write(value) } else { output.writeNull() }
            return output.bytes[...]
        }
        var parts = [text(job.endpoint.target), text(name), text(endpoint.host)]
        if !job.hasVariants {
            let place = endpoint.resolvedName ?? endpoint.address?.description
            parts += [text(endpoint.serverName), Array(String(endpoint.port).utf8)[...], text(place)]
        }
        self.init(parts: parts)
    }
}
