internal import Pinning

/// How long one condition that the pins have to fulfil will hold.
struct DemandStanding: Sendable, Hashable {
    /// What fulfils the condition now.
    struct Holding: Sendable, Hashable {
        /// Where on the path; of several places the highest, which the fewest changes reach.
        let role: Outlook.End
        /// The last moment at which it can go on so.
        let until: Timestamp
        /// Whether a certificate is compared, which no other satisfies.
        let isWholeCertificate: Bool
    }

    /// `nil` when nothing does.
    let holding: Holding?
    /// Whether every certificate of the path is needed.
    let isForEveryCertificate: Bool
    /// The positions of the pins that match.
    let matched: Set<Int>
    /// The positions of pins that match nothing yet, still can, and are for a key that is not in use.
    ///
    /// Where every certificate has to match, none helps unless there is one for each.
    let backups: [Int]
    /// After when no pin is sure to fulfil the condition; `nil` where a backup has no end, or none does now.
    let noPinAfter: Timestamp?

    /// - Parameters:
    ///   - demand: the condition.
    ///   - question: what the outlook is made from.
    ///   - matchesByPin: its matches on the path, by the positions of the pins.
    init(_ demand: PinComparison.Demand, in question: OutlookQuestion, _ matchesByPin: [Int: [PinMatch]]) {
        let path = question.path
        let holds = demand.uses.flatMap { use in
            (matchesByPin[use.pinIndex] ?? []).filter { use.place.covers($0.depth) }.map { (use: use, depth: $0.depth) }
        }
        let matched = Set(holds.map(\.use.pinIndex))
        let later = demand.uses.filter { !matched.contains($0.pinIndex) && question.canStillMatch($0) }
        // Another certificate for a key in use does not help when that key is lost.
        let candidates = later.filter { !question.pins[$0.pinIndex].isInUse }
        self.matched = matched
        switch demand {
        case .any:
            isForEveryCertificate = false
            holding = holds.max { $0.depth < $1.depth }.map { highest in
                Holding(
                    role: Outlook.End(at: highest.depth, of: path), until: path[highest.depth].notAfter,
                    isWholeCertificate: holds.contains { $0.depth == highest.depth && $0.use.isWholeCertificate }
                        && !holds.contains { $0.depth == highest.depth && !$0.use.isWholeCertificate })
            }
            backups = candidates.map(\.pinIndex)
            // A key in use that does not match where it is looked for is no help; another certificate for it is.
            let helping = later.filter { !question.pins[$0.pinIndex].isInUse || $0.isWholeCertificate }
            noPinAfter = Self.lastEnd(of: helping, after: holding?.until, question)
        case .every:
            isForEveryCertificate = true
            let isHeld = path.indices.allSatisfy { depth in holds.contains { $0.depth == depth } }
            let first = path.map(\.notAfter).min()
            holding = first.flatMap { until in
                isHeld
                    ? Holding(
                        role: .leafRenewal, until: until, isWholeCertificate: holds.allSatisfy(\.use.isWholeCertificate)
                    ) : nil
            }
            let isComplete = Self.canReplace(path, candidates, question)
            backups = isComplete ? candidates.map(\.pinIndex) : []
            noPinAfter = isComplete ? Self.lastEnd(of: candidates, after: holding?.until, question) : holding?.until
        }
    }

    /// Whether there is a pin for each certificate of a path of its own.
    private static func canReplace(
        _ path: [Certificate], _ uses: [PinComparison.Use], _ question: OutlookQuestion
    ) -> Bool {
        let certificates = uses.map { question.pins[$0.pinIndex].certificate }
        let authorities = certificates.count { $0?.basicConstraints?.isCertificateAuthority == true }
        // A certificate is a server's or an authority's; of a hash nobody can tell.
        return Set(uses.map(\.pinIndex)).count >= path.count && authorities < uses.count
            && certificates.count { $0?.basicConstraints?.isCertificateAuthority != false } >= path.count - 1
    }

    /// The last moment at which one of the pins can match, `nil` where one has no end.
    private static func lastEnd(
        of uses: [PinComparison.Use], after end: Timestamp?, _ question: OutlookQuestion
    ) -> Timestamp? {
        guard var last = end else { return nil }
        for use in uses {
            guard use.isWholeCertificate, let certificate = question.pins[use.pinIndex].certificate else { return nil }
            last = max(last, certificate.notAfter)
        }
        return last
    }
}

extension Outlook.End {
    /// What ends a pin for the certificate at `depth`.
    fileprivate init(at depth: Int, of path: [Certificate]) {
        guard depth > 0 else {
            self = .leafRenewal
            return
        }
        self = depth == path.count - 1 && path[depth].isSelfIssued ? .rootExpiry : .intermediateExpiry
    }
}
