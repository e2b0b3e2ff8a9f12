/// A client that looks up TLSA records (RFC 6698, RFC 7671), which are taken as secured by DNSSEC.
public struct DANE: ClientProcedure {
    /// The records of the server, one of which must hold.
    public let records: [TLSARecord]
    /// The positions of the records of each usage that count.
    private let counting: [TLSARecord.Usage: [Int]]

    /// The name users choose this client by.
    public var name: String { "dane" }

    /// A client that found these records.
    ///
    /// - Throws: ``ClientConfigurationError`` when there are none: without records there is no DANE.
    public init(records: [TLSARecord]) throws(ClientConfigurationError) {
        guard !records.isEmpty else {
            throw ClientConfigurationError(client: "dane", message: "there are no TLSA records: pin '3 1 1 HEX'")
        }
        self.records = records
        counting = Self.counting(records)
    }

    /// None: the records decide, and what they leave is the verifier's.
    public var platform: Platform? { nil }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison { .nothing }

    /// Decides as RFC 7671 says: the leaf by itself first, then anchors, then constraints on the system's trust.
    public func evaluate(_ observation: Observation, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        if let verdict = leafAlone(&run) { return verdict }
        if let verdict = pinnedAnchors(&run) { return verdict }
        return constraints(&run)
    }

    /// Usage 3: the leaf is what the record says; neither names nor dates count (RFC 7671, 5.1).
    private func leafAlone(_ run: inout ProcedureRun<some PathVerifier>) -> Verdict? {
        let leaf = run.observation.presented.leaf
        let candidates = indices(of: .leaf)
        guard let index = candidates.first(where: { records[$0].matches(leaf, run.verifier) }) else {
            if !candidates.isEmpty { run.skip("dane-ee", "no record of usage 3 is for the leaf") }
            return nil
        }
        run.skip("name", "usage 3 ignores names")
        run.skip("trust", "usage 3 ignores authorities and dates")
        run.pass("pins", "\(words(index)) is for the leaf")
        let chain = pathByOtherRecords(run) ?? run.leafAlone
        return run.verdict(
            .pinMatched(PinMatch(pinIndex: index, depth: 0)), on: chain, matches: matches(on: chain, run.verifier))
    }

    /// The path on which records of other usages would hold if none of usage 3 did: they hold on when the leaf is another.
    private func pathByOtherRecords(_ run: ProcedureRun<some PathVerifier>) -> BuiltChain? {
        guard records.contains(where: { $0.usage != .leaf }) else { return nil }
        var trial = ProcedureRun(run.observation, pins: run.pins, verifier: run.verifier, platform: run.platform)
        let verdict = pinnedAnchors(&trial) ?? constraints(&trial)
        return verdict.isAccepted ? verdict.builtChain : nil
    }

    /// Which records hold where on a path.
    private func matches(on chain: BuiltChain, _ verifier: some PathVerifier) -> [PinMatch] {
        let counting = TLSARecord.Usage.allCases.flatMap(indices).sorted()
        return chain.certificates.enumerated().flatMap { depth, certificate in
            counting.filter { index in
                records[index].usage.place.covers(depth) && records[index].matches(certificate, verifier)
            }.map { PinMatch(pinIndex: $0, depth: depth) }
        }
    }

    /// A record as messages name it: its place among several, its usage, and what it is.
    private func words(_ index: Int) -> String {
        let record = records[index]
        let number = records.count > 1 ? "record \(index + 1) of \(records.count)" : "the record"
        let hash = record.matching == .full ? "" : "'s \(record.matching == .sha256 ? "SHA-256" : "SHA-512")"
        return
            "\(number) (usage \(record.usage.rawValue), the \(record.selector == .certificate ? "certificate" : "key")\(hash))"
    }

    /// Usage 2: the record names the anchor, which must be presented unless the record holds the whole certificate or key.
    ///
    /// It names an authority: a record of the leaf itself makes it none.
    private func pinnedAnchors(_ run: inout ProcedureRun<some PathVerifier>) -> Verdict? {
        let candidates = indices(of: .trustAnchor)
        guard !candidates.isEmpty else { return nil }
        let recorded = recordedAuthorities(run.verifier)
        let anchors = (run.observation.presented.certificates.dropFirst() + recorded).filter { certificate in
            certificate != run.observation.presented.leaf
                && candidates.contains { records[$0].matches(certificate, run.verifier) }
        }
        // A whole key needs no certificate of its own: what it signed will do (RFC 7671, 5.2.3).
        let keys = candidates.filter { records[$0].matching == .full && records[$0].selector == .publicKey }
        guard !anchors.isEmpty || !keys.isEmpty else { return skipAnchors(&run) }
        let result = run.evaluate(
            run.serverPolicy, anchors: .only(anchors), anchorKeys: keys.map { records[$0].data },
            alsoPresented: recorded)
        guard result.isTrusted, let anchor = result.builtChain.certificates.last else {
            guard !anchors.isEmpty || !result.failures.contains(where: \.isMissingAnchor) else {
                return skipAnchors(&run)
            }
            // The constraints of other records may still hold; if not, this is the reason to tell.
            return indices(of: .authorityConstraint).isEmpty && indices(of: .leafConstraint).isEmpty
                ? rejectAnchored(result, &run) : nil
        }
        run.recordServerTrust(result, leadsTo: "the authority a record names")
        let depth = result.builtChain.certificates.count - 1
        let found = record(of: anchor, isAnchor: anchors.contains(anchor), candidates, keys, run.verifier)
        run.pass(
            "pins",
            anchors.contains(anchor)
                ? "\(words(found)) is for the authority at depth \(depth)"
                : "the key in \(words(found)) signed the certificate at depth \(depth)")
        let match = PinMatch(pinIndex: found, depth: depth)
        // The path ends at the first authority a record names; those above show which others hold on when that is replaced.
        let chain = farthest(result)
        let others = matches(on: chain, run.verifier).filter { $0 != match }
        return run.verdict(.pinMatched(match), on: chain, matches: others + [match])
    }

    /// The longest valid path that begins with the preferred one.
    private func farthest(_ result: TrustResult) -> BuiltChain {
        guard let preferred = result.validPaths.first else { return result.builtChain }
        let longer = result.validPaths.filter { $0.certificates.starts(with: preferred.certificates) }
        return .verified(longer.max { $0.certificates.count < $1.certificates.count } ?? preferred)
    }

    /// The record by which a path ended at `anchor`: the first of `candidates` that names it, or of `keys` that signed it.
    private func record(
        of anchor: Certificate, isAnchor: Bool, _ candidates: [Int], _ keys: [Int], _ verifier: some PathVerifier
    ) -> Int {
        let found =
            isAnchor
            ? candidates.first { records[$0].matches(anchor, verifier) }
            : keys.first { verifier.isSigned(anchor, byKey: records[$0].data) }
        return found ?? candidates[0]
    }

    /// Says that no record of usage 2 plays a part.
    private func skipAnchors(_ run: inout ProcedureRun<some PathVerifier>) -> Verdict? {
        run.skip("dane-ta", "no record of usage 2 is for a presented authority: servers must send the anchor")
        return nil
    }

    private func rejectAnchored(_ result: TrustResult, _ run: inout ProcedureRun<some PathVerifier>) -> Verdict {
        run.recordServerTrust(result, leadsTo: "the authority a record names")
        run.skip("pins", "not compared: no valid path leads to the authority a record names")
        let isMismatch = result.failures.allSatisfy(\.isMissingAnchor)
        return run.verdict(
            isMismatch ? .pinMismatch : .untrusted(result.failures), on: result.builtChain,
            matches: matches(on: result.builtChain, run.verifier))
    }

    /// Usages 0 and 1: the system must trust a path on which the record holds.
    private func constraints(_ run: inout ProcedureRun<some PathVerifier>) -> Verdict {
        let authorities = indices(of: .authorityConstraint)
        let leaves = indices(of: .leafConstraint)
        let system = run.evaluate(run.serverPolicy, alsoPresented: recordedAuthorities(run.verifier))
        guard !authorities.isEmpty || !leaves.isEmpty else {
            run.fail("pins", "no record is for this server")
            return run.verdict(
                .pinMismatch, on: system.builtChain, matches: matches(on: system.builtChain, run.verifier))
        }
        run.recordServerTrust(system)
        guard system.isTrusted else {
            run.skip("pins", "usages 0 and 1 need a chain the system trusts")
            return run.verdict(
                .untrusted(system.failures), on: system.builtChain,
                matches: matches(on: system.builtChain, run.verifier))
        }
        for path in system.validPaths {
            for (depth, certificate) in path.certificates.enumerated() {
                let candidates = depth == 0 ? leaves : authorities
                guard let index = candidates.first(where: { records[$0].matches(certificate, run.verifier) }) else {
                    continue
                }
                run.pass("pins", "\(words(index)) holds at depth \(depth)")
                return run.verdict(
                    .pinMatched(PinMatch(pinIndex: index, depth: depth)), on: .verified(path),
                    matches: matches(on: .verified(path), run.verifier))
            }
        }
        run.fail("pins", "no record holds on any path the system trusts")
        return run.verdict(.pinMismatch, on: system.builtChain, matches: matches(on: system.builtChain, run.verifier))
    }

    /// The certificates of authorities that records hold whole: servers need not present those, and paths through them are as good
    /// as those through what is presented.
    private func recordedAuthorities(_ verifier: some PathVerifier) -> [Certificate] {
        records.filter { record in
            (record.usage == .authorityConstraint || record.usage == .trustAnchor) && record.selector == .certificate
                && record.matching == .full
        }.compactMap { verifier.certificate(der: $0.data) }
    }

    private func indices(of usage: TLSARecord.Usage) -> [Int] { counting[usage] ?? [] }

    /// The records of each usage that count: of hashes for the same selector only the strongest (RFC 7671, 9).
    private static func counting(_ records: [TLSARecord]) -> [TLSARecord.Usage: [Int]] {
        let strong = records.filter { $0.matching == .sha512 }
        let selectors = Dictionary(grouping: strong, by: \.usage).mapValues { Set($0.map(\.selector)) }
        let indices = records.indices.filter { index in
            let record = records[index]
            return record.matching != .sha256 || selectors[record.usage]?.contains(record.selector) != true
        }
        return Dictionary(grouping: indices) { records[$0].usage }
    }
}

extension TLSARecord.Usage {
    /// Where on the path a record of this usage is compared.
    fileprivate var place: PinComparison.Place {
        switch self {
        case .leafConstraint, .leaf: .leaf
        case .authorityConstraint, .trustAnchor: .authorities
        }
    }
}
