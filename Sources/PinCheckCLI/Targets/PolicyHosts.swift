import Base
import PinChecking
import PinFormats
import Pinning

/// The hosts of policies, of which targets are chosen by name.
struct PolicyHosts: Sendable {
    private struct Entry {
        let target: Target
        let name: String
        let place: PinPlace
        let request: CheckRequest
        let ports: [Int]

        func names(_ port: Int) -> Bool { target.port == port || ports.contains(port) }
    }

    private let paths: [String]
    private var hosts: [Entry] = []
    /// The positions in ``hosts`` by name.
    private var positions: [ServerName: [Int]] = [:]

    /// Reads the policies at `paths`, at least one; `-` is standard input.
    init(_ paths: [String], in context: Context) throws(CommandError) {
        self.paths = paths
        for path in paths {
            let input = path == "-" ? try context.readStandardInput() : nil
            let policy = try CommandError.reading(
                try input.map { (input) throws(PinFormatError) in
                    try PolicyReader.policy(input, named: "standard input")
                } ?? PolicyReader.policy(at: path))
            for host in policy.hosts {
                do throws(CommandError) {
                    let target = try CommandError.reading(try Target(host.name))
                    let said = try PolicySettings.read(host)
                    guard target.port == nil || said.ports.isEmpty else {
                        throw CommandError.data("the host names a port, and 'ports' stands beside it: leave out one")
                    }
                    positions[target.host, default: []].append(hosts.count)
                    hosts.append(
                        Entry(
                            target: target, name: host.name, place: host.place, request: said.request, ports: said.ports
                        ))
                } catch { throw error.at(host.place) }
            }
        }
    }

    /// What is asked of one server, by the entry for its port, or else by one for its host that names no port.
    ///
    /// - Returns: the server with what the entry says of it; without an entry, with `request` alone.
    func checkTarget(for target: Target, _ request: CheckRequest) throws(CommandError) -> CheckTarget {
        guard let host = try host(for: target, request) else { return CheckTarget(target: target, request: request) }
        let merged = try Self.merged(request, host)
        var found = CheckTarget(target: target, request: merged, place: host.place)
        found.lacksPins = merged.judging.pins.isEmpty
        return found
    }

    /// What is asked beside what the policy says of a host: neither replaces the other's pins or clients, which follow the pins.
    private static func merged(_ request: CheckRequest, _ host: Entry) throws(CommandError) -> CheckRequest {
        let (given, said) = (request.judging, host.request.judging)
        let isAFNetworkings =
            given.mode != nil || given.allowsInvalidCertificates != nil || given.validatesDomainName != nil
        let (hasPins, hasClient) = (!said.pins.isEmpty, said.clients != nil)
        let rows: [(key: SafeText, flag: SafeText, isTwice: Bool)] = [
            ("pins", "pins are", hasPins && !given.pins.isEmpty),
            (hasClient ? "client" : "pins", "--client is", (hasPins || hasClient) && given.clients != nil),
            ("client", "a flag of AFNetworking's is", hasClient && isAFNetworkings),
        ]
        for (key, flag, isTwice) in rows where isTwice {
            throw .usage(
                "\(host.place): the policy has '\(key)' for \(quoted(host.name)), and \(flag) given beside it: "
                    + "leave one of the two out")
        }
        return request.merged(over: host.request)
    }

    /// The entry for a server, `nil` without one.
    private func host(for target: Target, _ request: CheckRequest) throws(CommandError) -> Entry? {
        let port = CheckTarget(target: target, request: request).port
        let all = (positions[target.host] ?? []).map { hosts[$0] }
        let named = all.filter { $0.names(port) }
        let entries = named.isEmpty ? all.filter { $0.target.port == nil && $0.ports.isEmpty } : named
        guard entries.count > 1 else { return entries.first }
        throw .data(
            "\(quoted(target.host.description)) has several entries for port \(port), at \(entries[0].place) and "
                + "\(entries[1].place), and one decides here: leave one")
    }

    func names(_ target: Target, _ request: CheckRequest) throws(CommandError) -> Bool {
        try host(for: target, request) != nil
    }

    /// Throws for a server that no entry is for.
    func require(_ target: Target, _ request: CheckRequest) throws(CommandError) {
        if try host(for: target, request) == nil { throw missing(target) }
    }

    /// All hosts, or those that `named` holds, in the order of the policies.
    ///
    /// - Throws: ``CommandError`` for a target that is in none of them, and for values that cannot be understood.
    func targets(named: [Target], _ request: CheckRequest) throws(CommandError) -> [CheckTarget] {
        var found: Set<Target> = []
        var result: [CheckTarget] = []
        func port(of named: Target) -> Int? { named.port ?? request.connection.port }
        let chosen = named.isEmpty ? Array(hosts.indices) : Set(named.flatMap { positions[$0.host] ?? [] }).sorted()
        let namedByHost = Dictionary(grouping: named, by: \.host)
        for position in chosen {
            let host = hosts[position]
            let target = host.target
            // An entry that names the port goes before one that names none.
            let asked = (namedByHost[target.host] ?? []).filter { named in
                guard let port = port(of: named), !host.names(port) else { return true }
                return !(positions[named.host] ?? []).contains { hosts[$0].names(port) }
            }
            let asking = asked.filter { port(of: $0) == nil || port(of: $0) == target.port }
            let ports = host.ports
            // An entry that names no port is for every one that is asked for.
            let askingForPort = asked.filter { named in
                guard target.port == nil, let port = port(of: named) else { return false }
                return ports.isEmpty || ports.contains(port)
            }
            found.formUnion(asking + askingForPort)
            let merged = try Self.merged(request, host)
            var targets: [CheckTarget] = []
            func add(_ port: Int?) {
                var request = merged
                if let port { request.connection.port = port }
                var target = CheckTarget(target: target, request: request, place: host.place)
                target.lacksPins = request.judging.pins.isEmpty
                if !targets.contains(where: { $0.port == target.port }) { targets.append(target) }
            }
            if named.isEmpty || !asking.isEmpty {
                let isSaid = target.port != nil || request.connection.port != nil || ports.isEmpty
                if isSaid { add(nil) } else { ports.forEach(add) }
            }
            for port in askingForPort.compactMap(port) { add(port) }
            result += targets
        }
        if let missing = named.first(where: { !found.contains($0) }) { throw self.missing(missing) }
        return result
    }

    private func missing(_ target: Target) -> CommandError {
        let name = target.host.description
        let ports = Set((positions[target.host] ?? []).flatMap { ownPorts(of: hosts[$0]) }).sorted().map(String.init)
        if !ports.isEmpty {
            return .usage(
                "\(quoted(target.text)) is not in \(title) on that port, only on \(ports.joined(separator: ", ")): ask for one of those, "
                    + "or add the port there")
        }
        let nearest = Suggestion.nearest(
            to: name,
            in: hosts.map { $0.target.port == nil ? $0.name : $0.target.host.description }.filter { $0 != name })
        return .usage(
            "\(quoted(target.text)) is not in \(title)"
                + (nearest.map { ": did you mean \(quoted($0))?" } ?? ": add it there, or leave out --policy"))
    }

    private var title: SafeText {
        "the \(paths.count == 1 ? "policy" : "policies") \(paths.map { quoted($0) }.joined(separator: ", "))"
    }

    private func ownPorts(of entry: Entry) -> [Int] { entry.target.port.map { [$0] } ?? entry.ports }
}

extension PolicyHosts {
    /// Notes what those of the files name that are policies, for it not to be written over; whether they are good ones is said
    /// where they are read.
    static func noteFiles(namedIn paths: [String], in context: Context) {
        for path in paths where path != "-" { _ = try? PolicyHosts([path], in: context) }
    }
}
