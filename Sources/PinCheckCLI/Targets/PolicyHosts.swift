import Base
import PinChecking
import PinFormats
import TLSProbe

struct PolicyHosts {
    private struct Entry {
        /// The named target; `nil` if the name is not one.
        let target: Target?
        let place: PinPlace
        let ports: [Int]
        let request: Result<CheckRequest, Problem>

        var ownPorts: [Int] { target?.port.map { [$0] } ?? ports }
        var problem: Problem? { request.failure }

        func bad(_ problem: Problem, at port: Int?) -> BadEntry {
            var request = CheckRequest()
            request.connection.port = port
            let title = target.map { CheckTarget($0, request).title } ?? "\(place)"
            return BadEntry(title, problem.at(place))
        }
    }

    private let paths: [String]
    private var hosts: [Entry] = []
    private var positions: [ServerName: [Int]] = [:]

    init(_ paths: [String], in context: Context) throws(Problem) {
        self.paths = paths
        var identities: [[String?]: ClientIdentity] = [:]
        for path in paths {
            let file =
                try path == "-"
                ? PinFile(path: "standard input", bytes: context.contents(of: path)) : PinFile.load(path)
            for host in try PolicyReader.policy(file).hosts {
                // A row for each port needs the ports, whatever is wrong with the rest.
                let ports = try? Self.read(host.settings.filter { $0.key == "ports" }, &identities).ports
                let request = Result { () throws(Problem) in
                    if let problem = host.problem { throw problem }
                    let said = try Self.read(host.settings, &identities)
                    guard try Target(host.name).port == nil || said.ports.isEmpty else {
                        throw Problem.data("the host names a port, and 'ports' stands beside it: leave out one")
                    }
                    return said.request
                }
                let entry = Entry(
                    target: try? Target(host.name), place: host.place, ports: ports ?? [], request: request)
                if let target = entry.target { positions[target.host, default: []].append(hosts.count) }
                hosts.append(entry)
            }
        }
    }

    var bad: [BadEntry] { hosts.compactMap { host in host.problem.map { host.bad($0, at: host.ports.first) } } }

    /// The target judged by the entry for its port, else by one without a port; `nil` without an entry.
    func checkTarget(for target: Target, _ request: CheckRequest) throws(Problem) -> CheckTarget? {
        guard let host = try host(for: target, request) else { return nil }
        let merged = try Self.merged(request, host.request.get(), target, at: host.place)
        var found = CheckTarget(target, merged, place: host.place)
        found.lacksPins = merged.judging.pins.isEmpty
        return found
    }

    /// Merges a request over a policy's entry; neither replaces the other's pins or clients.
    private static func merged(
        _ request: CheckRequest, _ host: CheckRequest, _ target: Target, at place: PinPlace
    ) throws(Problem) -> CheckRequest {
        let (given, said) = (request.judging, host.judging)
        let isAFNetworkings =
            given.mode != nil || given.allowsInvalidCertificates != nil || given.validatesDomainName != nil
        let (hasPins, hasClient) = (!said.pins.isEmpty, said.clients != nil)
        let hasAddress = !host.connection.addresses.given.isEmpty
        let rows: [(key: SafeText, flag: SafeText, isTwice: Bool)] = [
            ("pins", "pins are", hasPins && !given.pins.isEmpty),
            (hasClient ? "client" : "pins", "--client is", (hasPins || hasClient) && given.clients != nil),
            ("client", "a flag of AFNetworking's is", hasClient && isAFNetworkings),
            ("connect", "a service for addresses is", hasAddress && request.variants.service != nil),
        ]
        for (key, flag, isTwice) in rows where isTwice {
            throw .usage(
                "\(place): the policy has '\(key)' for \(quoted(target.text)), and \(flag) given beside it: "
                    + "leave one of the two out")
        }
        return request.merged(over: host)
    }

    private func host(for target: Target, _ request: CheckRequest) throws(Problem) -> Entry? {
        let port = CheckTarget(target, request).port
        let entries = positions(of: target.host, at: port).map { hosts[$0] }
        guard entries.count > 1 else { return entries.first }
        throw .data(
            "\(quoted(target.host.description)) has several entries for port \(port), at \(entries[0].place) and "
                + "\(entries[1].place), and one decides here: leave one")
    }

    private func positions(of host: ServerName, at port: Int) -> [Int] {
        let all = positions[host] ?? []
        let named = all.filter { hosts[$0].ownPorts.contains(port) }
        return named.isEmpty ? all.filter { hosts[$0].ownPorts.isEmpty } : named
    }

    /// The named targets, or all; an entry that cannot be used is told whatever is named.
    func targets(named: [Target], _ request: CheckRequest) throws(Problem) -> [TargetStream.Entry] {
        let found = try positions(named: named, request)
        let others = named.isEmpty ? [] : hosts.indices.filter { hosts[$0].problem != nil }.map { ($0, Int?.none) }
        return try targets(found + others, request)
    }

    /// The targets for a line of a list; an entry that cannot be used has none.
    func targets(of line: CheckTarget) throws(Problem) -> [CheckTarget] {
        let found = try positions(named: [line.target], line.request).filter { hosts[$0.position].problem == nil }
        return try targets(found, line.request, at: line.place).compactMap { try? $0.get() }
    }

    private typealias Choice = (position: Int, port: Int?)

    private func positions(named: [Target], _ request: CheckRequest) throws(Problem) -> [Choice] {
        var chosen: [Choice] = named.isEmpty ? hosts.indices.map { ($0, nil) } : []
        for target in named {
            let port = target.port ?? request.connection.port
            let found = port.map { positions(of: target.host, at: $0) } ?? positions[target.host] ?? []
            guard !found.isEmpty else { throw missing(target) }
            chosen += found.map { ($0, port) }
        }
        return chosen
    }

    private func targets(
        _ chosen: [Choice], _ request: CheckRequest, at place: PinPlace? = nil
    ) throws(Problem) -> [TargetStream.Entry] {
        var result: [TargetStream.Entry] = []
        for (position, choices) in Dictionary(grouping: chosen, by: \.position).sorted(by: { $0.key < $1.key }) {
            let host = hosts[position]
            let isSaid = host.target?.port != nil || request.connection.port != nil || host.ports.isEmpty
            let ports = choices.flatMap { choice -> [Int?] in
                if choice.port != nil, choice.port != host.target?.port { return [choice.port] }
                return isSaid ? [nil] : host.ports
            }
            if let problem = host.problem {
                result += ports.distinct.map { .failure(host.bad(problem, at: $0 ?? request.connection.port)) }
            }
            guard let target = host.target, let said = try? host.request.get() else { continue }
            let merged = try Self.merged(request, said, target, at: host.place)
            var seen: Set<Int> = []
            for port in ports {
                var request = merged
                if let port { request.connection.port = port }
                var target = CheckTarget(target, request, place: place ?? host.place)
                target.lacksPins = request.judging.pins.isEmpty
                if seen.insert(target.port).inserted { result.append(.success(target)) }
            }
        }
        return result
    }

    func missing(_ target: Target) -> Problem {
        let name = target.host.description
        let ports = Set((positions[target.host] ?? []).flatMap { hosts[$0].ownPorts }).sorted().map(String.init)
        if !ports.isEmpty {
            return .usage(
                "\(quoted(target.text)) is not in \(title) on that port, only on \(ports.listed): ask for one of those, "
                    + "or add the port there")
        }
        let nearest = Suggestion.nearest(
            to: name,
            in: hosts.compactMap(\.target).map { $0.port == nil ? $0.text : $0.host.description }.filter { $0 != name })
        return .usage(
            "\(quoted(target.text)) is not in \(title)"
                + (nearest.map { ": did you mean \(quoted($0))?" } ?? ": add it there, or leave out --policy"))
    }

    private var title: SafeText { "the \(paths.count == 1 ? "policy" : "policies") \(paths.map { quoted($0) }.listed)" }

    /// Notes the files that policies among `paths` name, so that they are not overwritten.
    static func noteFiles(namedIn paths: [String], in context: Context) {
        for path in paths where path != "-" { _ = try? PolicyHosts([path], in: context) }
    }

    static let options: [Option] = Command.sharedGroups.flatMap(\.options).filter { $0.key != nil } + [ports, family]

    private static let ports = Option(
        "", of: "port", .whole(1...65_535), help: "The ports to check, where the host names none (default: 443).",
        isRepeatable: true, key: "ports"
    ) { $0.ports.append($1.number) }

    private static let family = Option(
        "", of: "4|6", .one { Option.words(["4", "6"]) }, help: "Use addresses of this family only.", key: "ipVersion"
    ) { $0.request.connection.family = try $1.text.known(among: ["4", "6"]) == "4" ? .ipv4 : .ipv6 }

    private static let byKey = Dictionary(grouping: options) { $0.key ?? "" }

    private static func read(
        _ said: [(key: String, value: DocumentNode)], _ identities: inout [[String?]: ClientIdentity]
    ) throws(Problem) -> Settings {
        var settings = Settings()
        // `false` cancels a value of the defaults.
        let places = said.filter { $0.value.truth != false }
        func place(_ key: String) -> PinPlace? { places.first { $0.key == key }?.value.place }
        let ways = ["connect", "httpdns", "doh"].compactMap(place)
        guard ways.count < 2 else {
            throw Problem.data("'connect', 'httpdns' and 'doh' each say where the host is: leave one of them").at(
                ways[1])
        }
        for (key, node) in said {
            do {
                let (option, values) = try self.values(of: byKey[key] ?? [], key, node)
                for value in values { try option.read(value, calling: "'\(key)'", into: &settings) }
            } catch { throw error.at(node.place) }
        }
        settings.request.connection.addresses.isOfOneTarget = !settings.request.connection.addresses.given.isEmpty
        let files = [settings.clientCertificate, settings.clientKey]
        do {
            // Thousands of hosts may name the files of the defaults.
            if identities[files] == nil { identities[files] = try settings.clientIdentity("'cert'", "'key'") }
        } catch { throw (place("cert") ?? place("key")).map(error.at) ?? error }
        settings.request.connection.clientIdentity = identities[files]
        return settings
    }

    private static func values(
        of options: [Option], _ key: String, _ node: DocumentNode
    ) throws(Problem) -> (Option, [Option.Value]) {
        guard let option = options.first(where: { !$0.isSwitch }) ?? options.first else { throw node.wrong("nothing") }
        if let flag = node.truth {
            // `false` cancels a value of the defaults, or means the key's switch that turns the value off.
            if option.isRevocable, !flag { return (option, []) }
            guard let toggle = options.first(where: \.isSwitch), option.isSwitch || !flag else {
                throw node.wrong(options.count > 1 || option.isRevocable ? "a text or false" : "a text")
            }
            return (toggle, [Option.Value(isOn: toggle.isNegation ? !flag : flag, place: node.place)])
        }
        guard !option.isSwitch else { throw node.wrong("true or false") }
        guard let elements = node.elements, option.isRepeatable || option.isList else {
            return (option, [Option.Value(text: try text(of: option, key, node, options.count > 1), place: node.place)])
        }
        guard !elements.isEmpty else {
            throw node.problem(.missingValue, "'\(key)' is an empty list", "leave the key out, or list something")
        }
        let values = try elements.map { (node) throws(Problem) in
            Option.Value(text: try text(of: option, key, node), place: node.place)
        }
        if option.isRepeatable { return (option, values) }
        return (option, [Option.Value(text: values.map(\.text).joined(separator: ","), place: node.place)])
    }

    private static func text(
        of option: Option, _ key: String, _ node: DocumentNode, _ mayBeFalse: Bool = false
    ) throws(Problem) -> String {
        switch (option.values, node.number) {
        case (.whole(let range), let number):
            guard let number, let value = Int(number), range.contains(value) else {
                throw node.wrong("a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        case (.seconds, let number):
            guard let number, let value = Double(number), value > 0 else { throw node.wrong("a number above 0") }
            // JSON has more ways to write a number than the command line.
            return value.isInfinite || number.allSatisfy { $0.isWholeNumber || $0 == "." } ? number : "\(value)"
        case (.threshold, let number?):
            throw node.problem(
                .wrongValue, "'\(key)' is a number without a unit",
                "write \"\(number)d\" for days, or \"\(number)%\" for a part of the lifetime")
        case (.one, let number?), (.statuses, let number?): return number
        default:
            if mayBeFalse, node.string == nil { throw node.wrong("a text or false") }
            let text = try node.text()
            guard !text.isEmpty, !text.utf8.contains(0) else { throw node.wrong("a text with something in it") }
            guard case .file = option.values else { return text }
            return RegularFile.path(text, besideFilesIn: PathParts(node.file.path).directory)
        }
    }
}
