import Machine
import Pinning
import TLSProbe

/// Fetches documents, each from a server that is judged on the very connection that carries it.
///
/// Before the verdict not a byte of the request is sent; a redirect is judged as any server is, by what is given for its host.
package final class Downloader: Sendable {
    /// What is asked of the server of a redirect: what is given for its host.
    package typealias HostSettings = @Sendable (Target, CheckRequest) throws(CheckError) -> CheckTarget

    private let checker: Checker
    private let settings: HostSettings
    private let jobs: @Sendable (CheckTarget) throws(CheckError) -> CheckJob

    /// A downloader.
    ///
    /// - Parameters:
    ///   - surroundings: what it has of the world.
    ///   - settings: what is asked of a host.
    ///   - jobs: what a host is judged by.
    package init(
        in surroundings: Surroundings,
        settings: @escaping HostSettings,
        jobs: @escaping @Sendable (CheckTarget) throws(CheckError) -> CheckJob
    ) {
        checker = Checker(
            thread: surroundings.thread,
            network: surroundings.network,
            judgingProxiesBy: ServiceTrust.objection(in: surroundings),
            now: surroundings.now
        )
        self.settings = settings
        self.jobs = jobs
    }

    /// Lets go of its threads: nothing is fetched any more.
    package func shutdown() async { await checker.shutdown() }

    /// Fetches one document.
    ///
    /// - Parameters:
    ///   - request: the document.
    ///   - destination: where it goes.
    ///   - progress: is told how far it is.
    /// - Returns: what came of it.
    package func fetch(
        _ request: DownloadRequest,
        to destination: DownloadDestination,
        progress: DownloadProgress = DownloadProgress()
    ) async -> DownloadResult {
        let started = ContinuousClock.now
        var result = DownloadResult(request.location)
        let store: DownloadStore
        do throws(DownloadStore.Obstacle) {
            store = try DownloadStore(
                destination,
                url: request.location.description,
                hashing: request.sha256 != nil
            )
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
        var pause = Duration.milliseconds(200)
        while true {
            let before = store.count
            await tryOnce(request, store, progress, &result)
            result.count = store.count
            guard result.mayPass, !Task.isCancelled else { break }
            // What goes on is no second try.
            if store.count <= before || store.count == 0 {
                guard result.retries < request.retries else { break }
                result.retries += 1
                do { try await Task.sleep(for: pause) } catch { break }
                pause = min(pause * 2, .seconds(5))
            } else if request.retries == 0 {
                break
            }
        }
        if case .complete = result.ending { conclude(request, store, &result) } else { store.discardNothing() }
        if case .complete = result.ending {} else { result.isResumable = store.isResumable }
        store.end()
        result.time = started.duration(to: .now)
        return result
    }

    /// One way to the document, from its URL through all redirects.
    private func tryOnce(
        _ request: DownloadRequest,
        _ store: DownloadStore,
        _ progress: DownloadProgress,
        _ result: inout DownloadResult
    ) async {
        result.hops = []
        var location = request.location
        var redirects = 0
        var ignoresWhatIsThere = false
        while true {
            let offset = request.method == .get && !ignoresWhatIsThere ? store.count : 0
            let receiver = DownloadReceiver(
                store,
                url: request.location.description,
                method: request.method,
                offset: offset,
                progress: progress
            )
            guard
                let ending = await ask(location, request, from: offset, store.record, receiver, &result)
            else { return }
            result.head = receiver.head
            result.total = receiver.total ?? result.total
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
                do throws(HTTPLocationError) {
                    location = try location.following(reference)
                } catch {
                    result.ending = .answered(.badRedirect(reference, error))
                    return
                }
                continue
            }
            return
        }
    }

    /// Asks one server, or says in `result` why it is not asked.
    ///
    /// - Returns: how the transfer ended, `nil` where there was none.
    private func ask(
        _ location: HTTPLocation,
        _ request: DownloadRequest,
        from offset: Int,
        _ record: DownloadRecord?,
        _ receiver: DownloadReceiver,
        _ result: inout DownloadResult
    ) async -> Result<Void, TransferError>? {
        let isFirst = location.hasOrigin(of: request.location)
        let transfer = transfer(location, request, from: offset, record, to: receiver)
        guard location.isSecure || request.followsUnpinned else {
            result.ending = .answered(.plainRedirect(location.description))
            return nil
        }
        let job: CheckJob
        do throws(CheckError) {
            let target = try CheckError.reading { () throws(RequestError) in
                // One without TLS is reached by what is given for its host and port as well.
                try Target("https://\(HTTPLocation.authority(location.host, Int(location.port), defaultPort: 443))/")
            }
            job = try jobs(try settings(target, isFirst ? request.request : request.request.ofAnotherHost))
        } catch {
            result.ending = .impossible(error)
            return nil
        }
        guard location.isSecure else {
            guard job.endpoint.request.proxy == nil else {
                result.ending = .answered(.plainRedirectBehindProxy(location.description))
                return nil
            }
            let end = await checker.fetchedPlainly(transfer, job.endpoint.request)
            result.hops.append(DownloadHop(location: location, result: nil, status: receiver.head?.status))
            return end
        }
        let mayBeUnpinned = isFirst && request.mayBeginUnpinned || request.followsUnpinned
        // Pins that are not compared, or do not apply, are none.
        let unpinned = DownloadEnding.answered(
            isFirst ? .unpinnedBeginning(location.description) : .unpinnedRedirect(location.description)
        )
        guard mayBeUnpinned || job.evaluation?.isPinned ?? false else {
            result.ending = unpinned
            return nil
        }
        let (connection, end) = await checker.fetched(transfer, by: job) { mayBeUnpinned || $0.matchesPins }
        let checked = CheckedTarget(connection, by: job.evaluation)
        result.hops.append(
            DownloadHop(location: location, result: checked.results().first, status: receiver.head?.status)
        )
        if end == nil {
            let isUnpinned = connection.standing.isAccepted && !mayBeUnpinned && !connection.matchesPins
            result.ending = isUnpinned ? unpinned : .notAccepted
        }
        return end
    }

    private func transfer(
        _ location: HTTPLocation,
        _ request: DownloadRequest,
        from offset: Int,
        _ record: DownloadRecord?,
        to receiver: DownloadReceiver
    ) -> Transfer {
        let isFirst = location.hasOrigin(of: request.location)
        var fields = isFirst ? request.fields : []
        if offset > 0, let validator = record?.validator {
            fields += [HTTPField("Range", "bytes=\(offset)-"), HTTPField("If-Range", validator)].compactMap(\.self)
        }
        let host = isFirst ? request.request.names.host : nil
        let authority = host.map { host in
            HTTPLocation.authority(host.name, host.port ?? Int(location.port), defaultPort: RequestDefaults.port)
        }
        return Transfer(
            TransferQuestion(request.method, location, authority: authority, fields: fields),
            for: receiver,
            patience: request.patience
        )
    }

    /// Gives a document that is there its name, unless it is not the one that was wanted.
    private func conclude(_ request: DownloadRequest, _ store: DownloadStore, _ result: inout DownloadResult) {
        guard request.method == .get else { return }
        if let wanted = request.sha256, let hash = store.finishedHash(), hash != wanted {
            store.discard()
            result.ending = .answered(.wrongHash(hash))
            return
        }
        do throws(WriteFailure) {
            try store.complete()
        } catch {
            result.ending = .notStored(error)
        }
    }
}

extension DownloadResult {
    /// Whether another try could end otherwise.
    fileprivate var mayPass: Bool {
        switch ending {
        case .complete, .notStored, .inTheWay, .impossible: false
        case .notAccepted: hops.last?.result?.standing.isWithoutChain ?? false
        case .answered(.status(let status, _)): [408, 429, 500, 502, 503, 504].contains(status)
        case .answered: false
        case .brokenOff(let error): error != .cancelled && error != .handshakeNotCompleted
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

extension CheckedConnection {
    /// Whether a pin is why a client accepts.
    fileprivate var matchesPins: Bool {
        judgement?.judgements.contains { if case .pinMatched = $0.decided.reason { true } else { false } } ?? false
    }
}

extension Evaluation {
    /// Whether a client has pins for the host.
    fileprivate var isPinned: Bool { setup.clients.contains { $0.pins != nil } }
}

extension TransferHead {
    /// Whether the end of the body is told by more than that of the connection.
    fileprivate var saysItsEnd: Bool {
        fields.contains { $0.isNamed("Content-Length") || $0.isNamed("Transfer-Encoding") }
    }
}

extension Standing {
    fileprivate var isWithoutChain: Bool { if case .unreachable = self { true } else { false } }
}
