import Base
public import Pinning
package import TLSProbe
import X509

/// What one client makes of a chain, on one device where some were named.
public struct ClientVerdict: Sendable {
    package let client: ConfiguredClient
    /// The device it is judged on; this machine where none was named.
    package let judgedDevice: JudgedDevice
    /// The name of the device, `nil` where none was named.
    public let device: String?
    /// Its verdict, or why there is none.
    public let verdict: Result<Verdict, ClientConfigurationError>
    /// The reason.
    public package(set) var reason: Reason
    /// The handshake that it was judged on; `nil` for a chain without one, and if its TLS gets none.
    package let handshake: Handshake?
    /// Its place among all: by device and registry, whatever the order in which clients were named.
    let rank: Int
    /// Asks the client about other worlds, `nil` without a verdict and for what is only forecast.
    private let forecaster: Forecaster?
    private var knowledge: (inUse: Set<SHA256Digest>, isIdleTaken: Bool) = ([], false)
    package private(set) var outlook: Outlook?
    /// Which of the configured pins are on its path, whether or not it looks there.
    package private(set) var matches: [PinMatch] = []

    init(
        _ client: ConfiguredClient, on judgedDevice: JudgedDevice, in policy: HostPolicy, rank: Int = 0,
        _ verdict: Result<Verdict, ClientConfigurationError>, reason: Reason, forecaster: Forecaster? = nil,
        handshake: Handshake? = nil
    ) {
        (self.client, self.judgedDevice) = (client, judgedDevice)
        device = policy.lists == nil ? nil : judgedDevice.name
        (self.verdict, self.reason, self.rank, self.forecaster) = (verdict, reason, rank, forecaster)
        self.handshake = handshake
    }

    /// The client's name, as `--client` takes it.
    public var name: String { client.client.name }

    /// Whether it accepts, `nil` when it has no verdict.
    public var isAccepted: Bool? { if case .success(let verdict) = verdict { verdict.isAccepted } else { nil } }

    package var decided: Verdict? { try? verdict.get() }

    /// Looks ahead.
    ///
    /// A pin for a key or certificate in `inUse` is no backup. A client that compares no pin breaks no gate if `isIdleTaken`, as another
    /// one that follows the same sources does.
    mutating func lookAhead(inUse: Set<SHA256Digest>, isIdleTaken: Bool) {
        guard let forecaster else { return }
        knowledge = (inUse, isIdleTaken)
        (outlook, matches) = forecaster.outlook(inUse: inUse, isIdleTaken: isIdleTaken)
    }

    /// Looks ahead anew, knowing what other connections show in use.
    mutating func learn(inUse: Set<SHA256Digest>) {
        guard !inUse.isSubset(of: knowledge.inUse) else { return }
        lookAhead(inUse: inUse.union(knowledge.inUse), isIdleTaken: knowledge.isIdleTaken)
    }

    /// The keys, and the fingerprints of certificates, that its connection shows in use.
    var inUse: Set<SHA256Digest> { knowledge.inUse }

    mutating func ignore(_ ids: Set<FindingID>) { outlook = outlook?.without(ids) }

    static let notSetUp = "not-configured"
    static let undecided = "issuer-unknown"
    /// Whether what is about to be deployed does not tell what the client makes of it.
    var isUndecided: Bool { isAccepted == nil && reason.id == Self.undecided }
    /// Whether its TLS got no answer.
    var isUnanswered: Bool { isAccepted == nil && reason.failure != nil }
    var isNotSetUp: Bool { isAccepted == nil && !isUndecided && !isUnanswered }

    /// What its verdict is about; `nil` without a verdict.
    var view: ServerView? { forecaster?.today }
    /// The TLS that it connects with; `nil` for one that is not known.
    package var stack: TLSStack? { (try? client.procedure.get())?.stack(on: judgedDevice.release) }
}

/// What the clients make of one chain, from a server, a file, or one that is about to be deployed, and what there is to say of it beside.
package struct JudgedChain: Sendable {
    package let policy: HostPolicy
    package let view: ServerView
    /// In the order in which the clients were chosen, device by device.
    package var clients: [ClientVerdict]
    /// The finding that the chain is or may be an interceptor's; also among the findings or notes.
    package let interception: Finding?
    let findings: [Finding]
    /// What is good to know of the verdicts and of the roots of devices, each once.
    let notes: [Finding]

    /// Devices whose clients never get such a key.
    let leftOut: Set<String>

    var ending: Ending { clients.ending(in: policy, leftOut: leftOut) }

    /// What is shown: what the verdict rests on of the first client of the registry, or of the first that rejects; `nil` where none
    /// could be set up.
    package var shown: ClientVerdict? { clients.shown }
    package var ranked: [ClientVerdict] { clients.ranked }
    var inUse: Set<SHA256Digest> { clients.reduce(into: []) { $0.formUnion($1.inUse) } }

    /// How long the verdicts will last: the worst of all clients; `nil` where none has one.
    package var outlook: Outlook? {
        Outlook.worst(of: clients.ranked.compactMap { one in one.outlook.map { (one, $0) } }) { clients.names(of: $0) }
    }

    /// Which of the configured pins are on the paths of clients.
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
}

/// A configured pin that is on the paths of clients.
package struct MatchedPin: Sendable, Hashable {
    package let pinIndex: Int
    /// The depth on the paths of the clients.
    package let depth: Int
    package let clients: [String]
    /// The certificate that it is for, `nil` for a key that has none yet.
    package let certificate: Certificate?

    package init(_ pinIndex: Int, at depth: Int, of clients: [String], on certificate: Certificate? = nil) {
        (self.pinIndex, self.depth, self.clients, self.certificate) = (pinIndex, depth, clients, certificate)
    }
}

extension [ClientVerdict] {
    /// Those with a verdict, by device and registry: nothing but the order of lines follows from that of `--client`.
    var ranked: [ClientVerdict] { filter { $0.isAccepted != nil }.sorted { $0.rank < $1.rank } }

    /// The first that rejects, by device and registry, or else the first.
    var shown: ClientVerdict? {
        // By their positions: a verdict is large.
        func key(_ index: Int) -> (Int, Int) { (self[index].isAccepted == true ? 1 : 0, self[index].rank) }
        return indices.filter { self[$0].isAccepted != nil }.min { key($0) < key($1) }.map { self[$0] }
    }
}

extension JudgedChain {
    /// Whether a device that accepts would ask whether the certificate is revoked, which nobody here does: it says where, and no staple
    /// says that it is good.
    package var leavesRevocationOpen: Bool {
        view.evidence?.staple != .good && RevocationPlaces.areNamed(by: view.presented.leaf)
            && clients.contains { client in
                ![nil, .openssl].contains(client.client.client.platform) && client.isAccepted == true
                    && client.decided?.restsOn.isEmpty == false
            }
    }
}

// Clients, and the devices they judge on where some were named, as sentences name them.

extension [ClientVerdict] {
    /// Some of them, as in `trustkit` and `afnetworking, trustkit on ios-12; okhttp on android-9`.
    func names(of some: [ClientVerdict], namesAllDevices: Bool = false) -> String {
        // In their order, each once.
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
    /// Some of `devices` in their order; rows of more than three neighbours are cut short.
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

extension ClientVerdict {
    /// Whether the client rejects since the chain is not trusted, whatever is pinned.
    var isUntrusted: Bool { if case .untrusted? = decided?.reason { isAccepted == false } else { false } }
}
