import Base
import PinFormats
public import Pinning
package import TLSProbe
import X509

/// The verdict of one client on a chain, on one device if devices were named.
public struct ClientVerdict: Sendable {
    package let client: ConfiguredClient
    let judgedDevice: JudgedDevice
    /// The name of the device; `nil` if no device was named.
    public let device: String?
    package let decided: Verdict?
    /// `true` if the client accepts; `nil` if it has no verdict.
    public var isAccepted: Bool? { decided?.isAccepted }
    /// The reason for the verdict, or the reason why there is none.
    public package(set) var reason: Reason
    /// The judged handshake; `nil` if the chain came without one, or the server refused the client's TLS.
    package let handshake: Handshake?
    /// The position among all verdicts by device and client table, independent of the order of `--client`.
    let rank: Int
    /// The forecaster, `nil` without a verdict or if a forecast rejects.
    fileprivate let forecaster: Forecaster?
    package fileprivate(set) var outlook: Outlook?
    /// The configured pins on the client's path, even if the client does not compare them there.
    package fileprivate(set) var matches: [PinMatch] = []

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

    mutating func ignore(_ ids: Set<FindingID>) { outlook = outlook?.without(ids) }

    static let notSetUp = "not-configured"
    static let undecided = "issuer-unknown"
    var isUndecided: Bool { reason.id == Self.undecided }
    var isUnanswered: Bool { isAccepted == nil && reason.failure != nil }
    var isNotSetUp: Bool { isAccepted == nil && !isUndecided && !isUnanswered }

    var isUntrusted: Bool { if case .untrusted? = decided?.reason { isAccepted == false } else { false } }

    var view: ServerView? { forecaster?.today }
    package var stack: TLSStack? { (try? client.procedure.get())?.stack(on: judgedDevice.release) }
}

/// The verdicts on one chain, from a server, a file or a future deployment, with the findings on it.
package struct JudgedChain {
    package let policy: HostPolicy
    package let view: ServerView
    /// The verdicts in the order of the chosen clients, device by device.
    var clients: [ClientVerdict]
    let findings: [Finding]
    let ending: Ending
    /// The hashes of keys and certificates that servers use now; a pin for one of them is not a backup.
    private(set) var inUse: Set<SHA256Digest> = []

    mutating func learn(inUse more: Set<SHA256Digest>) {
        guard !more.isSubset(of: inUse) else { return }
        inUse.formUnion(more)
        clients.lookAhead(in: policy, inUse: inUse)
    }

    var lacksIssuer: Bool { clients.contains { $0.decided?.reason.failures.lackIssuer == true } }

    package var interception: Finding? { findings.first { [.interceptor, .privateRoot].contains($0.kind) } }

    /// The verdict in reports: the first that rejects, else the first of the table; `nil` if no client could be set up.
    package var shown: ClientVerdict? { clients.shown }
    package var ranked: [ClientVerdict] { clients.ranked }

    var outlook: Outlook? { clients.outlook }

    var matches: [MatchedPin] {
        let found = ranked.flatMap { one in
            let path = one.decided?.reach.certificates ?? []
            return one.matches.map { match in
                let certificate = path.indices.contains(match.depth) ? path[match.depth] : nil
                let pin = MatchedPin(pinIndex: match.pinIndex, depth: match.depth, certificate: certificate)
                return (pin: pin, client: one.name)
            }
        }
        return found.grouped(by: \.pin).map { pin, all in
            var pin = pin
            pin.clients = all.map(\.client).distinct
            return pin
        }.sorted { ($0.depth, $0.pinIndex) < ($1.depth, $1.pinIndex) }
    }

    /// `true` if a device that accepts could still check revocation: the leaf names a place, and no staple is good.
    package var leavesRevocationOpen: Bool {
        view.evidence?.staple != .good && IssuerPlaces.nameRevocation(of: view.presented.leaf)
            && clients.contains { client in
                ![nil, .openssl].contains(client.client.client.platform) && client.isAccepted == true
                    && client.decided?.restsOn.isEmpty == false
            }
    }
}

package struct MatchedPin: Hashable {
    package let pinIndex: Int
    package let depth: Int
    package internal(set) var clients: [String] = []
    /// The certificate that the pin matches; `nil` if the key has none yet.
    package internal(set) var certificate: Certificate?
}

extension [ClientVerdict] {
    mutating func lookAhead(in policy: HostPolicy, inUse: Set<SHA256Digest>) {
        // A client without pins keeps `minPinLife` if another compares the pins.
        let isIdleTaken = policy.followsSources && contains { $0.decided?.isByPins == true }
        for index in indices {
            guard let forecaster = self[index].forecaster else { continue }
            (self[index].outlook, self[index].matches) = forecaster.outlook(inUse: inUse, isIdleTaken: isIdleTaken)
        }
    }

    /// The worst of the clients' outlooks: the earliest dates, and each subject's worst finding with its clients' names.
    var outlook: Outlook? {
        let judges = ranked.filter { $0.outlook != nil }
        let all = judges.compactMap(\.outlook)
        guard all.count > 1, let first = all.first else { return all.first }
        let comparing = all.filter(\.comparesPins)
        let ends = all.compactMap { outlook in outlook.pinsMatchUntil.map { (until: $0, end: outlook.end) } }
        func rank(_ end: Outlook.End?) -> Int { Outlook.End.allCases.firstIndex { $0 == end } ?? 0 }
        let soonest = ends.min { ($0.until, rank($0.end)) < ($1.until, rank($1.end)) }
        let findings = all.flatMap(\.findings).grouped(by: \.subject).map { _, alike in
            var worst = alike.min { $0.comes(before: $1) } ?? alike[0]
            let tellers = judges.filter { $0.outlook?.findings.contains(worst) == true }
            // The end of a certificate concerns all clients.
            if tellers.count < judges.count, worst.kind != .expiresSoon {
                worst.message = "\(names(of: tellers)): \(worst.message)"
            }
            return worst
        }
        return Outlook(
            pins: first.pins.indices.map { index in
                let standings = all.map { $0.pins[index] }
                return Outlook.PinStanding(
                    depth: standings.compactMap(\.depth).min(), until: standings.compactMap(\.until).min(),
                    isCompared: standings.contains(where: \.isCompared),
                    isBackup: !comparing.isEmpty && comparing.allSatisfy { $0.pins[index].isBackup },
                    noBackup: standings.lazy.compactMap(\.noBackup).first)
            }, pinsMatchUntil: soonest?.until, end: soonest?.end, noPinAfter: all.compactMap(\.noPinAfter).min(),
            hasBackup: !comparing.isEmpty && comparing.allSatisfy(\.hasBackup),
            pinsExpire: all.compactMap(\.pinsExpire).min(), validUntil: all.compactMap(\.validUntil).min(),
            renewalPoint: first.renewalPoint, findings: findings.worstFirst, comparesPins: !comparing.isEmpty)
    }

    var ranked: [ClientVerdict] {
        // Most checks have one verdict, which is large to copy.
        count == 1 && self[0].isAccepted != nil ? self : filter { $0.isAccepted != nil }.sorted { $0.rank < $1.rank }
    }

    var shown: ClientVerdict? {
        // Positions are compared, because a verdict is large to copy.
        func key(_ index: Int) -> (Int, Int) { (self[index].isAccepted == true ? 1 : 0, self[index].rank) }
        return indices.filter { self[$0].isAccepted != nil }.min { key($0) < key($1) }.map { self[$0] }
    }

    /// The names of some clients, as in `trustkit` or `afnetworking, trustkit on ios-12; okhttp on android-9`.
    func names(of some: [ClientVerdict], namesAllDevices: Bool = false) -> String {
        let all = compactMap(\.device).distinct
        guard !all.isEmpty else { return some.map(\.name).listed }
        let groups = some.map(\.name).distinct.grouped { client in
            let devices = [some, self].map { $0.filter { $0.name == client }.compactMap(\.device).distinct }
            return !namesAllDevices && devices[0] == devices[1] ? [] : devices[0]
        }
        return groups.map { devices, clients in
            clients.listed + (devices.isEmpty ? "" : " on \(devices.inRows(of: all))")
        }.joined(separator: groups.contains { !$0.key.isEmpty } ? "; " : ", ")
    }
}
