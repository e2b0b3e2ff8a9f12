package import Base
package import Pinning

package struct Policy {
    package let path: String
    /// The hosts in their order, at least one.
    package let hosts: [Host]

    package struct Host {
        package let name: String
        package let place: PinPlace
        /// The host's own settings, and the defaults for those that it lacks.
        package fileprivate(set) var settings: [(key: String, value: DocumentNode)]
        package fileprivate(set) var problem: Problem?

        var hostName: String {
            guard let colon = name.lastIndex(of: ":"), name.firstIndex(of: ":") == colon else { return name }
            return String(name[..<colon])
        }

        func pins() throws(Problem) -> [PinSource] {
            guard let node = settings.first(where: { $0.key == "pins" })?.value else { return [] }
            guard node.elements?.isEmpty != true else {
                throw node.problem(.missingValue, "'pins' is an empty list", "leave the key out, or list something")
            }
            var sources: [PinSource] = []
            for element in node.elements ?? [node] {
                let path = RegularFile.path(try element.text(), besideFilesIn: PathParts(element.file.path).directory)
                sources.append(PinSource(path, at: element.place))
            }
            return sources
        }
    }
}

/// Reads policy files: JSON5 with the members `version`, `defaults` and `hosts`.
package enum PolicyReader {
    package static let version = 1

    /// The policy in a file; pins and anchors that it names are not read yet.
    package static func policy(_ file: PinFile) throws(Problem) -> Policy {
        try file.refusePrivateKeys()
        if !JSONReader.beginsObject(file.bytes), let kind = UnreadKind(named: file) { throw kind.error(at: file.place) }
        let first = file.text?.first { !$0.isWhitespace }
        guard !file.isPropertyList, first != "<", first != "-" else {
            throw file.problem(
                .brokenDocument, "is not a policy: a policy is JSON5 with hosts, and what each is checked by",
                "an Info.plist, a configuration or a certificate goes to --pins")
        }
        guard file.text != nil else {
            let reason = "a policy is JSON5 in UTF-8, and this is not"
            throw file.problem(.textEncoding, reason, "save it as UTF-8")
        }
        guard file.text?.contains(where: { !$0.isWhitespace }) == true else {
            throw file.problem(.noHosts, "the policy is empty", "name at least one host")
        }
        return try policy(in: file)
    }

    static func policy(in file: PinFile) throws(Problem) -> Policy {
        let root = try JSONReader.root(of: file)
        try checkKeys(of: root, known: ["$schema", "version", "defaults", "hosts"], what: "a policy")
        if let version = root["version"] {
            try version.checkVersion(Self.version, remedy: "write \(Self.version), or use a newer pincheck")
        }
        let defaults = try root["defaults"].map(settings) ?? []
        guard let hosts = root["hosts"] else {
            throw file.problem(
                .missingValue, "has no 'hosts'",
                "list them as in hosts: { \"api.example.com\": { pins: [\"api.example.com.txt\"] } }")
        }
        if let first = hosts.elements?.first {
            let name = (try? first.text()) ?? "api.example.com"
            let example = "hosts: { \"\(shortened(name, to: 60))\": { pins: [\"api-pins\"] } }"
            throw hosts.problem(.wrongValue, "'hosts' is a list", "write each host as a key, as in \(example)")
        }
        var result: [Policy.Host] = []
        for (name, node) in try hosts.dictionary() {
            var host = Policy.Host(name: name, place: node.place, settings: [])
            do {
                let own = try settings(in: node)
                let rest = defaults.filter { setting in !own.contains { $0.key == setting.key } }
                host.settings = rest + own
            } catch { host.problem = error }
            result.append(host)
        }
        guard !result.isEmpty else {
            throw hosts.problem(.noHosts, "'hosts' has no host", "name at least one")
        }
        return Policy(path: file.path, hosts: result)
    }

    static func recognises(_ file: PinFile) -> Bool {
        guard let text = file.text, text.holds("hosts"), JSONReader.beginsObject(file.bytes) else { return false }
        guard let root = try? JSONReader.root(of: file) else { return text.holds("hosts:") }
        return root["hosts"]?.members != nil
    }

    private static func settings(in node: DocumentNode) throws(Problem) -> [(key: String, value: DocumentNode)] {
        try checkKeys(of: node, known: keys, what: "a host")
        return try node.dictionary().map { ($0.key, $0.node) }
    }

    /// The names of the settings of a host; the table of options has their values.
    package static let keys = """
        pins client mode allowInvalidCertificates validatesDomainName anchors andSystem device deviceData extraRoots \
        intermediates ports connect sni verifyName host ipVersion warnBefore failBefore minPinLife ignore timeout retries \
        minTLS maxTLS alpn proxy request expectStatus allAddresses keyTypes thorough httpdns doh failOn cert key
        """.split(separator: " ").map(String.init)

    /// The remedies for options of the command line that a policy has no key for.
    private static let instead =
        ["addresses": "write the address itself: connect", "port": "write a list: ports"].merging(
            ["groups", "ciphers", "sigalgs", "jobs"].map { ($0, "leave it out: only the command line takes it") }
        ) { $1 }

    private static func checkKeys(of node: DocumentNode, known: [String], what: String) throws(Problem) {
        for (name, value) in try node.dictionary() where !known.contains(name) {
            let nearest = Suggestion.nearest(to: name, in: known).map { "did you mean '\($0)'?" }
            throw value.problem(
                .unknownKey, "\(what) has no key '\(shortened(name, to: 60))'",
                instead[name] ?? nearest ?? "known are \(known.listed)")
        }
    }

    static func read(_ file: PinFile, into reading: inout PinReading) throws(Problem) {
        guard reading.readsPolicies else {
            throw file.problem(
                .otherKind, "is a policy, and a policy takes no pins from another one",
                "name the files with the pins themselves")
        }
        var entries: [HostEntry] = []
        var known: [String: [Pin]] = [:]
        var count = 0
        let policy = try policy(in: file)
        let others = Set(policy.hosts.flatMap { $0.settings.map(\.key) }).subtracting(["pins"]).sorted()
        if !others.isEmpty {
            reading.note(
                .policySettings, at: file.place,
                "its pins alone are taken, without \(listed(others.map { "'\(shortened($0, to: 60))'" })): "
                    + "give it as the policy to judge by all of it")
        }
        for host in policy.hosts {
            let read = reading.attempt { (reading) throws(Problem) -> (HostPattern, [Pin]) in
                if let problem = host.problem { throw problem }
                let hosts = try HostText.pattern(host.hostName, .exact, at: host.place)
                var pins: [Pin] = []
                for source in try host.pins() {
                    // A file that thousands of hosts name is read once. Pins that are written out have their place as origin.
                    let key = FileKind(at: source.text) == .absent ? "\(source.text)\0\(source.place)" : source.text
                    if known[key] == nil { known[key] = source.readForPolicy(into: &reading) }
                    pins += known[key] ?? []
                }
                return (hosts, pins)
            }
            guard let (hosts, pins) = read, !pins.isEmpty else { continue }
            count += pins.count
            guard count <= HostEntry.mostPins else { throw .tooManyPins(at: host.place) }
            entries.append(HostEntry(hosts: hosts, origin: host.place, identities: .anywhere(pins)))
        }
        reading.add(.policy, entries)
    }
}
