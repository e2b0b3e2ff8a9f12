package import Pinning
internal import X509

/// Something that another format cannot say, or says otherwise.
package struct PinLoss: Sendable, Hashable, CustomStringConvertible {
    /// The host it is about, `nil` for all.
    package let host: String?
    /// One line.
    package let text: String

    /// The host and what is lost.
    package var description: String { host.map { "\($0): \(text)" } ?? text }
}

/// Groups of pins from configurations, turned into what one format can express.
///
/// Groups that were not read from a configuration stay as they are.
package struct PinConversion: Sendable {
    /// The groups for the format's block, each with its losses as remarks.
    package private(set) var groups: [PinGroup] = []
    /// What the format cannot express.
    package private(set) var losses: [PinLoss] = []

    private let target: ConversionTarget
    /// Exempt hosts where there is no word for that.
    private var leftOut: [PinGroup] = []
    private let format: PinBlockFormat

    /// Turns `groups` into what `format` can express.
    ///
    /// - Parameters:
    ///   - groups: the groups, no two of them for the same hosts.
    ///   - format: the format.
    ///   - suffixes: the public suffix list, which TrustKit goes by.
    package init(_ groups: [PinGroup], to format: PinBlockFormat, suffixes: some PublicSuffixList) {
        target = ConversionTarget(format)
        self.format = format
        let wider = GroupIndex(groups) { $0.rules?.kind != nil && !$0.isExempt && $0.depth != .exact }
        for group in groups {
            guard group.rules != nil else {
                self.groups.append(group)
                continue
            }
            guard !Self.isOfNoHost(group) else {
                lose("this is not a host name, so the entry is for no server: it is left out", group)
                continue
            }
            adapt(withParents(group, among: groups, wider))
        }
        if target.hasOneEntryPerHost { mergeHosts() }
        if !leftOut.isEmpty {
            let index = GroupIndex(self.groups) { $0.rules != nil }
            for group in leftOut { leaveOut(group, among: index) }
        }
        if !target.namesHosts { loseHosts() }
        if format == .trustkit { obeyTrustKit(suffixes) }
        // Where they come from tells the groups of one block apart no longer.
        self.groups = PinGroup.merged(
            self.groups.map { group in
                guard var rules = group.rules else { return group }
                rules.kind = nil
                return group.with(rules: rules)
            })
    }

    /// Whether a group is for what no URL can have for a host, which Android takes without a word.
    private static func isOfNoHost(_ group: PinGroup) -> Bool {
        guard let host = group.host else { return false }
        return (try? ServerName(InternationalName.ascii(host) ?? host)) == nil
    }

    // MARK: One group

    private mutating func adapt(_ group: PinGroup) {
        guard var rules = group.rules else { return }
        var lost: [String] = []
        let host = group.hostName
        if rules.isExcluded, !target.hasExclusion {
            leftOut.append(group)
            return
        }
        if !rules.isExcluded {
            let depth = target.depths[rules.depth] ?? .exact
            if let text = ConversionTarget.loss(host, rules.depth, depth, in: target.name) { lost.append(text) }
            rules.depth = depth
            if let expiration = rules.expiration, !target.hasExpiration {
                lost.append("the pins were to end at \(expiration.date), and \(target.name) has no such date")
            }
            // Android itself enforces what TrustKit is told not to.
            if rules.enforcesPinning == false, !target.hasEnforcement, rules.kind != .android {
                lost.append("a mismatch was only reported, and \(target.name) enforces every pin")
            }
            lost += lostPositions(group, rules)
        }
        if rules.isExcluded, rules.depth != .exact, format == .trustkit {
            lost.append("TrustKit exempts \(host) alone: names below it are pinned like its parent domain now")
            rules.depth = .exact
        }
        if rules.hasExemptAnchors { lost.append("anchors that override pins (overridePins) are left out") }
        if !rules.reportURIs.isEmpty, !target.hasReportURIs {
            lost.append("mismatches were reported, and \(target.name) has no place to report them to")
        }
        if group.port != 443, !target.hasPorts {
            lost.append("the pins were for the port \(group.port), and \(target.name) pins every port")
        }
        for text in lost { losses.append(PinLoss(host: group.host, text: text)) }
        groups.append(
            group.with(rules: rules, port: target.hasPorts ? group.port : 443, remarks: lost.map { "Not kept: " + $0 }))
    }

    private mutating func lose(_ text: String, _ group: PinGroup) {
        losses.append(PinLoss(host: group.host, text: text))
    }

    /// What is lost because the format looks for a pin elsewhere on the path.
    private func lostPositions(_ group: PinGroup, _ rules: PinRules) -> [String] {
        let hasServer = group.items.contains { !$0.role.isAuthority }
        let hasAuthority = group.items.contains(where: \.role.isAuthority)
        let hasUnknown = group.items.contains { $0.role == .publicKey }
        switch format {
        case .curl where hasAuthority: return ["curl compares the server's own key: pins of authorities are left out"]
        case .curl where rules.position == .anywhere && hasUnknown:
            return ["a pin matched anywhere on the path, and curl compares the server's own key alone"]
        case .nspinned where rules.position == .anywhere && hasServer && hasAuthority:
            return [
                "any of the pins was enough, and NSPinnedDomains wants a server's and an authority's: see the comments"
            ]
        case .nspinned where rules.position == .anywhere && hasUnknown:
            return [
                "a pin matched anywhere on the path, and is written as the server's own key: move those of authorities to "
                    + "NSPinnedCAIdentities"
            ]
        case .afnetworking where group.items.contains { $0.certificate == nil }:
            let count = group.items.count { $0.certificate == nil }
            return ["\(count) of \(group.items.count) pins are hashes, and AFNetworking takes certificate files only"]
        default: break
        }
        guard rules.position == .both, format != .nspinned else { return [] }
        return ["a server's and an authority's key had to match, and with \(target.name) one of them is enough"]
    }

    // MARK: Several groups

    /// The group with the pins of other patterns that count for its host too, where the format takes one entry alone.
    private mutating func withParents(_ group: PinGroup, among groups: [PinGroup], _ wider: GroupIndex) -> PinGroup {
        guard let rules = group.rules, let kind = rules.kind, let name = group.host.flatMap({ try? ServerName($0) })
        else { return group }
        let covering = wider.indices(covering: name).map { groups[$0] }
        let parents = covering.filter { $0.host != group.host && $0.rules?.kind == kind }
        guard !parents.isEmpty, !rules.isExcluded else { return group }
        let names = parents.map(\.hosts).joined(separator: ", ")
        if kind.lookup == .union, !target.addsParents, target.namesHosts {
            // The list is for all names of the group: what counted for the first of them alone must not count for the others.
            let isForItsNameAlone =
                rules.depth == .exact || rules.depth != .oneLabel && target.depths[rules.depth] == .exact
            let whole = parents.filter { isForItsNameAlone || $0.depth == .anyNumber }
            for parent in parents where !whole.contains(parent) {
                let pins = parent.items.map(\.notations.okhttp).joined(separator: ", ")
                lose("the pins of \(parent.hosts) counted for \(name) itself, and do not any more: \(pins)", group)
            }
            let added = whole.flatMap(\.items)
            let names = whole.map(\.hosts).joined(separator: ", ")
            guard !added.isEmpty else { return group }
            return group.with(
                items: group.items + added, remarks: ["With the pins of \(names), which counted here too."])
        }
        if kind.lookup != .union, target.addsParents {
            lose("\(target.name) also takes the pins of \(names), which did not count here before", group)
        }
        return group
    }

    /// Makes one of groups for the same host, where a host can stand there once only.
    private mutating func mergeHosts() {
        var merged: [PinGroup] = []
        var indices: [String?: Int] = [:]
        for group in groups {
            guard let rules = group.rules, let index = indices[group.host], let first = merged[index].rules else {
                if group.rules != nil { indices[group.host] = merged.count }
                merged.append(group)
                continue
            }
            var text = "its pins for \(group.hostName) and those for names below it are one list now"
            if first.depth == rules.depth { text = "it was configured more than once, and its pins are one list now" }
            if first.differs(from: rules) { text += "; of what else was said of them, what comes first stays" }
            lose(text, group)
            var wider = first
            if rules.depth != .exact { wider.depth = rules.depth }
            merged[index] = merged[index].with(
                items: merged[index].items + group.items, rules: wider, remarks: group.remarks + ["Not kept: " + text])
        }
        groups = merged
    }

    /// Says that an exempt host is pinned like its parent, where what the format says of that still covers it.
    private mutating func leaveOut(_ group: PinGroup, among index: GroupIndex) {
        guard let name = group.host.flatMap({ try? ServerName($0) }) else { return }
        guard let index = index.indices(covering: name).first else { return }
        let text = "\(target.name) cannot exempt a host: it is pinned like \(groups[index].hostName) now"
        lose(text, group)
        groups[index] = groups[index].with(remarks: ["Not kept: \(group.hostName) was exempt, and is pinned now."])
    }

    private mutating func loseHosts() {
        let hosts = Set(groups.filter { $0.rules != nil }.compactMap(\.host))
        guard !hosts.isEmpty else { return }
        let text = "AFNetworking has one set of certificates for every host of a manager"
        losses.append(PinLoss(host: nil, text: text))
    }

    /// Says which rules of TrustKit's the configuration breaks; the app would not start with it.
    private mutating func obeyTrustKit(_ suffixes: some PublicSuffixList) {
        let domains = groups.map { group in
            TrustKitDomain(
                name: group.hostName,
                includesSubdomains: group.rules?.depth == .anyNumber && group.rules?.isExcluded == false,
                enforcesPinning: group.rules?.enforcesPinning ?? true, hashes: group.items.map(\.spkiSHA256),
                isExcluded: group.rules?.isExcluded ?? false)
        }
        let parents = TrustKitParents(domains)
        for (group, domain) in zip(groups, domains) where group.rules != nil && group.host != nil {
            let own = parents.above(domain)
            for violation in TrustKitConfiguration.violations(of: domain, among: own, suffixes: suffixes) {
                lose("TrustKit throws when the app starts: \(violation.message(domain.name))", group)
            }
        }
    }
}
