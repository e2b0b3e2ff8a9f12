import PinFormats
import Pinning
import Text

/// The hosts of policies, of which targets are chosen by name.
struct PolicyHosts {
    private let paths: [String]
    private let plan: PolicyPlan
    private var hosts: [(target: Target, host: Policy.Host)] = []
    /// The positions in ``hosts`` by name.
    private var positions: [ServerName: [Int]] = [:]

    /// Reads the policies at `paths`, at least one; `-` is standard input.
    ///
    /// - Throws: ``CommandError`` for a policy that is wrong.
    init(_ paths: [String], _ plan: PolicyPlan, in context: Context) throws(CommandError) {
        self.paths = paths
        self.plan = plan
        for path in paths {
            let policy: Policy
            let input = path == "-" ? try context.readStandardInput() : nil
            do {
                policy =
                    if let input { try PolicyReader.policy(input, named: "standard input") } else {
                        try PolicyReader.policy(at: path)
                    }
            } catch {
                throw CommandError(status: error.kind == .missing ? .noInput : .data, description: "\(error)")
            }
            for host in policy.hosts {
                do throws(CommandError) {
                    let target = try Target(host.name)
                    positions[target.host, default: []].append(hosts.count)
                    hosts.append((target, host))
                } catch {
                    throw error.at(host.place)
                }
            }
        }
    }

    /// All hosts, or those that `named` holds, in the order of the policies.
    ///
    /// - Throws: ``CommandError`` for a target that is in none of them, and for settings that contradict each other.
    func targets(named: [Target]) throws(CommandError) -> [CheckTarget] {
        var found: Set<Target> = []
        var result: [CheckTarget] = []
        let chosen = named.isEmpty ? Array(hosts.indices) : Set(named.flatMap { positions[$0.host] ?? [] }).sorted()
        for position in chosen {
            let (target, host) = hosts[position]
            do throws(CommandError) {
                let asking = named.filter { $0.host == target.host && ($0.port == nil || $0.port == target.port) }
                let isPortOpen = target.port == nil
                let askingForPort = isPortOpen ? named.filter { $0.host == target.host && $0.port != nil } : []
                guard named.isEmpty || !asking.isEmpty || !askingForPort.isEmpty else { continue }
                found.formUnion(asking + askingForPort)
                let ports = named.isEmpty || !asking.isEmpty ? nil : Set(askingForPort.compactMap(\.port))
                result += try plan.checkTargets(target, host, onlyPorts: ports)
            } catch {
                throw error.at(host.place)
            }
        }
        if let missing = named.first(where: { !found.contains($0) }) {
            let nearest = Suggestion.nearest(to: missing.host.description, in: hosts.map(\.host.hostName))
            let places = paths.map { quoted($0) }.joined(separator: ", ")
            throw .usage(
                "\(quoted(missing.text)) is not in the \(paths.count == 1 ? "policy" : "policies") \(places)"
                    + (nearest.map { ": did you mean \(quoted($0))?" } ?? ": add it there, or check it without --policy")
            )
        }
        return result
    }
}

/// Turns hosts of a policy into targets: what the flags leave open, the policy says.
struct PolicyPlan {
    /// The flags of the call; those that are given go before the policy.
    let names: NameOptions
    let connection: ConnectionOptions
    let evaluation: EvaluationOptions
    let outlook: OutlookSettings

    /// One host on each of its ports.
    fileprivate func checkTargets(
        _ target: Target,
        _ host: Policy.Host,
        onlyPorts: Set<Int>?
    ) throws(CommandError) -> [CheckTarget] {
        var (names, connection, evaluation, outlook) = (names, connection, evaluation, outlook)
        for (key, value) in host.settings {
            apply(key, value.content, &names, &connection, &evaluation, &outlook)
        }
        var settings = EvaluationSettings(evaluation, outlook)
        if evaluation.pins.isEmpty { settings.pins = host.pins }
        var checkTarget = CheckTarget(
            target: target,
            names: try names.settings(),
            connection: try ConnectionSettings(connection),
            evaluation: settings
        )
        checkTarget.place = host.place
        checkTarget.hasOwnAddresses = self.connection.connect.isEmpty && host.settings[.connect] != nil
        guard target.port == nil, connection.port == nil, case .numbers(let ports) = host.settings[.ports]?.content
        else {
            return [checkTarget]
        }
        return ports.filter { onlyPorts?.contains($0) ?? true }.map { port in
            var result = checkTarget
            result.connection.defaultPort = port
            return result
        }
    }

    /// Gives one setting to the flags where they leave it open.
    private func apply(
        _ key: PolicyKey,
        _ value: PolicyValue.Content,
        _ names: inout NameOptions,
        _ connection: inout ConnectionOptions,
        _ evaluation: inout EvaluationOptions,
        _ outlook: inout OutlookSettings
    ) {
        func fill(_ flag: inout String?) { flag = flag ?? value.text }
        func fill(_ flag: inout [String]) { if flag.isEmpty { flag = value.texts } }
        func fill(_ flag: inout Bool) { flag = flag || value == .flag(true) }
        switch key {
        case .pins, .ports: break
        case .skipBadPins: fill(&evaluation.skipBadPins)
        case .client: evaluation.client = evaluation.client ?? value.texts.joined(separator: ",")
        case .mode: fill(&evaluation.mode)
        case .allowInvalidCertificates: fill(&evaluation.allowInvalidCertificates)
        case .validatesDomainName: if value == .flag(false) { evaluation.noValidateDomainName = true }
        case .validatesCertificateChain: if value == .flag(false) { evaluation.validateCertificateChain = false }
        case .anchors: fill(&evaluation.anchors)
        // Anchors of the command line are all that is trusted, whatever the policy adds to its own.
        case .andSystem: if self.evaluation.anchors.isEmpty { fill(&evaluation.andSystem) }
        case .extraRoots: fill(&evaluation.extraRoot)
        case .strict: fill(&evaluation.strict)
        case .authLevel: fill(&evaluation.authLevel)
        case .connect: fill(&connection.connect)
        case .sni:
            guard connection.sni == nil, !connection.noSNI else { return }
            if value == .flag(false) { connection.noSNI = true } else { connection.sni = value.text }
        case .verifyName: fill(&names.verifyName)
        case .host: if names.header.isEmpty { fill(&names.host) }
        case .ipVersion:
            guard !connection.ipv4Only, !connection.ipv6Only else { return }
            if value.text == "4" { connection.ipv4Only = true } else { connection.ipv6Only = true }
        case .warnBefore: fill(&outlook.warnBefore)
        case .failBefore: fill(&outlook.failBefore)
        case .minPinLife: fill(&outlook.minPinLife)
        case .timeout: fill(&connection.timeout)
        case .retries: fill(&connection.retries)
        case .minTLS: fill(&connection.minimumTLS)
        case .maxTLS: fill(&connection.maximumTLS)
        case .alpn: connection.alpn = connection.alpn ?? value.texts.joined(separator: ",")
        }
    }
}

extension PolicyValue.Content {
    /// A text, or a number as it was written.
    fileprivate var text: String? {
        switch self {
        case .text(let text), .number(let text): text
        default: nil
        }
    }

    /// The texts of a list.
    fileprivate var texts: [String] {
        if case .texts(let texts) = self { texts.map(\.text) } else { [] }
    }
}
