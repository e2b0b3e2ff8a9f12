/// Says whether there is time for another step of a handshake.
///
/// Each step looks at the clock: a server may choose how long it takes, and others may wait behind it.
protocol HandshakeClock: AnyObject {
    /// Makes a step unless it comes too late for a server that has sent so many bytes so far.
    ///
    /// - Returns: `nil` when nothing is done any more.
    func step(after count: Int, _ step: () -> TLSConnection.Step) -> TLSConnection.Step?

    /// Has a costly step made when others had their turn, unless it is too late by then.
    func inTurn(_ step: @escaping () -> Void)
}
