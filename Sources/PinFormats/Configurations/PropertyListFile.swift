import Base
import Pinning

/// An Info.plist or a part of one, with `NSPinnedDomains`, App Transport Security or TrustKit's configuration.
enum PropertyListFile {
    private static let marks = ["NSPinnedDomains", "TSKPinnedDomains", TransportSecurityReader.key]

    static func isFound(in file: PinFile) -> Bool { marks.contains { file.bytes.holds($0.bytes) } }

    /// Reads a property list; App Transport Security applies to an app even if its Info.plist does not mention it.
    static func read(_ file: PinFile, isInfo: Bool = false, into reading: inout PinReading) throws(Problem) {
        let isBinary = BinaryPropertyList.begins(file.bytes)
        let root = isBinary ? try BinaryPropertyList.root(of: file) : try XMLPropertyList.root(of: file)
        _ = try root.dictionary()
        if try add(root, isOfAnApp: TransportSecurityReader.isOfAnApp(root), into: &reading) { return }
        guard isInfo else { throw withoutPins(at: file.place) }
        reading.transportSecurity.append(TransportSecurity(origin: file.place))
    }

    static func withoutPins(at place: PinPlace) -> Problem {
        Problem(
            .notAPin, at: place,
            "is a property list with neither NSPinnedDomains (in NSAppTransportSecurity) nor TSKConfiguration: it pins nothing",
            "name the configuration, the .cer files or the source that pins")
    }

    static func add(_ root: DocumentNode, isOfAnApp: Bool, into reading: inout PinReading) throws(Problem) -> Bool {
        let security = root[TransportSecurityReader.key]
        let exceptions = security?["NSExceptionDomains"]?.members ?? []
        for (key, node) in (root.members ?? []) + exceptions + exceptions.flatMap({ $0.node.members ?? [] }) {
            let home: String
            switch key {
            case "NSPinnedDomains": home = TransportSecurityReader.key
            case "TSKPinnedDomains" where isOfAnApp, "kTSKPinnedDomains" where isOfAnApp: home = "TSKConfiguration"
            // Some devices take these in place of the key itself.
            case _ where ["-", "~"].contains { key.hasPrefix(TransportSecurityReader.key + $0) }:
                home = TransportSecurityReader.key
            default: continue
            }
            throw node.problem(.unknownKey, "'\(shortened(key, to: 60))' pins nothing here", "put it into \(home)")
        }
        let apple = security?["NSPinnedDomains"]
        let trustKit = root["TSKConfiguration"] ?? (!isOfAnApp && TrustKitReader.hasDomains(root) ? root : nil)
        if let apple { try NSPinnedDomainsReader.read(apple, into: &reading) }
        if let trustKit { try TrustKitReader.read(trustKit, into: &reading) }
        if isOfAnApp { try TransportSecurityReader.read(root, into: &reading) }
        return apple != nil || trustKit != nil || isOfAnApp
    }
}

enum NSPinnedDomainsReader {
    private static let keys = ["NSPinnedLeafIdentities", "NSPinnedCAIdentities"]

    static func read(_ node: DocumentNode, into reading: inout PinReading) throws(Problem) {
        let entries = try reading.entries(in: node.dictionary()) { (name, settings, reading) throws(Problem) in
            let includesSubdomains = try settings["NSIncludesSubdomains"]?.boolean() ?? false
            guard !name.hasSuffix(".") else {
                throw settings.problem(
                    .badHost, "'\(shortened(name))' is never equal to a host, of which the dot at its end is dropped",
                    "leave the dot out")
            }
            let hosts = try HostText.pattern(name, includesSubdomains ? .upToOneLabel : .exact, at: settings.place)
            let leaf = try identities(settings[keys[0]], of: hosts, into: &reading)
            let authorities = try identities(settings[keys[1]], of: hosts, into: &reading)
            reading.noteUnknown(in: settings, of: "NSPinnedDomains", keys + ["NSIncludesSubdomains"])
            if leaf == nil, authorities == nil {
                let words = "\(hosts.name) has neither \(keys[0]) nor \(keys[1]): no certificate can match"
                reading.note(.pinnedToNothing, at: settings.place, words)
            }
            let identities = HostEntry.Identities.positions(leaf: leaf, authorities: authorities)
            return HostEntry(hosts: hosts, origin: settings.place, identities: identities)
        }
        reading.add(.nsPinnedDomains, entries)
    }

    private static func identities(
        _ node: DocumentNode?, of hosts: HostPattern, into reading: inout PinReading
    ) throws(Problem) -> [Pin]? {
        guard let node else { return nil }
        let pins = reading.pins(in: node.elements ?? []) { (identity) throws(Problem) in
            guard let hash = identity["SPKI-SHA256-BASE64"] else {
                throw identity.problem(
                    .missingValue, "an identity has no SPKI-SHA256-BASE64, and Apple's system skips it",
                    "each identity is a dictionary with that key")
            }
            return hash
        }
        if pins.isEmpty, node.elements?.isEmpty != false {
            reading.note(
                .pinnedToNothing, at: node.place,
                "\(hosts.name) is pinned to nothing: no certificate can match an empty list"
                    + ", and two empty lists exempt nothing from pinning either")
        }
        return pins
    }
}
