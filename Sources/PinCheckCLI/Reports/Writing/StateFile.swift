import Base
import PinChecking
import PinFormats

/// The file of `--state`: a line with its version, then one for each target: status, reason, last seen keys, findings
/// with the days left when they were told, the time when it was told, the time since when it lasts, and the name.
///
///     PASS	pin-matched	sha256/NSQo…	expires-soon=12	2026-11-21T08:00:00Z	2026-11-21T08:00:00Z	api.example.com:443
struct StateFile {
    struct Outcome: Hashable {
        var status: String
        var reason: String
        var keys: [String] = []
        /// The ids of the warnings, each with the days left if it has an end.
        var ids: [String: Int?] = [:]
        var told = ""
        var since = ""
        /// `true` if every key matches a pin; not written to the file.
        var isPinned = false
        private static let mostKeys = 16
        /// The seconds until a lasting fault is told again: 15 minutes less than a day, as cron may start early.
        private static let reminder: Int64 = (24 * 60 - 15) * 60

        func isToTell(after old: Outcome?, at time: Timestamp) -> Bool {
            guard let old else { return status != ExitStatus.pass.name || !ids.isEmpty }
            // The cause of a failed connection may differ from run to run.
            if status != old.status || reason != old.reason && status != ExitStatus.unreachable.name { return true }
            if Set(ids.keys) != Set(old.ids.keys) { return true }
            if !isPinned, !old.keys.isEmpty, !keys.allSatisfy(old.keys.contains) { return true }
            for case (let id, let days?) in ids {
                // A finding is told again once its days left are at most half of those when it was last told.
                if case let last?? = old.ids[id], days * 2 <= last, days < last { return true }
            }
            guard status != ExitStatus.pass.name else { return false }
            // A time in the future, from a clock that was ahead, must not silence the fault.
            guard let told = try? TimeText.read(old.told), told <= time else { return true }
            return told.seconds(to: time) >= Self.reminder
        }

        func kept(after old: Outcome?, isTold: Bool, at time: String) -> Outcome {
            var kept = self
            kept.keys = ((old?.keys ?? []).filter { !keys.contains($0) } + keys).suffix(max(Self.mostKeys, keys.count))
            kept.told = isTold ? time : old?.told ?? time
            kept.since = old.map { $0.status == status && $0.reason == reason ? $0.since : time } ?? time
            // After a renewal the days count from the new end.
            if !isTold, let old { kept.ids.merge(old.ids) { [$0, $1].compactMap(\.self).max() } }
            return kept
        }
    }

    private static let head = "pincheck-state 2"
    private let path: String
    private let time: Timestamp
    private let old: [String: Outcome]
    private var found: [String: Outcome] = [:]
    private var names = UniqueNames()
    private let lock: FileLock
    private(set) var new = RunTotal()

    /// Locks and reads the file of `--state`, so that a broken one is reported at once; `nil` without the option.
    init?(_ settings: Settings, _ outputs: [FormOutput<OutputForm>], at time: Timestamp) throws(Problem) {
        guard let path = settings.state else { return nil }
        let told = outputs.filter { $0.file == nil }
        if let form = told.first(where: { !$0.form.isForPeople })?.form.rawValue {
            throw .usage("--state tells what has changed, and \(form) tells everything: write \(form)=FILE beside it")
        }
        guard outputs.isEmpty || !told.isEmpty else { throw .usage("--state tells on standard output: add -f text") }
        guard !settings.isQuiet else {
            throw .usage("--state tells on standard output, where --quiet writes nothing: leave out one of the two")
        }
        guard FileKind(at: path) != .pipe else { throw .usage("\(quoted(path)) is a pipe: name a file for --state") }
        try OutputFile.refuseReadFile(path)
        try OutputFile.refuseMissingDirectory(of: path)
        // Results must not overwrite it: it is noted by name, and again once the lock has created the file.
        ReadLog.current?.add(path)
        for file in outputs.compactMap(\.file) { try OutputFile.refuseReadFile(file) }
        lock = try OutputFile.lock(path, "this state")
        ReadLog.current?.add(path)
        (self.path, self.time, old) = (path, time, try Self.read(path))
    }

    /// Notes the results of the next target in the run's order; returns `true` if one is to be told.
    mutating func isToTell(_ reports: [Report]) -> Bool {
        let rows = reports.filter(\.counts).grouped(by: Self.name)
        var (isToTell, isNew) = (false, !rows.isEmpty)
        for (name, alike) in rows {
            let name = names.name(TerminalText.excerpt(name, to: 400))
            let outcome = Outcome(alike)
            let last = old[name]
            isNew = isNew && last == nil
            let isTold = outcome.isToTell(after: last, at: time)
            isToTell = isToTell || isTold
            found[name] = outcome.kept(after: last, isTold: isTold, at: time.description)
        }
        if isNew { new.add(reports) }
        return isToTell
    }

    func write() throws(Problem) {
        // A row without keys is forgotten if its target has only other rows now, as for a family that DNS has lost.
        let places = Set(found.keys.map(Self.place))
        let kept = old.filter { $1.reason != "bad-entry" && (!$1.keys.isEmpty || !places.contains(Self.place(of: $0))) }
        let lines = kept.merging(found) { $1 }.sorted { $0.key < $1.key }.map { target, outcome in
            let ids = outcome.ids.sorted { $0.key < $1.key }.map { id, days in days.map { "\(id)=\($0)" } ?? id }
            return [
                outcome.status, outcome.reason, outcome.keys.joined(separator: ","), ids.joined(separator: ","),
                outcome.told, outcome.since,
            ].joined(separator: "\t") + "\t\(target)\n"
        }
        try OutputFile.write("\(Self.head)\n\(lines.joined())", to: path)
        withExtendedLifetime(lock) {}
    }

    private static func read(_ path: String) throws(Problem) -> [String: Outcome] {
        let bytes: [UInt8]
        do { bytes = try BoundedFile.contents(ofFile: path) } catch {
            throw error.kind == .data ? .data("\(error.message): remove it to start anew") : error
        }
        var lines = String(utf8: bytes).split(separator: "\n")[...]
        guard let head = lines.popFirst() else { return [:] }
        guard head == self.head else {
            throw .data(
                head.hasPrefix("pincheck-state ")
                    ? "\(quoted(path)) is a state of another version of pincheck: remove it to start anew"
                    : "\(quoted(path)) is not a file of --state: remove it to start anew, or name another")
        }
        var outcomes: [String: Outcome] = [:]
        for (index, line) in lines.enumerated() {
            let fields = line.parts(at: "\t", atMost: 7).map(String.init)
            guard fields.count == 7 else {
                throw .data("\(path):\(index + 2): is not a line of a state: remove the file to start anew")
            }
            var outcome = Outcome(status: fields[0], reason: fields[1], told: fields[4], since: fields[5])
            outcome.keys = fields[2].split(separator: ",").map(String.init)
            for id in fields[3].split(separator: ",") {
                let parts = id.split(separator: "=", maxSplits: 1)
                outcome.ids[String(parts[0])] = .some(parts.count == 2 ? Int(parts[1]) : nil)
            }
            outcomes[fields[6]] = outcome
        }
        return outcomes
    }

    /// The name of a result without an address from DNS, because such addresses change from run to run.
    private static func name(of report: Report) -> String {
        guard report.endpoint?.resolvedName != nil else { return report.title }
        return report.target + (report.variantLabel.map { ", " + $0 } ?? "")
    }

    private static func place(of name: String) -> Substring {
        name[..<(name.firstRange(of: ", ")?.lowerBound ?? name.endIndex)]
    }
}

extension StateFile.Outcome {
    init(_ reports: [Report]) {
        let worst = ExitStatus.worst(reports.map(\.status))
        (status, reason) = (worst.name, reports.first { $0.status == worst }?.reason.id ?? "")
        let leaves = reports.compactMap { report in
            report.presented.first.map { (key: report.firstPin ?? $0.pin, pins: report.pins) }
        }
        keys = leaves.map(\.key).distinct
        isPinned = leaves.allSatisfy { leaf in leaf.pins.contains { $0.spkiSHA256.description == leaf.key } }
        for report in reports {
            var ends: [String: Int?] = [:]
            if report.status != worst, report.status != .pass { ends[report.status.name] = .some(nil) }
            for id in report.warningIDs { ends[id] = .some(nil) }
            for finding in report.outlook?.findings ?? [] where ends[finding.id] != nil {
                let end: Timestamp? =
                    switch finding.kind {
                    case .expiresSoon: report.needed.map(\.certificate.notAfter).min()
                    case .pinsExpire: report.outlook?.pinsExpire
                    default: finding.date
                    }
                if let end { ends[finding.id] = max(0, report.evaluatedAt.wholeDays(to: end)) }
            }
            ids.merge(ends) { [$0, $1].compactMap(\.self).min() }
        }
    }
}
