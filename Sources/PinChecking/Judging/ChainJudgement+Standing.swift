import Pinning

extension ChainJudgement {
    /// What the verdicts of all clients come to.
    var standing: Standing {
        guard let shown else {
            return .notSetUp(Reason(id: "not-configured", message: "no client can be set up with these pins"))
        }
        guard shown.decided.isAccepted else { return .rejected(summary) }
        let judged = Set(judgements.map(\.device.name))
        if let device = evaluation.devices.first(where: { !judged.contains($0.name) }) {
            return .notSetUp(
                Reason(id: "not-configured", message: "no client can be set up with these pins on \(device.name)"))
        }
        return .accepted(summary)
    }

    /// One reason for all: the only client's own, or how many accept.
    private var summary: Reason {
        guard clients.count > 1 else {
            return clients.first?.reason ?? Reason(id: "not-configured", message: "no client was chosen")
        }
        let absent = clients.filter { $0.isAccepted == nil }
        let others = absent.isEmpty ? "" : "; \(Set(absent.map(\.name)).count) cannot be set up: \(text(absent))"
        let count = evaluation.devices.count > 1 ? deviceCount : clientCount
        guard count.rejecting == 0 else { return rejection(count, others) }
        guard absent.isEmpty else {
            let verb = count.accepting == 1 ? "accepts" : "accept"
            return Reason(
                id: "clients-accept", message: "\(count.accepting) of \(count.all) \(count.what) \(verb)" + others)
        }
        let all = count.all == 2 ? "both" : "all \(count.all)"
        return Reason(id: "all-accept", message: "\(all) \(count.what) accept")
    }

    /// That some reject, and why: one reason once, each of several with those whose it is.
    private func rejection(_ count: Count, _ others: String) -> Reason {
        let rejecting = clients.filter { $0.isAccepted == false }
        let namesDevices = evaluation.devices.count > 1
        var groups: [(reason: Reason, clients: [ClientResult])] = []
        for client in rejecting {
            if let index = groups.firstIndex(where: { $0.reason.message == client.reason.message }) {
                groups[index].clients.append(client)
            } else {
                groups.append((client.reason, [client]))
            }
        }
        let isAll = rejecting.count == clients.count
        let all = count.all == 2 ? "both" : "all \(count.all)"
        let verb = count.rejecting == 1 && !isAll ? "rejects" : "reject"
        let who = isAll ? "\(all) \(count.what)" : "\(count.rejecting) of \(count.all) \(count.what)"
        func names(_ clients: [ClientResult]) -> String { text(clients, namesAllDevices: namesDevices) }
        let why: String
        if let common = Self.common(groups.map(\.reason)) {
            why = (isAll ? "" : "\(names(rejecting)): ") + common
        } else {
            let told = groups.prefix(Self.mostReasons).map { "\(names($0.clients)): \($0.reason.message)" }
            let more = groups.count > told.count ? "; and \(groups.count - told.count) more reasons" : ""
            why = told.joined(separator: "; ") + more
        }
        return Reason(
            id: "\(count.what)-reject", message: "\(who) \(verb): \(why)" + others,
            remedy: groups.count == 1 ? Remedy.common(to: groups[0].clients.map(\.reason.remedy)) : nil)
    }

    /// What reasons say in the same words, `nil` for different ones.
    ///
    /// Those for a certificate to come end in the pin that is missing, which each client writes in its own way.
    private static func common(_ reasons: [Reason]) -> String? {
        guard let first = reasons.first else { return nil }
        guard reasons.count > 1 else { return first.message }
        guard reasons.allSatisfy({ $0.id == "pin-mismatch" }) else { return nil }
        let parts = reasons.map { $0.message.split(separator: ": ", omittingEmptySubsequences: false) }
        guard let start = parts[0].first, parts.allSatisfy({ $0.count > 1 && $0[0] == start }) else { return nil }
        return String(start)
    }

    /// More different reasons than this are counted in the one sentence for all.
    private static let mostReasons = 3

    private struct Count {
        let what: String
        let all: Int
        let accepting: Int
        let rejecting: Int
    }

    private var clientCount: Count {
        Count(
            what: "clients", all: clients.count, accepting: clients.count { $0.isAccepted == true },
            rejecting: clients.count { $0.isAccepted == false })
    }

    /// A device rejects where one of its clients does, and accepts where one does and none rejects.
    private var deviceCount: Count {
        let rejecting = Set(clients.filter { $0.isAccepted == false }.compactMap(\.device))
        let accepting = Set(clients.filter { $0.isAccepted == true }.compactMap(\.device)).subtracting(rejecting)
        return Count(
            what: "devices", all: evaluation.devices.count, accepting: accepting.count, rejecting: rejecting.count)
    }

    private func text(_ clients: [ClientResult], namesAllDevices: Bool = false) -> String {
        names.text(
            clients.map { JudgeNames.Judge(client: $0.name, device: $0.device) }, namesAllDevices: namesAllDevices)
    }
}
