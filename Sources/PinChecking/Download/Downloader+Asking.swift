import Pinning
import TLSProbe
import X509

extension Downloader {
    /// Asks one server, or says in `result` why it is not asked.
    ///
    /// - Returns: how the transfer ended, `nil` where there was none.
    func ask(
        _ location: HTTPLocation, _ request: DownloadRequest, goingOn: Bool, _ record: DownloadRecord?,
        _ receiver: DownloadReceiver, _ result: inout DownloadResult
    ) async -> Result<Void, TransferError>? {
        let isFirst = location.hasOrigin(of: request.location)
        guard location.isSecure || request.followsUnpinned else {
            result.ending = .answered(.plainRedirect(location.description))
            return nil
        }
        let check: Check
        do throws(CheckError) {
            let target = try CheckError.reading { () throws(RequestError) in
                // One without TLS is reached by what is given for its host and port as well.
                try Target("https://\(HTTPLocation.authority(location.host, Int(location.port), defaultPort: 443))/")
            }
            check = try plan(try settings(target, isFirst ? request.request : request.request.ofAnotherHost))
        } catch {
            result.ending = .impossible(error)
            return nil
        }
        guard location.isSecure else {
            guard check.endpoint.request.proxy == nil else {
                result.ending = .answered(.plainRedirectBehindProxy(location.description))
                return nil
            }
            receiver.begin(from: nil, goingOn: goingOn)
            let transfer = transfer(location, request, record, to: receiver)
            let end: Result<Void, TransferError>
            do throws(TransferError) {
                end = .success(try await checker.prober.fetchPlainly(check.endpoint.request, transfer))
            } catch { end = .failure(error) }
            result.hops.append(DownloadHop(location: location, result: nil, status: receiver.head?.status))
            return end
        }
        let mayBeUnpinned = isFirst && request.mayBeginUnpinned || request.followsUnpinned
        // Pins that are not compared, or do not apply, are none.
        let unpinned = DownloadEnding.answered(
            isFirst ? .unpinnedBeginning(location.description) : .unpinnedRedirect(location.description))
        guard mayBeUnpinned || check.policy?.isPinned ?? false else {
            result.ending = unpinned
            return nil
        }
        // Of what is given, which pins are for a host may depend on its name and port.
        let name = "\(location.authority) \(check.endpoint.referenceName)"
        let acceptance = check.policy?.acceptance(of: name).hexadecimal
        receiver.begin(from: acceptance, goingOn: goingOn && acceptance != nil, needingPins: !mayBeUnpinned)
        let transfer = transfer(location, request, record, to: receiver)
        let (connection, end) = await checker.fetched(transfer, by: check) { connection in
            receiver.isPinned = connection.matchesPins
            return mayBeUnpinned || receiver.isPinned
        }
        let checked = CheckedTarget(connection, by: check.policy)
        result.hops.append(
            DownloadHop(location: location, result: checked.results().first, status: receiver.head?.status))
        if end == nil {
            let isUnpinned = connection.verdict.outcome == .accepted && !mayBeUnpinned && !connection.matchesPins
            result.ending = isUnpinned ? unpinned : .notAccepted
        }
        return end
    }

    private func transfer(
        _ location: HTTPLocation, _ request: DownloadRequest, _ record: DownloadRecord?, to receiver: DownloadReceiver
    ) -> Transfer {
        let isFirst = location.hasOrigin(of: request.location)
        var fields = isFirst ? request.fields : []
        if receiver.offset > 0, let validator = record?.validator {
            fields += [HTTPField("Range", "bytes=\(receiver.offset)-"), HTTPField("If-Range", validator)].compactMap(
                \.self)
        }
        let host = isFirst ? request.request.names.host : nil
        // As it was written, as for a request: who means the port writes it.
        let authority = host.map { host in
            HTTPLocation.authority(host.host, host.port ?? RequestDefaults.port, defaultPort: RequestDefaults.port)
        }
        return Transfer(
            TransferQuestion(request.method, location, authority: authority, fields: fields), for: receiver,
            patience: request.patience)
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
    fileprivate var matchesPins: Bool {
        judged?.clients.contains { if case .pinMatched? = $0.decided?.reason { true } else { false } } ?? false
    }
}

extension HostPolicy { fileprivate var isPinned: Bool { clients.contains { $0.pins != nil } } }
