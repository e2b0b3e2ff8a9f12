internal import Pinning

/// Reads the JSON that `pincheck pins --format json` writes: the keys that are marked as pinned, by host.
enum PinsReportReader {
    static func read(_ root: DocumentNode, into collector: inout PinCollector) throws(PinFormatError) {
        var entries: [HostEntry] = []
        for result in try root["results"]?.array() ?? [] {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                try self.entry(result, into: &collector)
            }
            guard let entry else { continue }
            // A server and the files whose keys were added for its host are several results, and one set of pins.
            if let index = entries.firstIndex(where: { $0.isSamePlace(as: entry) }),
                case .anywhere(let pins) = entry.identities
            {
                entries[index].identities = .anywhere(entries[index].pins + pins)
            } else {
                entries.append(entry)
            }
        }
        collector.add(PinConfiguration(.pinsJSON, entries: entries))
    }

    private static func entry(
        _ result: DocumentNode, into collector: inout PinCollector
    ) throws(PinFormatError) -> HostEntry {
        var leaf: [Pin] = []
        var authorities: [Pin] = []
        for key in try result["keys"]?.array() ?? [] where try key["pinned"]?.flag() == true {
            guard let hash = key["pins"]?["base64"] else { throw key.wrong("a key with its pins") }
            let pin: Pin
            do throws(PinFormatError) { pin = try HashText.bare(try hash.text(), at: hash.place) } catch {
                try collector.skip(error)
                continue
            }
            let isAuthority = ["authority", "intermediate", "root"].contains { key["role"]?.isText($0) == true }
            if isAuthority { authorities.append(pin) } else { leaf.append(pin) }
        }
        let rules = result["rules"]
        var records: [TLSARecord] = []
        for record in try rules?["records"]?.array() ?? [] {
            guard let line = TLSARecordLine(try record.text()) else { throw record.wrong("a TLSA record") }
            records.append(try line.record(at: record.place))
        }
        let identities: HostEntry.Identities =
            if !records.isEmpty { .records(records, pins: leaf + authorities) } else {
                try positions(rules, leaf, authorities)
            }
        var hosts: HostPattern?
        if let host = result["host"], let name = try text(host), IPAddress(name) == nil {
            let depth: HostPattern.Depth =
                switch try text(rules?["subdomains"]) {
                case "one-label": .oneLabel
                case "up-to-one-label": .upToOneLabel
                case "any-number": .anyNumber
                default: .exact
                }
            hosts = try HostText.pattern(name, depth, at: host.place)
        }
        var entry = HostEntry(hosts: hosts, origin: result.place.description, identities: identities)
        if let rules {
            // What is for one port only stands in these.
            if rules["kind"].map({ $0.isText("tlsa") || $0.isText("curl") }) == true {
                entry.port = result["port"]?.number.flatMap { Int($0) }
            }
            if let flag = rules["enforced"], !flag.isNull { entry.enforcesPinning = try flag.flag() }
            if let date = rules["expires"], !date.isNull { entry.expiration = try date.midnight() }
            entry.isExcluded = try rules["excluded"]?.flag() ?? false
            for uri in try rules["report_uris"]?.array() ?? [] { entry.reportURIs.append(try uri.text()) }
        }
        return entry
    }

    private static func positions(
        _ rules: DocumentNode?, _ leaf: [Pin], _ authorities: [Pin]
    ) throws(PinFormatError) -> HostEntry.Identities {
        switch try text(rules?["position"]) {
        case "leaf": .positions(leaf: leaf, authorities: nil)
        case "authority": .positions(leaf: nil, authorities: authorities)
        case "both": .positions(leaf: leaf, authorities: authorities)
        default: .anywhere(leaf + authorities)
        }
    }

    private static func text(_ node: DocumentNode?) throws(PinFormatError) -> String? {
        guard let node, !node.isNull else { return nil }
        return try node.text()
    }
}

extension HostEntry {
    /// Whether both pin anywhere on the path, for the same hosts, and say nothing else.
    fileprivate func isSamePlace(as other: HostEntry) -> Bool {
        func isPlain(_ entry: HostEntry) -> Bool {
            guard case .anywhere = entry.identities else { return false }
            return !entry.isExcluded && entry.enforcesPinning == nil && entry.expiration == nil
        }
        return isPlain(self) && isPlain(other) && hosts != nil && hosts == other.hosts && port == other.port
    }
}
