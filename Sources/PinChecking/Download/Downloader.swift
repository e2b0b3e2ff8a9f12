import Base
import Pinning
import TLSProbe

/// Fetches documents, each from a server that is judged on the very connection that carries it.
///
/// Before the verdict not a byte of the request is sent; a redirect is judged as any server is, by what is given for its host.
package final class Downloader: Sendable {
    /// What is asked of the server of a redirect: what is given for its host.
    package typealias HostSettings = @Sendable (Target, CheckRequest) throws(CheckError) -> CheckTarget

    let checker: Checker
    let settings: HostSettings
    let plan: @Sendable (CheckTarget) throws(CheckError) -> Check

    package init(
        in environment: Environment, settings: @escaping HostSettings,
        plan: @escaping @Sendable (CheckTarget) throws(CheckError) -> Check
    ) {
        checker = Checker(in: environment, expecting: 1)
        self.settings = settings
        self.plan = plan
    }

    /// The pause before the second try; each further one is twice as long.
    private static let shortestPause = Duration.milliseconds(200)
    /// How many bytes a try has to bring for another that does not count.
    private static let leastProgress = 1_000

    /// Lets go of its threads: nothing is fetched any more.
    package func shutdown() async { await checker.shutdown() }

    package func fetch(
        _ request: DownloadRequest, to destination: DownloadDestination, progress: DownloadProgress = DownloadProgress()
    ) async -> DownloadResult {
        let started = ContinuousClock.now
        var result = DownloadResult(request.location)
        let store: DownloadStore
        do throws(DownloadStore.Obstacle) {
            store = try DownloadStore(destination, url: request.location.description, hashing: request.sha256 != nil)
        } catch {
            switch error {
            case .failure(let failure): result.ending = .notStored(failure)
            case .inTheWay(let path): result.ending = .inTheWay(path)
            }
            return result
        }
        result.resumedAt = store.count
        progress.keep(store.isResumable)
        defer { progress.keep(false) }
        var pause = Self.shortestPause
        while true {
            let before = store.count
            await tryOnce(request, store, progress, &result)
            result.count = store.count
            guard result.mayPass, request.retries > 0, !Task.isCancelled else { break }
            // What goes on well is no second try; a server that gives a byte on each connection is none that goes on.
            if store.count - before >= Self.leastProgress {
                pause = Self.shortestPause
            } else {
                guard result.retries < request.retries else { break }
                result.retries += 1
            }
            do { try await Task.sleep(for: pause) } catch { break }
            pause = min(pause * 2, .seconds(5))
        }
        if case .complete = result.ending { conclude(request, store, &result) } else { store.discardNothing() }
        if case .complete = result.ending {} else { result.isResumable = store.isResumable }
        store.end()
        result.time = started.duration(to: .now)
        return result
    }

    /// One way to the document, from its URL through all redirects.
    private func tryOnce(
        _ request: DownloadRequest, _ store: DownloadStore, _ progress: DownloadProgress, _ result: inout DownloadResult
    ) async {
        result.hops = []
        var location = request.location
        var redirects = 0
        var ignoresWhatIsThere = false
        while true {
            let receiver = DownloadReceiver(
                store, url: request.location.description, method: request.method, progress: progress)
            guard
                let ending = await ask(location, request, goingOn: !ignoresWhatIsThere, store.record, receiver, &result)
            else { return }
            result.head = receiver.head
            if case .document = receiver.answer { result.total = receiver.total }
            if let startedAgain = receiver.startedAgain {
                result.startedAgain = startedAgain
                result.resumedAt = 0
            }
            if let failure = store.failure {
                result.ending = .notStored(failure)
                return
            }
            switch (receiver.answer, ending) {
            case (.none, .failure(let error)), (.document, .failure(let error)): result.ending = .brokenOff(error)
            case (.none, .success): result.ending = .brokenOff(.closedEarly)
            case (.document, .success):
                if !location.isSecure, request.method == .get, receiver.head?.saysItsEnd != true {
                    // Without TLS there is no goodbye: anybody could have cut it.
                    result.ending = .brokenOff(.closedEarly)
                } else if let total = result.total, request.method == .get, store.count != total {
                    result.ending =
                        store.count < total ? .brokenOff(.closedEarly) : .answered(.wrongLength(store.count, of: total))
                } else {
                    result.ending = .complete
                }
            case (.nothingMissing, _): result.ending = .complete
            case (.notInRange, _):
                guard !ignoresWhatIsThere else {
                    result.ending = .answered(.wrongRange(receiver.head?.value(of: "Content-Range")))
                    return
                }
                ignoresWhatIsThere = true
                result.startedAgain = .changed
                result.resumedAt = 0
                continue
            case (.other(let objection), _): result.ending = .answered(objection)
            case (.redirect(let reference), _):
                redirects += 1
                guard redirects <= request.mostRedirects else {
                    result.ending = .answered(.tooManyRedirects(request.mostRedirects))
                    return
                }
                do throws(HTTPLocationError) { location = try location.following(reference) } catch {
                    result.ending = .answered(.badRedirect(reference, error))
                    return
                }
                continue
            }
            return
        }
    }

    /// Gives a document that is there its name, unless it is not the one that was wanted.
    private func conclude(_ request: DownloadRequest, _ store: DownloadStore, _ result: inout DownloadResult) {
        guard request.method == .get else { return }
        if let wanted = request.sha256, let hash = store.finishedHash(), hash != wanted {
            store.discard()
            result.ending = .answered(.wrongHash(hash))
            return
        }
        do throws(WriteFailure) { try store.complete() } catch { result.ending = .notStored(error) }
    }
}

extension DownloadResult {
    /// Whether another try could end otherwise.
    fileprivate var mayPass: Bool {
        switch ending {
        case .complete, .notStored, .inTheWay, .impossible: false
        case .notAccepted: hops.last?.result?.verdict.outcome == .unreachable
        case .answered(.status(let status, _)): [408, 429, 500, 502, 503, 504].contains(status)
        case .answered: false
        case .brokenOff(let error): error != .cancelled && error != .handshakeNotCompleted
        }
    }
}

extension TransferHead {
    fileprivate var saysItsEnd: Bool {
        fields.contains { $0.isNamed("Content-Length") || $0.isNamed("Transfer-Encoding") }
    }
}
