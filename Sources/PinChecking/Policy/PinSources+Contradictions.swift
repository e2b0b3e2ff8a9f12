import Base
import PinFormats
import Pinning

/// Refuses two configurations of a kind that cover the same host and differ: an app ships only one.
extension PinSources {
    private typealias Said = (origin: PinPlace, value: AnyHashable)

    func refuseContradictions(about server: SettingsPolicy.Server, follows: Bool) throws(Problem) {
        let name = server.host(asWritten: false)
        var readers = Client.all.filter { $0.looseSet != .others }.map { client in
            (client.configurations, server.host(asWritten: client.comparesHostAsWritten))
        }
        let kinds = Set(read.configurations.map(\.kind))
        readers += kinds.filter { kind in !readers.contains { $0.0[kind] != nil } }.map { ([$0: $0.lookup], name) }
        let pins = readers.map { lookups, host in said(by: lookups, of: host, follows) }
        for said in pins + [trustSaid(of: name), transportSaid(of: server.url ?? server.name.serverName)] {
            guard let first = said.first, let other = said.first(where: { $0.value != first.value }) else { continue }
            throw .data(
                "two configurations cover \(server.host): \(first.origin) and \(other.origin); give the one that the app ships"
            )
        }
    }

    private func trustSaid(of host: String?) -> [Said] {
        read.networkSecurity.map { file in
            let trust = [false, true].map { file.trust(for: host, isDebuggable: $0) }
            let values = trust.map { trust in
                var trust = trust
                trust.place = nil
                return trust
            }
            return (trust[0].place?.origin ?? file.origin, [values, file.debugObstacle] as [AnyHashable])
        }
    }

    private func transportSaid(of host: ServerName?) -> [Said] {
        guard let host else { return [] }
        return read.transportSecurity.map { file in
            // Only the newest release requires an entry for an address.
            let rules = [DeviceVersion.newest, DeviceVersion(16)].map { version in
                guard case .on(var rule) = file.ruling(for: host, on: version) else {
                    return nil as TransportSecurity.Rules?
                }
                (rule.hosts, rule.origin) = (nil, nil)
                return rule
            }
            return (file.origin, rules)
        }
    }

    /// The value of each file for a server and a client that reads the file; the lines of all files are one list.
    private func said(
        by lookups: [PinConfiguration.Kind: PinConfiguration.Lookup], of host: String?, _ follows: Bool
    ) -> [Said] {
        let own = read.configurations.filter { lookups[$0.kind] != nil }
        // Lines are a set of their own if the user named no client.
        let lines = follows ? [] : own.filter(\.isList).flatMap(\.entries)
        let files = own.filter { !$0.isList } + (lines.isEmpty ? [] : [PinConfiguration(.okHttp, entries: lines)])
        return files.flatMap { file -> [Said] in
            guard let lookup = lookups[file.kind], files.count > 1 || lookup != .union,
                let policy = policy(of: file, for: host, by: lookup),
                // Pins for any host do not configure this one.
                file.isSource || policy.contains(where: { $0.hosts != nil || $0.loaders != nil })
            else { return [] }
            guard lookup != .union else { return [(policy[0].origin, Set(policy.map(\.value)))] }
            // Of several entries for the same hosts only one counts.
            let taken = policy[0]
            let alike = file.entries.filter { $0.hosts == taken.hosts }
            return ([taken] + alike).map { ($0.origin, Set([$0.value])) }
        }
    }
}

extension HostEntry {
    fileprivate var value: [AnyHashable] {
        let places: [[Pin]?] =
            switch identities {
            case .anywhere(let pins): [pins]
            case .positions(let leaf, let authorities): [leaf, authorities]
            }
        let materials: [Set<Pin.Material>?] = places.map { pins in pins.map { Set($0.map(\.material)) } }
        return [materials, enforcesPinning, expiration, isExcluded, hasExemptAnchors, loaders]
    }
}
