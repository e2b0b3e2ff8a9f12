import Base
import PinChecking
import Pinning

/// Targets that can be asked for though no module names them.
struct AllowedTargets: Sendable {
    private enum Hosts: Sendable {
        case one(ServerName)
        /// Every name below this one.
        case below(String)
    }

    private let entries: [(hosts: Hosts, port: Int?)]
    let includesAll: Bool

    init(_ texts: [String], includesAll: Bool) throws(CommandError) {
        self.includesAll = includesAll
        entries = try texts.map { (text) throws(CommandError) in
            let isPattern = text.hasPrefix("*.")
            let target: Target
            do throws(RequestError) { target = try Target(isPattern ? String(text.dropFirst(2)) : text) } catch {
                throw .usage("\(error)")
            }
            guard isPattern else { return (.one(target.host), target.port) }
            guard case .dns(let name) = target.host else {
                throw .usage("\(quoted(text)) is of no name: write '*.example.com', or an address alone")
            }
            return (.below("." + name), target.port)
        }
    }

    var isEmpty: Bool { entries.isEmpty && !includesAll }

    /// Whether the target at `port` can be asked for.
    func includes(_ target: Target, port: Int, defaultPort: Int) -> Bool {
        includesAll
            || entries.contains { entry in
                guard entry.port ?? defaultPort == port else { return false }
                return switch (entry.hosts, target.host) {
                case (.one(let host), let asked): host == asked
                case (.below(let end), .dns(let name)): name.hasSuffix(end)
                case (.below, .ip): false
                }
            }
    }
}
