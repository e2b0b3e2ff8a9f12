import Base
import PinChecking
import TLSProbe

extension Report {
    /// The connected address if the target does not name it; with the port if the target has another.
    var peer: String? {
        guard let endpoint, let address = endpoint.address?.description else { return nil }
        let authority = address.withPort(endpoint.port)
        guard authority != target else { return nil }
        return target.hasSuffix(":\(endpoint.port)") ? address : authority
    }

    var address: String? { peer ?? endpoint?.address?.description }
    /// The address, with a port that is not the target's; the target if there is none.
    var place: String { address ?? target }

    var title: String {
        let place = target + (isOneOfSeveral ? peer.map { " → " + $0 } ?? "" : "")
        return place + (variantLabel.map { ", " + $0 } ?? "")
    }

    var isOneOfSeveral: Bool { endpoint != nil && (endpoint?.resolvedName == nil || variant != nil) }
    var isOfFamily: Bool { if case .family? = variant { true } else { false } }
    var today: String { isOfAnotherTime ? "on \(evaluatedAt.date)" : "today" }
    var matchedPins: Set<Int> { Set(matches.map(\.pinIndex)) }
    var counts: Bool { variant?.counts ?? true }
    var variantLabel: String? { variant?.label }
    var sentence: String { sentence(for: reason) }

    func sentence(for reason: Reason) -> String { owner + reason.told }

    var sentences: [String] { [owner + reason.lines[0]] + reason.lines.dropFirst() }

    private var owner: String {
        guard clients.count == 1, let title = clients.first?.title, !reason.lines[0].hasPrefix(title) else { return "" }
        return title == PinChecking.Client.generic.name ? "" : title + ": "
    }

    func withAnswer(_ sentence: String) -> String {
        guard let line = result.answer?.response?.statusLine, result.answer?.isAsExpected == true else {
            return sentence
        }
        return sentence + "; " + line
    }

    /// The statuses that count in a monitored run: a rejection also counts if another client cannot be set up.
    var monitoredStatuses: [ExitStatus] {
        let status = monitoring.runExit
        return counts && verdict == .reject && status == .data ? [status, .fail] : [status]
    }

    var toldNotes: [Reason] { result.notes.map(\.reason) + (unjudged.map { [$0] } ?? []) }
    var attention: [Reason] { warnings + ahead.filter { $0 != outlook?.told }.map { Reason($0.id, $0.message) } }
    private var ahead: [Finding] { (outlook?.findings ?? []).filter { $0.level != .note && verdict == .accept } }
    var warningIDs: [String] { (result.warnings.map(\.id) + ahead.map(\.id)).distinct }

    /// The certificates that the verdict rests on, each once.
    var needed: [Link] {
        var needed = built
        for var link in otherPaths.flatMap(\.chain)
        where !needed.contains(where: { $0.certificate == link.certificate }) {
            link.path = needed.count { $0.index == link.index } + 1
            needed.append(link)
        }
        return needed
    }

    var ofShownLeaf: Report {
        var report = self
        report.otherPaths.removeAll { $0.chain.first?.certificate != built.first?.certificate }
        return report
    }

    var duration: Duration? { (tls?.timings).map { ($0.resolve ?? .zero) + $0.connect + $0.handshake } }
}

extension [Report] {
    /// The name of a target, with the address if that was given for its only connection.
    var name: String { self[0].variant == nil ? self[0].title : self[0].target }

    var title: String {
        guard count > 1 else { return self[0].title }
        let peers = compactMap(\.peer).distinct
        let place = peers.isEmpty ? "" : " → " + peers.listed
        return ([self[0].target + place] + compactMap(\.variantLabel).distinct).listed
    }
}

extension Report.Client {
    var title: String { name + (device.map { " on " + $0 } ?? "") }

    /// The client in `--client`'s words without AFNetworking's settings, which have options of their own.
    var nameWithSettings: String {
        guard !settings.contains(where: { $0.name == "mode" }) else { return name }
        return settings.reduce(name) { name, setting in
            switch setting.value {
            case .flag: "\(name):\(setting.name)"
            case .text(let value): "\(name):\(setting.name)=\(value)"
            }
        }
    }
}

/// A decimal number from parts, such as hundredths: machine formats need all places and no exponent.
func decimalText(_ parts: Int64, places: Int) -> String {
    let digits = String(parts.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
    return (parts < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
}

func decimalSeconds(_ time: Duration) -> String {
    decimalText(Int64((min(max(time.seconds, 0), 1e9) * 1_000_000).rounded()), places: 6)
}

/// Makes names different, for formats that forbid equal ones.
struct UniqueNames {
    private var counts: [String: Int] = [:]

    mutating func name(_ text: String) -> String {
        let count = counts[text, default: 0] + 1
        counts[text] = count
        return count == 1 ? text : name("\(text) #\(count)")
    }
}

struct RunTotal {
    private var counts: [ExitStatus: Int] = [:]
    /// The number of passed targets that have a warning in monitoring.
    private var warned = 0
    /// The targets that did not pass, in their order; others are not kept, as there may be millions.
    private var unaccepted: [(name: String, status: ExitStatus)] = []
    private var hasFiles = false
    private static let longest = 10

    mutating func add(_ reports: [Report], status: (Report) -> ExitStatus? = { $0.counts ? $0.status : nil }) {
        if reports[0].result.next != nil { hasFiles = true }
        let statuses = reports.compactMap(status)
        let worst = statuses.isEmpty ? ExitStatus.pass : .worst(statuses)
        add(reports.name, worst)
        if worst == .pass, reports.contains(where: { $0.monitoring.runExit == .warn }) { warned += 1 }
    }

    mutating func add(_ name: String, _ status: ExitStatus) {
        counts[status, default: 0] += 1
        if status != .pass { unaccepted.append((name, status)) }
    }

    var count: Int { counts.values.reduce(0, +) }
    var problems: Int { count - counts[.pass, default: 0] }

    /// The counts, as in `5 targets: 1 FAIL, 1 UNREACHABLE, 3 PASS`, the worst first; `what` describes the targets.
    func sentence(_ what: String = "", _ word: (ExitStatus) -> String = { $0.name }) -> String {
        let noun = hasFiles ? "result" : "target"
        let verb = what.isEmpty ? "" : " \(count == 1 ? "is" : "are") \(what)"
        return "\(count) \(noun)\(count == 1 ? "" : "s")\(verb): " + shares(word).listed
    }

    /// The counts by status, as in `1 FAIL` and `2 PASS (1 with warnings)`.
    func shares(_ word: (ExitStatus) -> String = { $0.name }) -> [String] {
        Self.order.compactMap { status in
            let warned = status == .pass && warned > 0 ? " (\(warned) with warnings)" : ""
            return counts[status].map { "\($0) \(word(status))\(warned)" }
        }
    }

    /// The targets that did not pass, the worst first; none if all fit on a screen.
    var troubled: [(name: String, status: ExitStatus)] {
        guard count > Self.longest else { return [] }
        return Self.order.flatMap { status in unaccepted.filter { $0.status == status } }
    }

    private static let order = ExitStatus.allCases.sorted(by: >)
}
