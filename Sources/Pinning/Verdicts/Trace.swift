/// Collects the steps and warnings of a procedure while it runs.
struct Trace {
    private(set) var steps: [TraceStep] = []
    private(set) var warnings: [Warning] = []
    private(set) var notes: [Warning] = []

    mutating func pass(_ id: String, _ detail: String) { add(id, .pass, detail) }
    mutating func fail(_ id: String, _ detail: String) { add(id, .fail, detail) }
    mutating func skip(_ id: String, _ detail: String) { add(id, .skip, detail) }

    /// Adds a warning, once: several steps may come upon the same thing.
    mutating func warn(_ id: String, _ message: String, _ platform: PlatformFamily? = nil) {
        let warning = Warning(id: id, message: message, platform: platform)
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    mutating func note(_ id: String, _ message: String) { notes.append(Warning(id: id, message: message)) }

    private mutating func add(_ id: String, _ status: TraceStep.Status, _ detail: String) {
        steps.append(TraceStep(number: steps.count + 1, id: id, status: status, detail: detail))
    }
}
