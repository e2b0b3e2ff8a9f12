import Base
import PinChecking
import PinFormats

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
            ready = named.map { .success(CheckTarget($0, request)) }[...]
        }
        self.lists = try lists.map { (path) throws(Problem) in try TargetList(path, in: context) }[...]
        // A program that makes a list may have failed.
        for var list in self.lists where list.next() == nil {
            throw .noInput("\(list.name): the list of targets is empty: write one target a line")
        }
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
                let target = CheckTarget(line.target, request, place: place)
                ready = (try hosts?.targets(of: target) ?? [target]).map(Entry.success)[...]
            } catch {
                let title = CheckTarget(line.target, line.request).title
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
        guard !first.isEmpty else { throw .usage("no target is given: name a host, as in 'pincheck api.example.com'") }
        let rest = all
        var total = first.count
        first.forEach(visit)
        while let entry = all.next() {
            total += 1
            visit(entry)
        }
        return (first, total, rest)
    }

    /// All targets with their checks; throws all mistakes at once, also those of files named for a target.
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

/// A file with a target and its settings on each line, parsed line by line; a copy goes on at the original's line.
struct TargetList {
    /// The most bytes of a line: paths and the addresses of a target are far shorter.
    static let longestLine = 64 * 1024
    private let bytes: [UInt8]
    let name: String
    private let directory: String?
    private var position = 0
    private var number = 0

    init(_ path: String, in context: Context) throws(Problem) {
        let isInput = path == "-"
        name = isInput ? "standard input" : TerminalText.shortened(path, to: 200)
        directory = isInput ? nil : PathParts(path).directory
        bytes = try context.contents(of: path)
        guard !bytes.starts(with: [0x1F, 0x8B]) else {
            throw .data("\(name) is compressed (gzip, RFC 1952): write 'zcat FILE | pincheck --targets -'")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw .data("\(name): a list of targets is text in UTF-8, and this is not: save it as UTF-8")
        }
        if bytes.starts(with: "\u{FEFF}".utf8) { position = 3 }
    }

    /// The target of the next line that has one, or the mistake in that line; `nil` after the last.
    mutating func next() -> Result<CheckTarget, BadEntry>? {
        while position < bytes.count {
            let start = position
            while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
            let line = bytes[start..<position]
            // A line ends in LF, CR LF or CR.
            position += bytes[position...].starts(with: [0x0D, 0x0A]) ? 2 : 1
            number += 1
            let place = PinPlace.line(number, of: name)
            do throws(Problem) {
                guard line.count <= Self.longestLine else { throw .data("write one target a line") }
                let words = Self.words(of: line)
                guard let target = words.first else { continue }
                return .success(try self.target(target, words.dropFirst(), place))
            } catch {
                // A message quotes nothing from the line: a file that was named by mistake may contain secrets.
                let text = String(utf8: line)
                let why = KeyMaterial.isArmoured(text) ? "this is a private key; it was not used" : error.message
                return .failure(BadEntry("\(place)", Problem.data("\(text.count) characters; \(why)").at(place)))
            }
        }
        return nil
    }

    /// The words of a line; a `#` at the start of a word begins a comment.
    private static func words(of line: ArraySlice<UInt8>) -> [String] {
        let words = line.split { $0 == " " || $0 == "\t" }
        return words.prefix { $0.first != "#" }.map { String(utf8: $0) }
    }

    private func target(_ target: String, _ words: ArraySlice<String>, _ place: PinPlace) throws(Problem) -> CheckTarget
    {
        guard let target = try? Target(target) else { throw .data("word 1 is no target") }
        var settings = Settings()
        var given: [Option] = []
        for (number, word) in zip(2..., words) {
            let parts = word.parts(at: "=", atMost: 2)
            guard let option = Option.ofLists.first(where: { $0.word == parts[0] }),
                option.isSwitch == (parts.count == 1)
            else { throw Self.unknown(word, number) }
            var text = parts.count == 2 ? String(parts[1]) : ""
            guard option.isSwitch || !text.isEmpty else {
                throw .data("word \(number) has no value: write \(option.word)=VALUE")
            }
            guard option.isRepeatable || !given.contains(where: { $0.flag == option.flag }) else {
                throw .data("word \(number): \(option.listWord) stands twice: write all of it once")
            }
            if let rival = given.first(where: option.excludes) {
                throw .data("word \(number): \(rival.listWord) and \(option.listWord) exclude each other")
            }
            given.append(option)
            if case .file = option.values { text = RegularFile.path(text, besideFilesIn: directory) }
            do {
                try option.read(Option.Value(text: text, place: place), calling: "\(option.listWord)", into: &settings)
            } catch { throw .data("word \(number) is no value of \(option.listWord)") }
        }
        settings.request.connection.addresses.isOfOneTarget = !settings.request.connection.addresses.given.isEmpty
        return CheckTarget(target, settings.request, place: place)
    }

    private static func unknown(_ word: String, _ number: Int) -> Problem {
        let name = String(word.prefix { $0 != "=" }.drop { $0 == "-" }) + (word.contains("=") ? "=" : "")
        let remedy = Suggestion.remedy(for: name, among: Option.ofLists.map(\.listWord).sorted())
        return .data("word \(number) is not understood: \(remedy)")
    }
}

extension Option {
    static let ofLists = Command.sharedGroups.flatMap(\.options).filter(\.isInLists)

    fileprivate var listWord: String { isSwitch ? word : word + "=" }
}
