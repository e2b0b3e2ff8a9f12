import PinChecking
import Pinning
import Text

/// The targets of a command line: those named, those of lists, and those of policies, with what is asked of each.
struct GivenTargets {
    /// The targets that are named.
    let targets: [String]
    /// The lists of targets.
    var lists: [String] = []
    /// The policies that name hosts.
    var policies: [String] = []
    /// What the flags say of all of them.
    let request: CheckRequest
    /// A command line that names one, for whoever names none.
    var example = "pincheck api.example.com"

    /// All targets, with what is asked of each: what its line of a list says, else the flags, else the policy.
    ///
    /// - Throws: ``CommandError`` for no target at all, and for one that cannot be understood.
    func read(in context: Context) throws(CommandError) -> [CheckTarget] {
        let hosts = policies.isEmpty ? nil : try PolicyHosts(policies, in: context)
        let named = try targets.map { (text) throws(CommandError) in
            try FileArgument.refuse(asTarget: text)
            return try CommandError.reading { () throws(RequestError) in try Target(text) }
        }
        var result: [CheckTarget] = []
        if let hosts {
            if lists.isEmpty || !named.isEmpty { result = try hosts.targets(named: named, request) }
        } else {
            result = named.map { CheckTarget(target: $0, request: request) }
        }
        for path in lists {
            for line in try TargetList(path, in: context).lines {
                do throws(CommandError) {
                    let found =
                        try hosts?.targets(named: [line.target], request)
                        ?? [CheckTarget(target: line.target, request: request)]
                    result += found.map { target in
                        CheckTarget(
                            target: target.target,
                            request: line.request.merged(over: target.request),
                            place: line.place
                        )
                    }
                } catch {
                    throw error.at(line.place)
                }
            }
        }
        guard result.isEmpty else { return result }
        guard lists.isEmpty else { throw .noInput("the list of targets is empty: write one target a line") }
        throw .usage("no target is given: name a host, as in '\(example)'")
    }
}
