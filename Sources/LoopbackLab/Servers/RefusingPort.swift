#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A port on which nothing listens and, while a closure runs, nothing can: connecting to it is refused.
public struct RefusingPort: Sendable {
    /// The address the port belongs to.
    public let address: String
    /// The TCP port.
    public let port: UInt16

    /// Runs `body` with a port that is bound but not listened on, and gives it up afterwards.
    ///
    /// - Parameters:
    ///   - address: an address of this machine.
    ///   - isolation: the caller's actor, on which `body` runs.
    ///   - body: receives the port.
    /// - Returns: what `body` returns.
    /// - Throws: ``LabError/system(operation:code:)`` when no port can be bound, and what `body` throws.
    public static func scoped<Value: Sendable>(
        address: String = "127.0.0.1", isolation: isolated (any Actor)? = #isolation,
        _ body: (RefusingPort) async throws -> Value
    ) async throws -> Value {
        let descriptor = try Sockets.bound(to: address, port: 0)
        defer { close(descriptor) }
        return try await body(RefusingPort(address: address, port: Sockets.port(of: descriptor)))
    }
}
