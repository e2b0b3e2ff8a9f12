import Pinning

/// The results for recently seen chains: many names are served with one certificate.
///
/// A result is valid until a certificate that took part begins or ceases to be valid, and for any server name.
/// Verifiers that trust roots of one bundle share it, if they agree about the roots that a search can reach.
package final class FindingsCache: Sendable {
    /// All that a result depends on, apart from the verifier and the time.
    struct Key: Hashable {
        private var question: PathQuestion
        /// The roots of a device that a search can reach, if several devices share the results.
        private let roots: [Int]

        /// The key of the results for `platform`; `nil` means those common to all platforms.
        init(_ question: PathQuestion, by platform: Platform?, among roots: [Int] = []) {
            self.question = question
            self.roots = roots
            self.question.platform = platform
            self.question.time = Timestamp(secondsSinceEpoch: 0)
            if platform == nil { self.question.evidence = nil }
            if question.policy != .basicX509 { self.question.policy = .sslServer(name: .unchecked) }
        }
    }

    struct Entry {
        private(set) var findings: PathFindings
        /// `true` if a CA on one of the paths constrains names, so that the server's name counts after all.
        var hasNameConstraints = false
        var isUndisputed = false
        /// `true` if the only valid path is the one that Conscrypt builds.
        var isConscrypts = false
        /// `true` if the certificates at hand allow another path than the first valid one.
        var hasChoice = false
        var hasLeftOutAuthority = false
        var isExhausted = false
        var judgements: [[SHA256Digest]: PathJudge.Judgement] = [:]
        fileprivate let span: ClosedRange<Timestamp>
        fileprivate let size: Int

        func with(_ findings: PathFindings) -> Entry {
            var entry = self
            entry.findings = findings
            return entry
        }

        init(_ findings: PathFindings, at time: Timestamp, by certificates: some Sequence<Certificate>) {
            self.findings = findings
            var first = Int64.min
            var last = Int64.max
            var size = 0
            let now = time.secondsSinceEpoch
            for certificate in certificates {
                size += certificate.der.count
                let (begin, end) = (certificate.notBefore.secondsSinceEpoch, certificate.notAfter.secondsSinceEpoch)
                if begin <= now { first = max(first, begin) } else { last = min(last, begin - 1) }
                if end >= now { last = min(last, end) } else { first = max(first, end + 1) }
            }
            span = Timestamp(secondsSinceEpoch: first)...Timestamp(secondsSinceEpoch: last)
            self.size = size
        }
    }

    private let entries = BoundedCache<Key, Entry>(sizeLimit: 16 << 20)
    private let reaches = BoundedCache<Key, [Int]>(sizeLimit: 16 << 20)

    package init() {}

    func entry(for key: Key, at time: Timestamp) -> Entry? {
        entries.value(for: key).flatMap { $0.span.contains(time) ? $0 : nil }
    }

    func remember(_ entry: Entry, for key: Key) { entries.remember(entry, for: key, size: entry.size) }

    /// The positions of the selected roots that a search could reach, at ends of paths or by a platform's rules.
    func reachable(in store: TrustStore, by question: PathQuestion) -> [Int] {
        guard let selection = store.selection else { return [] }
        let key = Key(question, by: nil)
        if let known = reaches.value(for: key) { return known.filter(selection.holds) }
        // An anchor that is also a root of the device counts as a public root.
        let certificates =
            question.presented.certificates + question.intermediates + question.fetchable + question.anchors.own
        let reach = store.reach(from: certificates.compactMap(\.node))
        reaches.remember(reach, for: key, size: certificates.reduce(0) { $0 + $1.der.count })
        return reach.filter(selection.holds)
    }
}
