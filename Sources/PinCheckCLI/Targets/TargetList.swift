import Base
import PinChecking
import PinFormats
import Pinning

/// One target a line, with what is said of it alone, read as it is needed; a copy begins anew where it was made.
///
/// `#` begins a comment at the start of a word, values with white space stand in quotation marks, and paths are relative to the list.
struct TargetList: Sendable {
    /// The most bytes a line can have: paths, and the addresses of a target, are far shorter.
    static let longestLine = 64 * 1024

    private let bytes: [UInt8]
    private let name: String
    private let directory: String?
    private var position = 0
    private var number = 0

    init(_ path: String, in context: Context) throws(CommandError) {
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

    /// The next line with a target and what it says of it, `nil` after the last.
    mutating func next() throws(CommandError) -> CheckTarget? {
        while position < bytes.count {
            let start = position
            while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
            let line = bytes[start..<position]
            // A line ends in LF, CR LF or CR.
            position += bytes[position...].starts(with: [0x0D, 0x0A]) ? 2 : 1
            number += 1
            let place = PinPlace.line(number, of: name)
            do throws(CommandError) {
                guard line.count <= Self.longestLine else {
                    throw .data("the line is longer than \(Self.longestLine) bytes: write one target a line")
                }
                let words = try Self.words(of: line)
                guard let target = words.first else { continue }
                return try self.target(target, words.dropFirst(), place)
            } catch { throw error.at(place) }
        }
        return nil
    }

    private static func words(of line: ArraySlice<UInt8>) throws(CommandError) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        var isInWord = false
        var quotation: UInt8?
        for byte in line {
            if let open = quotation {
                if byte == open { quotation = nil } else { word.append(byte) }
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
                isInWord = false
                word.removeAll(keepingCapacity: true)
            case UInt8(ascii: "#") where !isInWord: return words
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                quotation = byte
                isInWord = true
            default:
                isInWord = true
                word.append(byte)
            }
        }
        guard quotation == nil else { throw .usage("a quotation mark is not closed on this line") }
        if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
        return words
    }

    private func target(
        _ target: String, _ words: ArraySlice<String>, _ place: PinPlace
    ) throws(CommandError) -> CheckTarget {
        guard !KeyMaterial.isArmoured(target), !words.contains(where: KeyMaterial.isArmoured) else {
            throw .usage("this is a private key; it was not used and no part of it is shown")
        }
        let target = try CommandError.reading(try Target(target))
        var settings = Settings()
        var given: [Option] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = Option.ofLists.first(where: { $0.word == parts[0] }),
                option.isSwitch == (parts.count == 1)
            else { throw Self.unknown(word) }
            var text = parts.count == 2 ? String(parts[1]) : ""
            guard option.isSwitch || !text.isEmpty else {
                throw .usage("\(quoted(word)) has no value: write \(option.word)=VALUE")
            }
            guard option.isRepeatable || !given.contains(where: { $0.flag == option.flag }) else {
                throw .usage("\(option.listWord) stands twice: write all of it once")
            }
            if let rival = given.first(where: { $0.flag == option.rival }) {
                throw .usage("\(rival.listWord) and \(option.listWord) exclude each other")
            }
            given.append(option)
            if case .file = option.values { text = RegularFile.path(text, besideFilesIn: directory) }
            try option.read(Option.Value(text: text, place: place), calling: "\(option.listWord)", into: &settings)
        }
        settings.request.connection.addresses.isOfOneTarget = !settings.request.connection.addresses.given.isEmpty
        return CheckTarget(target: target, request: settings.request, place: place)
    }

    private static func unknown(_ word: String) -> CommandError {
        let name = String(word.prefix { $0 != "=" }.drop { $0 == "-" })
        let words = Option.ofLists
        let nearest = Suggestion.nearest(to: name, in: words.map(\.word))
        let remedy =
            words.first { $0.word == nearest }.map { "did you mean '\($0.listWord)'?" }
            ?? "after the target come \(words.map(\.listWord).sorted().joined(separator: ", "))"
        return .usage("\(quoted(word)) is not understood: \(remedy)")
    }
}

extension Option {
    static let ofLists: [Option] = Command.sharedGroups.flatMap(\.options).filter(\.isInLists)

    fileprivate var listWord: String { isSwitch ? word : word + "=" }
}

/// Those that are named, those of policies, and the lines of lists, one after the other.
///
/// A copy begins anew where it was made: so a run looks at all lines before it checks any, and holds none.
struct TargetStream: Sendable {
    private var ready: ArraySlice<CheckTarget> = []
    private var lists: ArraySlice<TargetList>
    private let hosts: PolicyHosts?
    private let request: CheckRequest

    /// Opens the lists and the policies; `request` is asked of each target whose line and policy say nothing else.
    init(
        _ targets: [String], lists: [String] = [], policies: [String] = [], _ request: CheckRequest, in context: Context
    ) throws(CommandError) {
        self.request = request
        hosts = policies.isEmpty ? nil : try PolicyHosts(policies, in: context)
        let named = try targets.map { (text) throws(CommandError) in
            try Mistake.refuse(asTarget: text)
            return try CommandError.reading(try Target(text))
        }
        if let hosts {
            if lists.isEmpty || !named.isEmpty { ready = try hosts.targets(named: named, request)[...] }
        } else {
            ready = named.map { CheckTarget(target: $0, request: request) }[...]
        }
        self.lists = try lists.map { (path) throws(CommandError) in try TargetList(path, in: context) }[...]
    }

    /// The next target, with what is asked of it: what its line says, else the flags, else the policy; `nil` after the last.
    mutating func next() throws(CommandError) -> CheckTarget? {
        while true {
            if let target = ready.popFirst() { return target }
            guard let index = lists.indices.first else { return nil }
            guard let line = try lists[index].next() else {
                lists.removeFirst()
                continue
            }
            guard let place = line.place else { return line }
            do throws(CommandError) {
                try Self.refuse(line.request.judging, beside: request.judging)
                let request = line.request.merged(over: request)
                let found =
                    try hosts?.targets(named: [line.target], request) ?? [
                        CheckTarget(target: line.target, request: request)
                    ]
                ready = found[...]
                for index in ready.indices { ready[index].place = place }
            } catch { throw error.at(place) }
        }
    }

    /// Refuses pins and clients of a line beside those of the command line, which they would replace without a word.
    private static func refuse(_ line: CheckRequest.Judging, beside flags: CheckRequest.Judging) throws(CommandError) {
        if !line.pins.isEmpty, !flags.pins.isEmpty {
            throw .data("pins= stands here, and pins are given for all targets: leave one of the two out")
        }
        if line.clients != nil, flags.clients != nil {
            throw .data("client= stands here, and --client is given for all targets: leave one of the two out")
        }
    }

    func all(example: String = "pincheck api.example.com") throws(CommandError) -> [CheckTarget] {
        try split(after: .max, example: example) { _ in }.first
    }

    /// Goes through all of them: the first `window` are kept, at least one, and those behind can be read again.
    func split(
        after window: Int, example: String = "pincheck api.example.com", _ visit: (CheckTarget) -> Void
    ) throws(CommandError) -> (first: [CheckTarget], total: Int, rest: TargetStream) {
        var first: [CheckTarget] = []
        var all = self
        while first.count < window, let target = try all.next() { first.append(target) }
        guard !first.isEmpty else { throw noTarget(example) }
        let rest = all
        var total = first.count
        first.forEach(visit)
        while let target = try all.next() {
            total += 1
            visit(target)
        }
        return (first, total, rest)
    }

    private func noTarget(_ example: String) -> CommandError {
        lists.isEmpty
            ? .usage("no target is given: name a host, as in '\(example)'")
            : .noInput("the list of targets is empty: write one target a line")
    }

    private static let batch = 256

    mutating func nextChecks(_ policies: inout Policies) throws(CommandError) -> [Check] {
        var targets: [CheckTarget] = []
        while targets.count < Self.batch, let target = try next() { targets.append(target) }
        return try CommandError.reading(try Check.plan(targets, &policies, areAll: false))
    }
}
