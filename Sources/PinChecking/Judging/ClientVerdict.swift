import Base
public import Pinning
package import TLSProbe
import X509

/// A client's verdict on a chain, on one device if devices were named.
public struct ClientVerdict: Sendable {
    package let client: ConfiguredClient
    /// The device it is judged on; this machine if none was named.
    package let judgedDevice: JudgedDevice
    /// The name of the device; `nil` if none was named.
    public let device: String?
    package let decided: Verdict?
    /// The reason for the verdict or for its absence.
    public package(set) var reason: Reason
    /// The handshake that it was judged on; `nil` for a chain without one, and if its TLS gets none.
    package let handshake: Handshake?
    /// The place among all by device and table, independent of the order of `--client`.
    let rank: Int
    /// The client's view of other worlds; `nil` without a verdict or for a forecast.
    private let forecaster: Forecaster?
    /// The keys and fingerprints of certificates that its connection shows in use.
    private(set) var inUse: Set<SHA256Digest> = []
    private var isIdleTaken = false
    package private(set) var outlook: Outlook?
    /// The configured pins on its path, even if it does not compare them there.
    package private(set) var matches: [PinMatch] = []

    init(
        _ client: ConfiguredClient, on judgedDevice: JudgedDevice, in policy: HostPolicy, rank: Int = 0,
        _ decision: HostPolicy.Decision
    ) {
        (self.client, self.judgedDevice, self.rank) = (client, judgedDevice, rank)
        device = policy.lists == nil ? nil : judgedDevice.name
        (decided, reason, forecaster, handshake) = decision
    }

    /// The client's name in `--client`.
    public var name: String { client.client.name }

    /// The verdict, or the reason why there is none.
    public var verdict: Result<Verdict, ClientConfigurationError> {
        decided.map(Result.success) ?? .failure(ClientConfigurationError(client: name, message: reason.sentence))
    }

    /// `true` if the client accepts; `nil` if it has no verdict.
    public var isAccepted: Bool? { decided?.isAccepted }

    /// Computes the outlook.
    ///
    /// A pin for a key or certificate in `inUse` is not a backup. A client that compares no pin breaks no gate if
    /// `isIdleTaken`, because another client follows the same sources.
    mutating func lookAhead(inUse: Set<SHA256Digest>, isIdleTaken: Bool) {
        guard let forecaster else { return }
        (self.inUse, self.isIdleTaken) = (inUse, isIdleTaken)
        (outlook, matches) = forecaster.outlook(inUse: inUse, isIdleTaken: isIdleTaken)
    }

    /// Computes the outlook again, with keys that other connections show in use.
    mutating func learn(inUse more: Set<SHA256Digest>) {
        guard !more.isSubset(of: inUse) else { return }
        lookAhead(inUse: more.union(inUse), isIdleTaken: isIdleTaken)
    }

    mutating func ignore(_ ids: Set<FindingID>) { outlook = outlook?.without(ids) }

    static let notSetUp = "not-configured"
    static let undecided = "issuer-unknown"
    /// `true` if a future deployment does not determine the verdict.
    var isUndecided: Bool { isAccepted == nil && reason.id == Self.undecided }
    /// Whether its TLS got no answer.
    var isUnanswered: Bool { isAccepted == nil && reason.failure != nil }
    var isNotSetUp: Bool { isAccepted == nil && !isUndecided && !isUnanswered }

    /// Whether the client rejects since the chain is not trusted, whatever is pinned.
    var isUntrusted: Bool { if case .untrusted? = decided?.reason { isAccepted == false } else { false } }

    /// What its verdict is about; `nil` without a verdict.
    var view: ServerView? { forecaster?.today }
    /// The TLS that it connects with; `nil` for one that is not known.
    package var stack: TLSStack? { (try? client.procedure.get())?.stack(on: judgedDevice.release) }
}

/// The verdicts on one chain, from a server, a file or a future deployment, with the findings on it.
package struct JudgedChain: Sendable {
    package let policy: HostPolicy
    package let view: ServerView
    /// The verdicts in the order of the chosen clients, device by device.
    package var clients: [ClientVerdict]
    /// The finding that the chain is or may be an interceptor's; also among the findings.
    package let interception: Finding?
    /// The warnings and the notes on the verdicts and the roots of devices, each once.
    let findings: [Finding]
    let ending: Ending

    /// The shown verdict: the first that rejects, else the first of the table; `nil` if no client could be set up.
    package var shown: ClientVerdict? { clients.shown }
    package var ranked: [ClientVerdict] { clients.ranked }
    var inUse: Set<SHA256Digest> { clients.reduce(into: []) { $0.formUnion($1.inUse) } }

    /// The outlook of the verdicts: the worst of all clients; `nil` if none has one.
    package var outlook: Outlook? {
        Outlook.worst(of: clients.ranked.compactMap { one in one.outlook.map { (one, $0) } }) { clients.names(of: $0) }
    }

    package var matches: [MatchedPin] {
        let found = ranked.flatMap { one in
            let path = one.decided?.reach.certificates ?? []
            return one.matches.map { match in
                let certificate = path.indices.contains(match.depth) ? path[match.depth] : nil
                return (pin: MatchedPin(match.pinIndex, at: match.depth, of: [], on: certificate), client: one.name)
            }
        }
        return found.grouped(by: \.pin).map { pin, all in
            MatchedPin(pin.pinIndex, at: pin.depth, of: all.map(\.client).distinct, on: pin.certificate)
        }.sorted { ($0.depth, $0.pinIndex) < ($1.depth, $1.pinIndex) }
    }

    /// `true` if an accepting device could check revocation: the leaf names a place, and no staple is good.
    package var leavesRevocationOpen: Bool {
        view.evidence?.staple != .good && IssuerPlaces.nameRevocation(of: view.presented.leaf)
            && clients.contains { client in
                ![nil, .openssl].contains(client.client.client.platform) && client.isAccepted == true
                    && client.decided?.restsOn.isEmpty == false
            }
    }
}

package struct MatchedPin: Sendable, Hashable {
    package let pinIndex: Int
    package let depth: Int
    package let clients: [String]
    /// The certificate that it is for; `nil` if its key has none yet.
    package let certificate: Certificate?

    package init(_ pinIndex: Int, at depth: Int, of clients: [String], on certificate: Certificate? = nil) {
        (self.pinIndex, self.depth, self.clients, self.certificate) = (pinIndex, depth, clients, certificate)
    }
}

extension [ClientVerdict] {
    /// The clients with a verdict, by device and table: `--client` only changes the order of lines.
    var ranked: [ClientVerdict] {
        // A verdict is large to copy, and most checks have one.
        count == 1 && self[0].isAccepted != nil ? self : filter { $0.isAccepted != nil }.sorted { $0.rank < $1.rank }
    }

    /// The first that rejects, by device and table, or else the first.
    var shown: ClientVerdict? {
        guard count > 1 else { return first { $0.isAccepted != nil } }
        // Positions are compared, because a verdict is large.
        func key(_ index: Int) -> (Int, Int) { (self[index].isAccepted == true ? 1 : 0, self[index].rank) }
        return indices.filter { self[$0].isAccepted != nil }.min { key($0) < key($1) }.map { self[$0] }
    }

    /// The names of some of them, as in `trustkit` or `afnetworking, trustkit on ios-12; okhttp on android-9`.
    func names(of some: [ClientVerdict], namesAllDevices: Bool = false) -> String {
        let all = compactMap(\.device).distinct
        guard !all.isEmpty else { return some.map(\.name).joined(separator: ", ") }
        let groups = some.map(\.name).distinct.grouped { client in
            func devices(_ some: [ClientVerdict]) -> [String] {
                some.filter { $0.name == client }.compactMap(\.device).distinct
            }
            return !namesAllDevices && devices(some) == devices(self) ? [] : devices(some)
        }
        return groups.map { devices, clients in
            clients.joined(separator: ", ") + (devices.isEmpty ? "" : " on \(devices.inRows(of: all))")
        }.joined(separator: groups.contains { !$0.key.isEmpty } ? "; " : ", ")
    }
}

extension [String] {
    /// Some of `devices` in their order; a row of more than three neighbours is cut short.
    package func inRows(of devices: [String]) -> String {
        func system(_ device: String) -> Substring { device.prefix { $0 != "-" } }
        var rows: [[String]] = []
        for (index, device) in devices.enumerated() where contains(device) {
            let previous = index > 0 ? devices[index - 1] : ""
            let isNext = rows.last?.last == previous && system(device) == system(previous)
            if isNext { rows[rows.count - 1].append(device) } else { rows.append([device]) }
        }
        return rows.map { row in row.count > 3 ? "\(row[0]) to \(row[row.count - 1])" : row.joined(separator: ", ") }
            .joined(separator: ", ")
    }
}
