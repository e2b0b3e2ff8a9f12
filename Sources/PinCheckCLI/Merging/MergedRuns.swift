import Base
import PinChecking
import Pinning

/// What the files of several runs have, target by target, and which of it counts: of results of the same target the newest.
///
/// Of each target a few numbers are held, and none of its documents.
struct MergedRuns {
    /// Something that was come upon several times, the first of them by name.
    struct Tally {
        private(set) var count = 0
        private(set) var names: [String] = []

        /// Adds one, whose name may not be known any more.
        mutating func add(_ name: String? = nil) {
            count += 1
            if let name, names.count < Self.mostNames { names.append(TerminalText.shortened(name, to: 100)) }
        }

        /// Adds some, of which the first are named.
        mutating func add(_ others: Int, named first: some Sequence<String>) {
            count += others
            names += first.prefix(max(0, Self.mostNames - names.count))
        }

        private static let mostNames = 5

        /// As in `a.example:443, b.example:443 and 3 more`, behind a colon; empty without a name.
        var listing: String { names.isEmpty ? "" : ": " + listed(names, of: count) }
    }

    /// Where the results stand that count for a target.
    private struct Place {
        let file: Int32
        let unit: Int32
        let evaluated: Int64
        let title: Int
        let isPlaceholder: Bool
    }

    private var places: [RecordedResult.Identity: Place] = [:]
    /// How many units each file has.
    private var counts: [Int] = []
    /// The parts that there are results of, by what the runs asked of all targets, and by the number of all parts.
    private var shards: [String: [Int: Set<Int>]] = [:]
    /// How many files end within a result, which is missing.
    var tornFiles = 0
    /// Targets of which a result was left out for a newer one.
    private(set) var doubled = Tally()
    /// Targets whose results are not all there, in no file.
    private(set) var broken = Tally()
    /// Those that may be among them, by name, before all files are read.
    private var incomplete: [RecordedResult.Identity: String] = [:]

    /// How many targets there are.
    var count: Int { places.count }

    /// Begins with the next file.
    mutating func beginFile() { counts.append(0) }

    /// Takes the results of the next target of the file.
    mutating func add(_ unit: ResultFile.Unit) {
        let result = unit.first
        counts[counts.count - 1] += 1
        guard unit.isWhole else {
            incomplete[result.identity] = result.target
            return
        }
        if let shard = result.shard, !result.isPlaceholder {
            shards[shard.run, default: [:]][shard.count, default: []].insert(shard.index)
        }
        let place = Place(
            file: Int32(counts.count - 1), unit: Int32(counts[counts.count - 1] - 1), evaluated: unit.evaluated,
            title: result.target.hashValue, isPlaceholder: result.isPlaceholder)
        guard let other = places[result.identity] else {
            places[result.identity] = place
            return
        }
        if place.isPlaceholder == other.isPlaceholder {
            // A run that goes on asks again, and adds the answer to its file.
            if place.file != other.file || result.line.question == nil { doubled.add(result.target) }
            if place.evaluated >= other.evaluated { places[result.identity] = place }
        } else if other.isPlaceholder {
            places[result.identity] = place
        }
    }

    /// Settles which results count, once all files are read.
    ///
    /// - Returns: for each file, which of its units count.
    mutating func settle() -> [[Bool]] {
        for (identity, target) in incomplete where places[identity] == nil { broken.add(target) }
        leaveOutUnreached()
        leaveOutPlaceholders()
        var chosen = counts.map { [Bool](repeating: false, count: $0) }
        for place in places.values { chosen[Int(place.file)][Int(place.unit)] = true }
        return chosen
    }

    /// A result of a target that was not reached names no client, and is of the same target as one that does, where there is one such.
    private mutating func leaveOutUnreached() {
        var others: [QuestionKey: [RecordedResult.Identity]] = [:]
        for case .facts(let facts, nil) in places.keys { others[facts] = [] }
        guard !others.isEmpty else { return }
        for identity in places.keys {
            if case .facts(let facts, .some) = identity, others[facts] != nil { others[facts]?.append(identity) }
        }
        for (facts, judged) in others where judged.count == 1 {
            let unreached = RecordedResult.Identity.facts(facts, clients: nil)
            guard let one = places[unreached], let other = places[judged[0]] else { continue }
            doubled.add()
            let isNewer = (one.evaluated, one.file, one.unit) > (other.evaluated, other.file, other.unit)
            places[isNewer ? judged[0] : unreached] = nil
        }
    }

    /// What an earlier merging said of a missing result holds no longer where there is one.
    private mutating func leaveOutPlaceholders() {
        let missing = places.filter { $0.value.isPlaceholder }
        guard !missing.isEmpty else { return }
        let titles = Set(places.values.filter { !$0.isPlaceholder }.map(\.title))
        for (identity, place) in missing where titles.contains(place.title) {
            if case .entry = identity { continue }
            places[identity] = nil
        }
    }
}

// What is not there.
extension MergedRuns {
    /// The parts without any result, where there are results of others and none of all parts; as in `3/8`.
    ///
    /// Runs that asked something else of their targets are no parts of each other.
    var absentShards: Tally {
        var tally = Tally()
        for (_, shards) in shards.sorted(by: { $0.key < $1.key }) {
            if shards.contains(where: { $0.key == $0.value.count }) { continue }
            for (count, present) in shards.sorted(by: { $0.key < $1.key }) {
                let absent = (1...count).lazy.filter { !present.contains($0) }.map { "\($0)/\(count)" }
                tally.add(count - present.count, named: absent)
            }
        }
        return tally
    }

    /// Whether parts are of runs that asked different things of their targets.
    var haveSeveralQuestions: Bool { shards.count > 1 }

    /// The part that a target of a list is in, where all results are of parts of one run.
    func part(of target: CheckTarget) -> Report.Shard? {
        guard let entry = target.entry, shards.count == 1, let (run, shards) = shards.first, shards.count == 1,
            let count = shards.first?.key
        else { return nil }
        let index = ShardChoice.part(of: entry.target, among: count)
        return Report.Shard(index: index, count: count, run: run, entry: entry.digest.hexadecimal)
    }

    /// What there is, to be held against a list.
    var expectations: Expectations {
        var entries: Set<QuestionKey> = []
        var titles: [Int: Int] = [:]
        for (identity, place) in places where !place.isPlaceholder {
            if case .entry(let entry, _) = identity {
                entries.insert(entry)
            } else {
                titles[place.title, default: 0] += 1
            }
        }
        return Expectations(entries: entries, titles: titles)
    }

    /// Tells which targets of a list have results.
    struct Expectations {
        fileprivate let entries: Set<QuestionKey>
        fileprivate var titles: [Int: Int]
        private var listed: Set<QuestionKey> = []
        private var listedTitles: Set<Int> = []

        fileprivate init(entries: Set<QuestionKey>, titles: [Int: Int]) {
            self.entries = entries
            self.titles = titles
        }

        /// Whether there is a result of the next target of a list.
        mutating func take(_ target: CheckTarget) -> Bool {
            if let entry = target.entry.map({ QuestionKey($0.digest) }), entries.contains(entry) {
                listed.insert(entry)
                return true
            }
            let title = target.title.hashValue
            listedTitles.insert(title)
            guard let count = titles[title], count > 0 else { return false }
            titles[title] = count - 1
            return true
        }

        /// Whether the list has the target of a result.
        func hasListed(_ result: RecordedResult) -> Bool {
            if case .entry(let entry, _) = result.identity { return listed.contains(entry) }
            return listedTitles.contains(result.target.hashValue)
        }
    }
}
