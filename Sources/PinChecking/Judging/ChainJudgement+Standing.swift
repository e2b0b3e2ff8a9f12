import Pinning

extension ChainJudgement {
    var standing: Standing {
        if let absent = clients.first(where: { $0.isAccepted == nil }) {
            let name = clients.count > 1 ? "\(absent.name) cannot be set up: " : ""
            let others = clients.count > 1 && shown != nil ? "; " + summary.message : ""
            return .notSetUp(Reason(id: absent.reason.id, message: name + absent.reason.message + others))
        }
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

    /// The reason of the first client that rejects, or else of the first that accepts, in the order of the registry.
    private var summary: Reason {
        func reason(of judgement: Judgement) -> Reason? { clients.first { judgement.isOf($0, in: evaluation) }?.reason }
        func text(_ some: [Judgement]) -> String {
            names.text(some.map { $0.judge(in: evaluation) }, namesAllDevices: evaluation.devices.count > 1)
        }
        let rejecting = judgements.filter { !$0.decided.isAccepted }
        guard clients.count > 1, let first = shown, let own = reason(of: first) else {
            return clients.first?.reason ?? Reason(id: "not-configured", message: "no client was chosen")
        }
        let message: String
        if rejecting.isEmpty, judgements.count > 1 {
            let isOfDevices = evaluation.devices.count > 1
            let count = isOfDevices ? evaluation.devices.count : judgements.count
            message = (count == 2 ? "both " : "all \(count) ") + (isOfDevices ? "devices" : "clients") + " accept"
        } else {
            let alike = rejecting.isEmpty ? [first] : rejecting.filter { reason(of: $0)?.message == own.message }
            let others = rejecting.filter { reason(of: $0)?.message != own.message }
            message = text(alike) + ": " + own.message + (others.isEmpty ? "" : "; also rejected by \(text(others))")
        }
        return Reason(id: own.id, message: message, remedy: rejecting.isEmpty ? nil : own.remedy)
    }
}
