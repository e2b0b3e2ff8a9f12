extension Report {
    /// What monitoring systems are told, to whom every warning matters.
    struct Monitoring: DocumentObject {
        var status: ExitStatus
        var reason: Message
        var statusOfRun: ExitStatus

        func says(_ status: ExitStatus, _ reason: Message) -> Bool {
            self.status == status && statusOfRun == status && self.reason == reason
        }
    }
}

// The keys of the document.

extension Report.Monitoring {
    static let definition: String? = "monitoring"

    static let fields: DocumentFields<Report.Monitoring> = [
        DocumentField(
            "exit", { Report.Exit($0.status) }, as: .exits([.pass, .fail, .unreachable, .warn, .changed, .data])),
        DocumentField("reason", \.reason),
        DocumentField(
            "run_exit", { Report.Exit($0.statusOfRun) }, "What it adds to the run.",
            as: .exits([.pass, .fail, .unreachable, .warn, .changed, .data])),
    ]
}
