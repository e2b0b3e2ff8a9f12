import TLSProbe

extension Checker {
    /// Connects, judges, and on the same connection fetches a document from a server that is accepted.
    ///
    /// Where the verdict depends on what else the server offers, it is asked that first, and then connected to and judged again, as
    /// ``asked(_:_:retries:until:judge:)`` does.
    ///
    /// - Parameters:
    ///   - transfer: what is fetched.
    ///   - job: where to connect, and what the server is judged by.
    ///   - isEnough: whether what made the clients accept is enough to ask for a document.
    /// - Returns: the connection, and how the transfer ended, `nil` where nothing was asked.
    func fetched(
        _ transfer: Transfer, by job: CheckJob, where isEnough: @escaping @Sendable (CheckedConnection) -> Bool
    ) async -> (connection: CheckedConnection, end: Result<Void, TransferError>?) {
        let endpoint = job.endpoint
        let deadline = Deadline(in: endpoint.request.timeout)
        let judge = { @Sendable (result: Result<ProbeResult, ProbeError>, offersECDHE: Bool?) in
            checked(endpoint, result, offersECDHE: offersECDHE, by: job.evaluation)
        }
        let first = await fetched(transfer, endpoint.request, where: isEnough) { judge($0, nil) }
        guard first.connection.dependsOnForwardSecrecy else { return first }
        let settled = await settled(first.connection, retries: 0, until: deadline, judge: judge)
        guard settled.standing.isAccepted else { return (settled, nil) }
        var request = endpoint.request.ofAppUnderTransportSecurity
        request.timeout = max(.milliseconds(1), deadline.remaining)
        return await fetched(transfer, request, isSettled: true, where: isEnough) { result in
            judge(result, nil).asked(beside: settled) { $0.asksForForwardSecrecy(of: endpoint.urlHost) }
        }
    }

    private func fetched(
        _ transfer: Transfer, _ request: ProbeRequest, isSettled: Bool = false,
        where isEnough: @Sendable (CheckedConnection) -> Bool,
        judge: @Sendable (Result<ProbeResult, ProbeError>) async -> CheckedConnection
    ) async -> (connection: CheckedConnection, end: Result<Void, TransferError>?) {
        do throws(ProbeError) {
            let (connection, end) = try await prober.prober.fetch(request) { result in
                let connection = await judge(.success(result))
                let goesOn =
                    connection.standing.isAccepted && (isSettled || !connection.dependsOnForwardSecrecy)
                    && isEnough(connection)
                return (connection, transfer: goesOn ? transfer : nil)
            }
            return (connection, end)
        } catch { return (await judge(.failure(error)), nil) }
    }

    /// Fetches a document without TLS, where that was asked for.
    func fetchedPlainly(_ transfer: Transfer, _ request: ProbeRequest) async -> Result<Void, TransferError> {
        do throws(TransferError) { return .success(try await prober.prober.fetchPlainly(request, transfer)) } catch {
            return .failure(error)
        }
    }

    /// Lets go of the threads.
    func shutdown() async { await probers.shutdown() }
}
