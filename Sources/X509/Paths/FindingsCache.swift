internal import Pinning

/// What was found out about chains that were seen lately.
///
/// Many names are served with one certificate, and a verification costs more than the rest of a check. An answer holds for the
/// span of time in which no certificate that took part begins or ceases to be valid. The reference name plays no part in it: it
/// is checked apart, every time.
final class FindingsCache: Sendable {
    /// What an answer depends on, apart from the verifier and the time.
    struct Key: Hashable {
        private var question: PathQuestion
        /// The roots of a device that play a part, where several devices share what is found out.
        private let roots: [Int]

        /// The key of what `platform` finds, `nil` for what all platforms have in common.
        init(_ question: PathQuestion, by platform: Platform?, among roots: [Int] = []) {
            (self.question, self.roots) = (question, roots)
            (self.question.platform, self.question.time) = (platform, Timestamp(secondsSinceEpoch: 0))
            if platform == nil { self.question.evidence = nil }
            if question.policy != .basicX509 { self.question.policy = .sslServer(name: .unchecked) }
        }
    }

    /// An answer, and the span of time it holds for.
    struct Entry: Sendable {
        private(set) var findings: PathFindings
        /// Whether an authority on one of the paths constrains names, so that the name asked for counts after all.
        let hasNameConstraints: Bool
        /// Whether everybody's search would have gone the same way.
        let isUndisputed: Bool
        /// Whether the only valid path is the one that Conscrypt builds.
        let isConscrypts: Bool
        /// Whether there were other certificates at hand than those of the one valid path, so that another could have been built.
        let hasChoice: Bool
        /// Whether a path through two certificates of one authority was left out.
        let hasLeftOutAuthority: Bool
        let isExhausted: Bool
        /// What OpenSSL had against the paths of a disputed search.
        let judgements: [[SHA256Digest]: PathJudge.Judgement]
        fileprivate let span: ClosedRange<Timestamp>
        fileprivate let size: Int

        func with(_ findings: PathFindings) -> Entry {
            var entry = self
            entry.findings = findings
            return entry
        }

        /// An answer for `time`, reached by looking at `certificates`.
        init(
            _ findings: PathFindings, hasNameConstraints: Bool, isUndisputed: Bool = false,
            isConscrypts: Bool = false, hasChoice: Bool = false,
            hasLeftOutAuthority: Bool = false, isExhausted: Bool = false,
            judgements: [[SHA256Digest]: PathJudge.Judgement] = [:], at time: Timestamp,
            by certificates: some Sequence<Certificate>
        ) {
            (self.findings, self.hasNameConstraints) = (findings, hasNameConstraints)
            (self.isUndisputed, self.isConscrypts, self.hasChoice) = (isUndisputed, isConscrypts, hasChoice)
            (self.hasLeftOutAuthority, self.isExhausted) = (hasLeftOutAuthority, isExhausted)
            self.judgements = judgements
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

    /// As many bytes of DER.
    private let entries = BoundedCache<Key, Entry>(sizeLimit: 16 << 20)

    /// The answer that holds at `time`, `nil` when none is known.
    func entry(for key: Key, at time: Timestamp) -> Entry? {
        entries.value(for: key).flatMap { $0.span.contains(time) ? $0 : nil }
    }

    func remember(_ entry: Entry, for key: Key) { entries.remember(entry, for: key, size: entry.size) }
}

/// What verifiers find out for each other that differ only in which roots of one bundle they trust, as those of several devices do.
///
/// A search comes to the same on two devices that have the same of the roots which it could come across. That is most of them: a
/// chain is then searched once, whatever number of devices judge it.
package final class SharedFindings: Sendable {
    let cache = FindingsCache()
    let names = NameFindings()
    /// As many bytes of DER.
    private let reaches = BoundedCache<FindingsCache.Key, [Int]>(sizeLimit: 16 << 20)

    package init() {}

    /// The selected ones of the roots that a search could come across, where it would end or be told by the rules of a platform.
    func reachable(in store: TrustStore, by question: PathQuestion) -> [Int] {
        guard let selection = store.selection else { return [] }
        let key = FindingsCache.Key(question, by: nil)
        if let known = reaches.value(for: key) { return known.filter(selection.holds) }
        var certificates = question.presented.certificates + question.intermediates + question.fetchable
        // A root of the device is a public one there, whatever makes it an anchor.
        switch question.anchors {
        case .trustStore: break
        case .only(let anchors), .trustStoreAnd(let anchors): certificates += anchors
        }
        let reach = store.reach(from: certificates.compactMap { PathNode($0) })
        reaches.remember(reach, for: key, size: certificates.reduce(0) { $0 + $1.der.count })
        return reach.filter(selection.holds)
    }
}
