internal import Base
internal import Pinning

/// pincheck's own policy files, read as a configuration of hosts.
enum PolicyFile {
    static func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        guard collector.readsPolicies else {
            throw PinFormatError(
                .otherKind, at: file.place, "is a policy, and a policy takes no pins from another one",
                remedy: "name the files with the pins themselves")
        }
        var entries: [HostEntry] = []
        var known: [SourceKey: [Pin]] = [:]
        var count = 0
        for host in try PolicyReader.policy(in: file).hosts {
            let hosts = try HostText.pattern(host.hostName, .exact, at: host.place)
            var pins: [Pin] = []
            for source in host.pins {
                let key = SourceKey(source)
                if known[key] == nil { known[key] = try collector.readForPolicy(source) }
                pins += known[key] ?? []
            }
            guard !pins.isEmpty else { continue }
            count += pins.count
            guard count <= HostEntry.mostPins else { throw .tooManyPins(at: host.place) }
            entries.append(HostEntry(hosts: hosts, origin: host.place.description, identities: .anywhere(pins)))
        }
        collector.add(PinConfiguration(.policy, entries: entries))
    }

    /// What thousands of hosts can have in common, and is read once: a file, or what the defaults say.
    private struct SourceKey: Hashable {
        let source: PinSource
        /// Where pins stand that are written out, for that is their origin.
        let place: PinPlace?

        init(_ source: PinSource) {
            self.source = source
            place = FileKind(at: source.text) == .absent ? source.place : nil
        }
    }
}
