internal import Pinning

extension PinGroup {
    /// The pins of a source by the hosts they are for, in their order.
    ///
    /// - Parameters:
    ///   - reading: the source, read.
    ///   - host: the host that pins without one are for, `nil` when that is not known.
    /// - Returns: the groups; those for the same hosts are one.
    package static func groups(of reading: PinReading, host: String?) -> [PinGroup] {
        var groups: [PinGroup] = []
        if !reading.pins.isEmpty {
            let entry = HostEntry(hosts: nil, origin: "", identities: .anywhere(reading.pins))
            groups.append(PinGroup(entry, of: nil, host: host))
        }
        for configuration in reading.configurations {
            let kind = configuration.kind == .appBundle ? nil : configuration.kind
            groups += configuration.entries.map { PinGroup($0, of: kind, host: $0.hosts?.name ?? host) }
        }
        return merged(groups)
    }

    private init(_ entry: HostEntry, of kind: PinConfiguration.Kind?, host: String?) {
        let rules = PinRules(kind, entry)
        let items: [PinItem] =
            switch entry.identities {
            case .anywhere(let pins): pins.map { PinItem($0, isAuthority: nil) }
            case .positions(let leaf, let authorities):
                (leaf ?? []).map { PinItem($0, isAuthority: false) }
                    + (authorities ?? []).map { PinItem($0, isAuthority: true) }
            }
        self.init(
            host: host, port: 443, origins: entry.origin.isEmpty ? [] : ["From \(entry.origin)"], items: items,
            chosen: Set(items.map(\.spkiSHA256)), rules: rules)
    }
}

extension PinItem {
    /// A pin of another configuration, which may say whether the key is an authority's.
    fileprivate init(_ pin: Pin, isAuthority: Bool?) {
        guard let certificate = pin.certificate else {
            self.init(pin.spkiSHA256, role: isAuthority == true ? .authority : .publicKey, source: pin.origin)
            return
        }
        let isCertificateAuthority = certificate.basicConstraints?.isCertificateAuthority == true
        let role: Role =
            if isAuthority ?? isCertificateAuthority { certificate.isSelfIssued ? .root : .intermediate } else { .leaf }
        self.init(certificate, role: role, source: pin.origin)
    }
}
