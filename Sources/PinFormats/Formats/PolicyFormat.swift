internal import Pinning

/// pincheck's own policy files, read as a configuration of hosts.
struct PolicyFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool { PolicyReader.recognises(file) }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        guard collector.readsPolicies else {
            throw PinFormatError(
                .otherKind,
                at: file.place,
                "is a policy, and a policy takes no pins from another one",
                remedy: "name the files with the pins themselves"
            )
        }
        var entries: [HostEntry] = []
        for host in try PolicyReader.policy(in: file).hosts {
            let hosts = try HostText.pattern(host.hostName, .exact, at: host.place)
            var pins: [Pin] = []
            for source in host.pins {
                pins += try collector.readForPolicy(source)
            }
            guard !pins.isEmpty else { continue }
            entries.append(HostEntry(hosts: hosts, origin: host.place.description, identities: .anywhere(pins)))
        }
        collector.add(PinConfiguration(.policy, entries: entries))
    }
}
