import TLSProbe

extension Checker {
    /// Connects, judges, and on the same connection fetches a document from a server that is accepted.
    ///
    /// - Returns: the connection, and how the transfer ended, `nil` where nothing was asked.
    func fetched(
        _ transfer: Transfer, by job: CheckJob, where isEnough: @Sendable (CheckedConnection) -> Bool
    ) async -> (connection: CheckedConnection, end: Result<Void, TransferError>?) {
        do throws(ProbeError) {
            let (connection, end) = try await prober.prober.fetch(job.endpoint.request) { result in
                let connection = checked(job.endpoint, .success(result), by: job.evaluation)
                let goesOn = connection.standing.isAccepted && isEnough(connection)
                return (connection, transfer: goesOn ? transfer : nil)
            }
            return (connection, end)
        } catch { return (checked(job.endpoint, .failure(error), by: job.evaluation), nil) }
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
