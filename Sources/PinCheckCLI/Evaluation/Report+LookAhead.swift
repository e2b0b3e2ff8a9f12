import Pinning
import Rotation
import Text

extension Report {
    /// Adds how long the verdict will last, the worst of what the clients expect, and ends otherwise where less is left than was
    /// asked for.
    mutating func lookAhead(_ judgements: [Judgement]) {
        let outlooks = judgements.map { Rotation.Outlook.Named(client: $0.name, outlook: $0.outlook) }
        guard let worst = Rotation.Outlook.worst(of: outlooks) else { return }
        outlook = Outlook(worst)
        guard status == .pass else { return }
        if let finding = worst.findings.first, finding.level == .fail {
            demote(to: .fail, Message(id: finding.id, message: finding.message))
        }
    }

    /// Ends with a warning where one was given and the user wants to know by the exit status.
    mutating func applyWarnings(_ rules: OutlookRules) {
        guard rules.failsOnWarning, status == .pass else { return }
        if let finding = outlook?.findings.first(where: { $0.level == Rotation.Outlook.Finding.Level.warn.rawValue }) {
            demote(to: .warn, Message(id: finding.id, message: finding.message))
        } else if let warning = warnings.first {
            demote(to: .warn, warning)
        }
    }

    /// Gives an accepted server another exit status, and says why.
    mutating func demote(to status: ExitStatus, _ why: Message) {
        exit = Exit(status)
        reason = Message(id: why.id, message: verdict == .accept ? "accepted, but " + why.message : why.message)
    }
}
