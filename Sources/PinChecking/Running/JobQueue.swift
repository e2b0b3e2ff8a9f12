/// Jobs in their order, and which of them may begin.
struct JobQueue {
    /// Fewer are left than this when others should be fetched.
    private static let fewest = 256

    private let limits: Checker.Limits
    private var waiting: [CheckJob]
    /// How many of ``waiting`` have begun.
    private var begun = 0
    private var position = 0
    private var jobsUnderWay = 0
    private var connectionsUnderWay = 0
    /// The first position that is not done, and those behind it that are.
    private var firstUndone = 0
    private var done: Set<Int> = []

    init(_ jobs: [CheckJob], within limits: Checker.Limits) {
        waiting = jobs
        self.limits = limits
    }

    var isLow: Bool { waiting.count - begun < Self.fewest }

    mutating func add(_ jobs: [CheckJob]) {
        waiting.removeFirst(begun)
        begun = 0
        waiting += jobs
    }

    func connections(of job: CheckJob) -> Int { min(job.mostConnections, limits.connections) }

    /// The next job with its position, which has begun; `nil` while none may begin.
    mutating func next() -> (position: Int, job: CheckJob)? {
        guard begun < waiting.count else { return nil }
        let job = waiting[begun]
        let connections = connections(of: job)
        if jobsUnderWay > 0 {
            guard jobsUnderWay < limits.jobs, connectionsUnderWay + connections <= limits.connections else {
                return nil
            }
            if let span = limits.span, position - firstUndone >= span { return nil }
        }
        begun += 1
        jobsUnderWay += 1
        connectionsUnderWay += connections
        defer { position += 1 }
        return (position, job)
    }

    /// Takes note that a job is done.
    mutating func end(_ position: Int, connections: Int) {
        jobsUnderWay -= 1
        connectionsUnderWay -= connections
        guard limits.span != nil else { return }
        done.insert(position)
        while done.remove(firstUndone) != nil { firstUndone += 1 }
    }
}
