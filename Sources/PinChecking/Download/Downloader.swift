package import Base
package import Pinning
import Synchronization
package import TLSProbe
import X509

/// Fetches a document from a server that is judged on the very connection that carries it.
///
/// Before the verdict not a byte of the request is sent; a redirect is judged as any server is, by what is given for its host, and
/// leads to no host without pins.
package final class Downloader: Sendable {
    /// What is checked of the server of a URL or a redirect, by what is given for its host.
    package typealias Plan = @Sendable (Target, CheckRequest) throws(Problem) -> Check

    private let checker: Checker
    private let plan: Plan

    package init(in environment: Environment, plan: @escaping Plan) {
        checker = Checker(in: environment, expecting: 1)
        self.plan = plan
    }

    /// How long a body may pause.
    private static let patience = Duration.seconds(30)
    /// The pause before the second try; each further one is twice as long.
    private static let shortestPause = Duration.milliseconds(200)
    /// How many bytes a try has to bring for another that does not count.
    private static let leastProgress = 1_000

    package func shutdown() async { await checker.shutdown() }

    /// Fetches a document into the file at `path`, or where there is none to `stream`, which takes the bytes as they come.
    package func fetch(
        _ request: DownloadRequest, toFile path: String?, or stream: @escaping DownloadStream,
        progress: DownloadProgress
    ) async -> DownloadResult {
        let started = ContinuousClock.now
        var result = DownloadResult(location: request.location)
        let document: PartialDocument
        do throws(WriteFailure) { document = try PartialDocument(path, or: stream, of: request, progress) } catch {
            result.ending = .notStored(error)
            return result
        }
        defer { progress.keep(false) }
        var pause = Self.shortestPause
        var retries = 0
        while true {
            let before = document.count
            result.ending = await follow(request, document, &result.hops)
            guard result.mayPass, request.retries > 0, document.mayBeginAgain, !Task.isCancelled else { break }
            // What goes on well is no second try; a server that gives a byte on each connection is none that goes on.
            if document.count - before >= Self.leastProgress {
                pause = Self.shortestPause
            } else {
                guard retries < request.retries else { break }
                retries += 1
            }
            do { try await Task.sleep(for: pause) } catch { break }
            pause = min(pause * 2, .seconds(5))
        }
        result.ending = document.conclude(result.ending)
        result.count = document.count
        result.resumedAt = document.resumed
        result.startedAgain = document.startedAgain
        result.isResumable = document.isResumable
        result.contentCoding = document.head?.contentCoding
        result.time = started.duration(to: .now)
        return result
    }

    /// One way to the document, from its URL through all redirects.
    private func follow(
        _ request: DownloadRequest, _ document: PartialDocument, _ hops: inout [DownloadHop]
    ) async -> DownloadEnding {
        hops = []
        var location = request.location
        var redirects = 0
        var goesOn = true
        while true {
            guard location.isSecure else { return .plainRedirect(location.description) }
            let unpinned = DownloadEnding.unpinnedRedirect(location.description)
            let isFirst = location.hasOrigin(of: request.location)
            let check: Check
            do throws(Problem) {
                let target = try Target("https://\(location.authority)/")
                check = try plan(target, isFirst ? request.request : request.request.ofAnotherHost)
            } catch { return .impossible(error) }
            // Pins that are not compared, or do not apply, are none.
            guard isFirst || check.policy?.clients.contains(where: { $0.pins != nil }) ?? false else { return unpinned }
            let (connection, response) = await ask(location, isFirst, check, request, for: document, goingOn: goesOn)
            let result = CheckedTarget(connections: [connection], policy: check.policy).results().first
            hops.append((location, result, response == nil ? nil : document.head?.status))
            guard let response else { return connection.verdict.outcome == .accepted ? unpinned : .notAccepted }
            if let failure = document.failure { return .notStored(failure) }
            switch document.answer {
            case .document:
                if case .failure(let error) = response { return .brokenOff(error) }
                guard let total = document.total, document.count != total else { return .complete }
                return .brokenOff(.cutOff)
            case .notInRange: goesOn = false
            case .ended(let ending): return ending
            case .redirect(let reference):
                redirects += 1
                guard redirects <= request.mostRedirects else { return .tooManyRedirects(request.mostRedirects) }
                do throws(Problem) { location = try location.following(reference) } catch {
                    return .badRedirect(reference, error)
                }
            }
        }
    }

    /// Connects, judges, and on the same connection asks a server that is accepted.
    private func ask(
        _ location: HTTPLocation, _ isFirst: Bool, _ check: Check, _ request: DownloadRequest,
        for document: PartialDocument, goingOn: Bool
    ) async -> (CheckedConnection, Result<HTTPResponse, HTTPError>?) {
        let host = isFirst ? request.request.names.host : nil
        // As it was written, as for a request: who means the port writes it.
        let authority = host.map { host in
            HTTPLocation.authority(host.host, host.port ?? RequestDefaults.port, defaultPort: RequestDefaults.port)
        }
        let acceptance = check.policy?.acceptance(of: "\(location.authority) \(check.endpoint.referenceName)")
        return await checker.connection(
            of: (check.endpoint, .ordinary), check, until: Deadline(in: check.timeout), asks: true
        ) { connection in
            let connection = checker.judged(connection, by: check.policy)
            let isPinned =
                connection.judged?.clients.contains {
                    if case .pinMatched? = $0.decided?.reason { true } else { false }
                } ?? false
            guard connection.verdict.outcome == .accepted, isFirst || isPinned else { return (connection, nil) }
            let missing = document.expect(from: isPinned ? acceptance : nil, goingOn: goingOn)
            // A document is stored as it is.
            let own = [HTTPField("Accept-Encoding", "identity")].compactMap(\.self) + missing
            let asked = HTTPRequest(location, authority: authority, fields: (isFirst ? request.fields : []) + own)
            return (connection, HTTPExchange(asked, for: document, patience: Self.patience))
        }
    }
}

extension CheckRequest {
    /// What holds for the server of a redirect: nothing that was said of the first one alone, and nothing that proves who asks.
    fileprivate var ofAnotherHost: CheckRequest {
        var request = self
        request.names = Names()
        request.connection.serverName = nil
        request.connection.port = nil
        request.connection.clientIdentity = nil
        request.connection.addresses.given.removeAll { $0.onlyForHost == nil }
        request.connection.addresses.isOfOneTarget = false
        return request
    }
}

extension HostPolicy {
    /// The hash of a host and its pins: what was downloaded from it is gone on with by the same alone.
    fileprivate func acceptance(of host: String) -> String {
        let pins = clients.flatMap { client in
            ["\(client.client.name) \(client.settings.map { "\($0.name)=\($0.value)" })"]
                + (client.pins?.pins ?? []).map { $0.certificate?.fingerprint.hexadecimal ?? $0.spkiSHA256.description }
        }
        return Hashing.sha256(Array(([host] + pins).joined(separator: "\n").utf8)).hexadecimal
    }
}

extension DownloadResult {
    fileprivate var mayPass: Bool {
        switch ending {
        case .notAccepted: hops.last?.result?.verdict.outcome == .unreachable
        case .status: [408, 429, 500, 502, 503, 504].contains(hops.last?.status)
        case .brokenOff(let error): error != .cancelled && error != .handshakeNotCompleted
        default: false
        }
    }
}

package struct DownloadRequest: Sendable {
    package let location: HTTPLocation
    /// Fields of the request that the user gave; they go to the server of the URL alone.
    package var fields: [HTTPField] = []
    package var request: CheckRequest
    package var mostRedirects = 10
    /// How often it is tried again where the network or the server failed, 0 to 100.
    package var retries = 0
    package var sha256: SHA256Digest?

    package init(_ location: HTTPLocation, request: CheckRequest) {
        (self.location, self.request) = (location, request)
    }
}

/// Takes the bytes of a document as they come, and throws when nobody does any more.
package typealias DownloadStream = @Sendable ([UInt8]) throws(OutputError) -> Void

/// One server on the way to a document; the status is `nil` where it was not asked or did not answer.
package typealias DownloadHop = (location: HTTPLocation, result: CheckResult?, status: Int?)

package enum DownloadEnding: Sendable {
    case complete
    /// A server was not accepted, or could not be reached; the last hop says why.
    case notAccepted
    /// The server answers with this status line.
    case status(String)
    case badRedirect(String, Problem)
    case tooManyRedirects(Int)
    case unpinnedRedirect(String)
    case plainRedirect(String)
    /// It gives another part than the one that was asked for, in the words of the server.
    case wrongRange(String?)
    case wrongHash(SHA256Digest)
    case brokenOff(HTTPError)
    case notStored(WriteFailure)
    /// Something that was given for a host on the way cannot be used.
    case impossible(Problem)
}

package struct DownloadResult: Sendable {
    package let location: HTTPLocation
    /// Every server on the way, in their order; of several tries the last.
    package var hops: [DownloadHop] = []
    package var ending = DownloadEnding.complete
    package var count = 0
    package var resumedAt = 0
    /// Whether what was there of an earlier run was thrown away.
    package var startedAgain = false
    package var isResumable = false
    /// How the document is encoded, in the words of the server, not escaped; `nil` for not at all.
    package var contentCoding: String?
    package var time = Duration.zero
}

/// How far a download is, for whoever shows it.
package final class DownloadProgress: Sendable {
    /// How many bytes are there, how many of them came before the last connection, and how many there will be: `nil` where no server
    /// says.
    package typealias State = (count: Int, start: Int, total: Int?)

    private let current = Mutex<State>((0, 0, nil))
    /// Learns whether another run could go on with what is there.
    let keep: @Sendable (Bool) -> Void

    package init(keep: @escaping @Sendable (Bool) -> Void = { _ in }) { self.keep = keep }

    package var state: State { current.withLock { $0 } }

    func begin(at start: Int, of total: Int?, keeps: Bool) {
        keep(keeps)
        current.withLock { $0 = (start, start, total) }
    }

    func add(_ count: Int) { current.withLock { $0.count += count } }
}
