internal import Pinning
internal import Synchronization

/// What verifiers find out for each other that differ only in which roots of one bundle they trust, as those of several devices do.
///
/// A search comes to the same on two devices that have the same of the roots which it could come across. That is most of them: a
/// chain is then searched once, whatever number of devices judge it.
package final class SharedFindings: Sendable {
    /// What was found out, by the question and the roots.
    let cache = FindingsCache()
    /// What was found out about the names of leaves.
    let names = NameFindings()
    private let reaches = Mutex<[FindingsCache.Key: [Int]]>([:])
    private static let countLimit = 1_024

    /// Nothing is found out so far.
    package init() {}

    /// The selected ones of the roots that a search could come across, where it would end or be told by the rules of a platform.
    func reachable(in store: TrustStore, by question: PathQuestion) -> [Int] {
        guard let selection = store.selection else { return [] }
        let key = FindingsCache.Key(question, by: nil)
        let reach: [Int]
        if let known = reaches.withLock({ $0[key] }) {
            reach = known
        } else {
            var certificates = question.presented.certificates + question.intermediates + question.fetchable
            // A root of the device is a public one there, whatever makes it an anchor.
            switch question.anchors {
            case .trustStore: break
            case .only(let anchors), .trustStoreAnd(let anchors): certificates += anchors
            }
            reach = store.reach(from: certificates.compactMap { PathNode($0) })
            reaches.withLock { reaches in
                if reaches.count >= Self.countLimit { reaches = [:] }
                reaches[key] = reach
            }
        }
        return reach.filter(selection.holds)
    }
}
