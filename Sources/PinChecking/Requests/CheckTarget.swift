package import PinFormats
import Pinning

/// One target and everything that was said of it.
package struct CheckTarget: Sendable {
    package let target: Target
    package private(set) var request: CheckRequest
    /// Where the target stands in a list or policy, `nil` for one of the command line.
    package var place: PinPlace? = nil
    /// Whether a policy has the target, and nothing says what its pins are.
    package var lacksPins = false

    package init(target: Target, request: CheckRequest, place: PinPlace? = nil) {
        self.target = target
        self.request = request
        self.place = place
    }

    /// The target without the addresses that are for others.
    package var withOwnAddresses: CheckTarget {
        var request = request
        request.connection.addresses.given.removeAll { !$0.applies(to: target, port: port) }
        request.connection.addresses.added.removeAll { !$0.applies(to: target, port: port) }
        var own = self
        own.request = request
        return own
    }

    package var title: String { Place.authority(target.host.description, port) }

    /// The port to connect to where no address has one of its own.
    package var port: Int { target.port ?? request.connection.port ?? RequestDefaults.port }
}
