import Base
import PinChecking
import PinFormats

/// The targets that were to be checked, held against the results there are.
struct MissingTargets {
    /// A target without a result.
    struct Item {
        let title: String
        let place: PinPlace?
        /// The part that it is in, where that is known.
        let shard: Report.Shard?
    }

    /// Those without a result, in the order of the lists.
    private(set) var items: [Item] = []
    /// What of them has been met in the lists.
    private(set) var expectations: MergedRuns.Expectations

    /// Goes through the targets of lists and policies.
    ///
    /// - Throws: ``CommandError`` for lists that cannot be read, and where there is no target in them.
    init(_ given: GivenTargets, in runs: MergedRuns, _ context: Context) throws(CommandError) {
        expectations = runs.expectations
        try given.visit(in: context) { target in
            guard !self.expectations.take(target) else { return }
            items.append(Item(title: target.title, place: target.place, shard: runs.part(of: target)))
        }
    }
}
