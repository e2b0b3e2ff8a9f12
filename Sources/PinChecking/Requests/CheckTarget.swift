package import PinFormats

/// One target and everything that was said of it.
package struct CheckTarget: Sendable {
    /// The target.
    package let target: Target
    /// What is asked of it.
    package let request: CheckRequest
    /// Where the target stands in a list or policy, `nil` for one of the command line.
    package var place: PinPlace? = nil

    /// A target and what is asked of it.
    package init(
        target: Target,
        request: CheckRequest,
        place: PinPlace? = nil
    ) {
        self.target = target
        self.request = request
        self.place = place
    }

    /// The port to connect to where no address has one of its own.
    package var port: Int { target.port ?? request.connection.port ?? RequestDefaults.port }
}
