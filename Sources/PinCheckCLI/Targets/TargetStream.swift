import Base
import PinChecking

/// The named targets, those of policies, and the lines of lists; a copy begins anew, so that a run keeps no list.
struct TargetStream {
    typealias Entry = Result<CheckTarget, BadEntry>

    private var ready: ArraySlice<Entry> = []
    private var lists: ArraySlice<TargetList>
    private let hosts: PolicyHosts?
    private let request: CheckRequest

    /// Opens the lists and policies; `request` fills in what a target's line and policy leave open.
    init(
        _ targets: [String], lists: [String] = [], policies: [String] = [], _ request: CheckRequest, in context: Context
    ) throws(Problem) {
        self.request = request
        hosts = policies.isEmpty ? nil : try PolicyHosts(policies, in: context)
        let named = try targets.map { (text) throws(Problem) in
            try Mistake.refuse(asTarget: text)
            return try Target(text)
        }
        if let hosts {
            let isWhole = lists.isEmpty || !named.isEmpty
            ready = isWhole ? try hosts.targets(named: named, request)[...] : hosts.bad.map(Entry.failure)[...]
        } else {
            ready = named.map { .success(CheckTarget(target: $0, request: request)) }[...]
        }
        self.lists = try lists.map { (path) throws(Problem) in try TargetList(path, in: context) }[...]
    }

    /// The next target with the values of its line, else the command line's, else the policy's; `nil` after the last.
    mutating func next() -> Entry? {
        while true {
            if let entry = ready.popFirst() { return entry }
            guard let index = lists.indices.first else { return nil }
            guard let entry = lists[index].next() else {
                lists.removeFirst()
                continue
            }
            guard case .success(let line) = entry, let place = line.place else { return entry }
            do {
                try Self.refuse(line.request.judging, beside: request.judging)
                let request = line.request.merged(over: request)
                let target = CheckTarget(target: line.target, request: request, place: place)
                ready = (try hosts?.targets(of: target) ?? [target]).map(Entry.success)[...]
            } catch {
                let title = CheckTarget(target: line.target, request: line.request).title
                return .failure(BadEntry(title, error.at(place)))
            }
        }
    }

    /// Refuses pins and clients of a line next to those of the command line, which they would silently replace.
    private static func refuse(_ line: CheckRequest.Judging, beside flags: CheckRequest.Judging) throws(Problem) {
        if !line.pins.isEmpty, !flags.pins.isEmpty {
            throw .data("pins= stands here, and pins are given for all targets: leave one of the two out")
        }
        if line.clients != nil, flags.clients != nil {
            throw .data("client= stands here, and --client is given for all targets: leave one of the two out")
        }
    }

    func all() throws(Problem) -> [CheckTarget] {
        let entries = try split(after: .max).first
        try BadEntries.refuse(entries.compactMap(\.failure))
        return entries.compactMap { try? $0.get() }
    }

    /// Visits all targets; keeps the first `window`, at least one, and returns a stream of the rest.
    func split(
        after window: Int, _ visit: (Entry) -> Void = { _ in }
    ) throws(Problem) -> (first: [Entry], total: Int, rest: TargetStream) {
        var first: [Entry] = []
        var all = self
        while first.count < window, let entry = all.next() { first.append(entry) }
        guard !first.isEmpty else {
            throw lists.isEmpty
                ? .usage("no target is given: name a host, as in 'pincheck api.example.com'")
                : .noInput("the list of targets is empty: write one target a line")
        }
        let rest = all
        var total = first.count
        first.forEach(visit)
        while let entry = all.next() {
            total += 1
            visit(entry)
        }
        return (first, total, rest)
    }

    /// All targets with their checks; throws all mistakes at once, also those of files that are named for a target.
    func plan(_ policies: inout Policies) throws(Problem) -> (targets: [CheckTarget], checks: [Check]) {
        let entries = try split(after: .max).first
        let checks = try Check.plan(entries, &policies)
        try BadEntries.refuse(checks.compactMap(\.bad))
        let targets = entries.compactMap { try? $0.get() }
        try CheckTarget.refuseUnusedAddresses(of: targets)
        return (targets, checks)
    }

    private static let batch = 256

    mutating func nextChecks(_ policies: inout Policies) throws(Problem) -> [Check] {
        var entries: [Entry] = []
        while entries.count < Self.batch, let entry = next() { entries.append(entry) }
        return try Check.plan(entries, &policies)
    }
}

extension Result { var failure: Failure? { if case .failure(let error) = self { error } else { nil } } }

struct BadEntries {
    private static let mostTold = 20
    private var first: [Problem] = []
    private var count = 0

    mutating func add(_ entry: BadEntry) {
        // Thousands of hosts may share a mistake of the defaults.
        guard !first.contains(entry.problem) else { return }
        count += 1
        if first.count < Self.mostTold { first.append(entry.problem) }
    }

    private var more: String? { count > first.count ? "and \(count - first.count) more" : nil }

    func report(in console: Console) {
        for problem in first { console.report(problem) }
        if let more { console.report("Error: \(more)") }
    }

    static func refuse(_ entries: [BadEntry]) throws(Problem) {
        var bad = BadEntries()
        for entry in entries { bad.add(entry) }
        guard let problem = bad.first.first else { return }
        guard bad.count > 1 else { throw problem }
        let lines = bad.first.map(\.told.description) + (bad.more.map { [$0] } ?? [])
        let worst = entries.map(\.problem).max { ExitStatus($0) < ExitStatus($1) } ?? problem
        throw Problem(worst.kind, "\(bad.count) entries cannot be used").listing(lines)
    }
}
