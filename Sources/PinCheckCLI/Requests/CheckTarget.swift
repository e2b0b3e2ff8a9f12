import PinFormats

/// One target and everything that was said of it.
struct CheckTarget: Sendable {
    /// The target.
    let target: Target
    /// What is asked of it.
    let request: CheckRequest
    /// Where the target stands in a list or policy, `nil` for one of the command line.
    var place: PinPlace? = nil

    /// The port to connect to where no address has one of its own.
    var port: Int { target.port ?? request.connection.port ?? RequestDefaults.port }
}
