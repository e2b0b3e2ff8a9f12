package import Base
package import Pinning
import Synchronization
package import TLSProbe
import X509

/// Fetches a document from a server that is judged on the same connection, before the first byte of the request; a
/// redirect's server is judged by the pins for its host, and refused without pins.
package final class Downloader: Sendable {
    package typealias Plan = @Sendable (Target, CheckRequest) throws(Problem) -> Check

    private let checker: Checker
    private let plan: Plan

    package init(in environment: Environment, plan: @escaping Plan) {
        checker = Checker(in: environment, expecting: 1)
        self.plan = plan
    }

    private static let patience = Duration.seconds(30)
    /// The pause before the second attempt; each further pause is twice as long.
    private static let shortestPause = Duration.milliseconds(200)
    /// The bytes that an attempt must bring so that it does not count as a retry.
    private static let leastProgress = 1_000

    package func shutdown() async { await checker.shutdown() }

    package func fetch(
        _ request: DownloadRequest, toFile path: String?, or stream: @escaping DownloadStream,
        progress: DownloadProgress
    ) async -> DownloadResult {
        let started = ContinuousClock.now
        var result = DownloadResult(location: request.location)
        let document: PartialDocument
        do { document = try PartialDocument(path, or: stream, of: request, progress) } catch {
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
            // Progress does not count as a retry; a byte on each connection is not progress.
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

    private func follow(
        _ request: DownloadRequest, _ document: PartialDocument, _ hops: inout [DownloadHop]
    ) async -> DownloadEnding {
        hops = []
        var location = request.location
        var redirects = 0
        var goesOn = true
        while true {
            guard location.isSecure else { return .plainRedirect(location.shown) }
            let unpinned = DownloadEnding.unpinnedRedirect(location.shown)
            let isFirst = location.hasOrigin(of: request.location)
            let check: Check
            do throws(Problem) {
                let target = try Target("https://\(location.authority)/")
                check = try plan(target, isFirst ? request.request : request.request.ofAnotherHost)
                guard check.endpoints.count == 1 else {
                    throw .usage("a document is fetched from one address: give one for \(quoted(location.authority))")
                }
            } catch { return .impossible(error) }
            // Pins that the client does not compare, or that do not apply, do not count.
            guard isFirst || check.policy?.clients.contains(where: { $0.pins != nil }) ?? false else { return unpinned }
            let (connection, response) = await ask(location, isFirst, check, request, for: document, goingOn: goesOn)
            let result = CheckedTarget(connections: [connection], policy: check.policy).results().first
            hops.append((location, result, response == nil ? nil : document.head?.status))
            guard let response else { return result?.outcome == .accepted ? unpinned : .notAccepted }
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
                do { location = try location.following(reference) } catch { return .badRedirect(reference, error) }
            }
        }
    }

    private func ask(
        _ location: HTTPLocation, _ isFirst: Bool, _ check: Check, _ request: DownloadRequest,
        for document: PartialDocument, goingOn: Bool
    ) async -> (CheckedConnection, HTTPResult?) {
        let host = isFirst ? request.request.names.host : nil
        // A user who needs the port in the Host header writes it.
        let authority = host.map { host in
            HTTPLocation.authority(host.host, host.port ?? RequestDefaults.port, defaultPort: RequestDefaults.port)
        }
        // An entity tag names a version of one document; a query may be a signature that changes.
        let source = "\(location.authority)\(location.path.prefix { $0 != "?" }) \(check.endpoint.referenceName)"
        let acceptance = check.policy?.acceptance(of: source)
        return await checker.connection(
            of: (check.endpoint, .ordinary), check, until: Deadline(in: check.timeout), asks: true
        ) { connection in
            let connection = checker.judge(connection, by: check.policy)
            let isPinned = connection.judged?.clients.contains { $0.decided?.isByPins == true } ?? false
            let result = CheckedTarget(connections: [connection], policy: check.policy).results().first
            guard result?.outcome == .accepted, isFirst || isPinned else { return (connection, nil) }
            let missing = document.expect(from: isPinned ? acceptance : nil, goingOn: goingOn)
            // A document is stored without a content coding.
            let own = [HTTPField("Accept-Encoding", "identity")].compactMap(\.self) + missing
            let asked = HTTPRequest(location, authority: authority, fields: (isFirst ? request.fields : []) + own)
            return (connection, HTTPExchange(asked, for: document, patience: Self.patience))
        }
    }
}

extension CheckRequest {
    /// The request for a redirect's server, without credentials and facts of the first server.
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
    /// The hash of a host and its pins: only a download with the same hash is continued.
    fileprivate func acceptance(of host: String) -> String {
        let pins = clients.flatMap { client in
            ["\(client.client.name) \(client.settings.map { "\($0.name)=\($0.value)" })"]
                + (client.pins?.pins ?? []).map { $0.certificate?.fingerprint.hexadecimal ?? $0.spkiSHA256.description }
        }
        return Hashing.sha256(([host] + pins).joined(separator: "\n").bytes).hexadecimal
    }
}

package struct DownloadRequest {
    package let location: HTTPLocation
    /// The user's header fields, which only the URL's own server receives.
    package var fields: [HTTPField] = []
    package var request: CheckRequest
    package var mostRedirects = 10
    /// The number of retries after a failure of the network or server, 0 to 100.
    package var retries = 0
    package var sha256: SHA256Digest?

    package init(_ location: HTTPLocation, request: CheckRequest) {
        (self.location, self.request) = (location, request)
    }
}

package typealias DownloadStream = @Sendable ([UInt8]) throws(WriteFailure) -> Void

/// One server on the way to a document; the status is `nil` without a request or an answer.
package typealias DownloadHop = (location: HTTPLocation, result: CheckResult?, status: Int?)

package enum DownloadEnding {
    case complete
    /// A server was not accepted, or could not be reached; the last hop has the reason.
    case notAccepted
    case status(String)
    case badRedirect(String, Problem)
    case tooManyRedirects(Int)
    case unpinnedRedirect(String)
    case plainRedirect(String)
    /// The server sends another part than the requested one, in its words.
    case wrongRange(String?)
    case wrongHash(SHA256Digest)
    case brokenOff(HTTPError)
    case notStored(WriteFailure)
    /// A setting for a host on the way cannot be used.
    case impossible(Problem)
}

package struct DownloadResult {
    package let location: HTTPLocation
    /// The servers on the way, in their order; of several attempts the last one's.
    package var hops: [DownloadHop] = []
    package var ending = DownloadEnding.complete
    package var count = 0
    package var resumedAt = 0
    /// `true` if the part of an earlier run was discarded.
    package var startedAgain = false
    package var isResumable = false
    /// The coding of the document in the server's words, not escaped; `nil` if there is none.
    package var contentCoding: String?
    package var time = Duration.zero

    fileprivate var mayPass: Bool {
        switch ending {
        case .notAccepted: hops.last?.result?.verdict.outcome == .unreachable
        case .status: [408, 429, 500, 502, 503, 504].contains(hops.last?.status)
        case .brokenOff(let error): error != .cancelled && error != .handshakeNotCompleted
        default: false
        }
    }
}

package final class DownloadProgress: Sendable {
    /// The bytes so far, those before the last connection, and those of the whole, `nil` if no server says.
    package typealias State = (count: Int, start: Int, total: Int?)

    private let current = Mutex<State>((0, 0, nil))
    /// Called with `true` if another run could continue this part.
    let keep: @Sendable (Bool) -> Void

    package init(keep: @escaping @Sendable (Bool) -> Void = { _ in }) { self.keep = keep }

    package var state: State { current.withLock { $0 } }

    func begin(at start: Int, of total: Int?, keeps: Bool) {
        keep(keeps)
        current.withLock { $0 = (start, start, total) }
    }

    func add(_ count: Int) { current.withLock { $0.count += count } }
}
