internal import Pinning

/// The domains of TrustKit's that include their subdomains, to find the few above another one among thousands.
struct TrustKitParents {
    private let domains: [String: TrustKitDomain]

    init(_ domains: [TrustKitDomain]) {
        self.domains = Dictionary(domains.filter(\.includesSubdomains).map { ($0.name, $0) }) { first, _ in first }
    }

    /// Those that `domain` is below.
    func above(_ domain: TrustKitDomain) -> [TrustKitDomain] {
        var parents: [TrustKitDomain] = []
        var name = domain.name[...]
        while let dot = name.firstIndex(of: ".") {
            name = name[name.index(after: dot)...]
            if let parent = domains[String(name)] { parents.append(parent) }
        }
        return parents
    }
}
