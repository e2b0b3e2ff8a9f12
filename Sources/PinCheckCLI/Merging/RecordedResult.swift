import PinChecking
import Pinning
import X509

/// A line of results as far as it has to be known to put runs together.
struct RecordedResult {
    /// What tells a target of one run from another's, in the order of how well it does.
    enum Identity: Hashable {
        /// The words that name the target, and what the run asked of all (`--shard`).
        case entry(QuestionKey, run: QuestionKey)
        /// The hash of the very question (`--resume`).
        case question(QuestionKey)
        /// What can be seen in the result: the names, the pins, the request; and the clients, where they were asked.
        case facts(QuestionKey, clients: QuestionKey?)
    }

    /// What is known of any line.
    let line: ResultLine
    /// The target with its port.
    let target: String
    /// The part of the targets that its run was about, and what it is known by there.
    let shard: Shard?
    let identity: Identity
    /// Whether it says that there is no result, as an earlier merging has found.
    let isPlaceholder: Bool

    struct Shard: Hashable {
        let index: Int
        let count: Int
        let entry: QuestionKey
        /// The hash of what the run asked of all targets.
        let run: String
    }

    /// Reads a line, `nil` where it is none of results.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let line = ResultLine(bytes) else { return nil }
        var scanner = JSONScanner(bytes)
        guard let members = scanner.members(), let target = members["target"], let text = Self.text(target) else {
            return nil
        }
        self.line = line
        self.target = text
        isPlaceholder = Self.member("id", of: members["reason"])?.elementsEqual(Self.placeholder) == true
        shard = members["shard"].flatMap(Self.shard)
        if let shard {
            identity = .entry(shard.entry, run: Self.key([Array(shard.run.utf8)]))
        } else if let question = line.question {
            identity = .question(Self.key([Array(target), question.bytes]))
        } else {
            identity = Self.facts(members)
        }
    }

    /// Whether the results can be of one target, this one behind the other.
    func follows(_ other: RecordedResult) -> Bool {
        line.follows(other.line) && target == other.target && shard == other.shard
    }

    private static let placeholder = Array("\"\(Report.missingResult)\"".utf8)

    private static func shard(_ value: ArraySlice<UInt8>) -> Shard? {
        func number(_ name: String) -> Int? {
            member(name, of: value).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        }
        guard let count = number("count"), (1...ShardChoice.mostParts).contains(count), let index = number("index"),
            (1...count).contains(index), let entry = member("entry", of: value).flatMap({ QuestionKey(json: $0) }),
            let run = member("run", of: value).flatMap(text)
        else { return nil }
        return Shard(index: index, count: count, entry: entry, run: run)
    }

    /// What is asked, as far as a result tells it.
    ///
    /// It is the same for a target that was reached and for one that was not, apart from the clients. An address counts where it
    /// was given.
    private static func facts(_ members: [String: ArraySlice<UInt8>]) -> Identity {
        let endpoint = members["endpoint"]
        let isGiven = member("resolved_name", of: endpoint)?.elementsEqual(null) ?? false
        let hasVariants = members["variant"]?.elementsEqual(null) == false
        let names =
            ["host", "port", "resolved_name", "sni", "verify_name"] + (isGiven && !hasVariants ? ["address"] : [])
        var parts = [members["target"], members["verify_name"], members["next"]]
        parts += names.map { member($0, of: endpoint) }
        parts.append(member("url", of: members["proxy"]))
        parts += ["configured", "entries"].map { member($0, of: members["pins"]) }
        parts += ["method", "path", "host", "expected"].map { member($0, of: members["http"]) }
        parts.append(member("baseline", of: members["change"]))
        let clients = elements(of: members["clients"]).flatMap { client in
            ["name", "device", "settings"].map { member($0, of: client) }
        }
        return .facts(
            key(parts.map { Array($0 ?? []) }), clients: clients.isEmpty ? nil : key(clients.map { Array($0 ?? []) }))
    }

    /// What is between the quotation marks.
    private static func text(_ value: ArraySlice<UInt8>) -> String? {
        guard value.count > 1, value.first == UInt8(ascii: "\"") else { return nil }
        guard value.contains(UInt8(ascii: "\\")) else {
            return String(validating: value.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? DocumentReader().read(String.self, from: value)
    }

    private static func member(_ name: String, of object: ArraySlice<UInt8>?) -> ArraySlice<UInt8>? {
        guard let object else { return nil }
        var scanner = JSONScanner(object)
        return scanner.members()?[name]
    }

    private static func elements(of list: ArraySlice<UInt8>?) -> [ArraySlice<UInt8>] {
        guard let list else { return [] }
        var scanner = JSONScanner(list)
        return scanner.elements() ?? []
    }

    private static func key(_ parts: [[UInt8]]) -> QuestionKey {
        QuestionKey(Hashing.sha256(parts.flatMap { Array("\($0.count) ".utf8) + $0 }))
    }

    private static let null = Array("null".utf8)
}
