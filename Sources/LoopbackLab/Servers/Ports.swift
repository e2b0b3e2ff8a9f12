/// A port that leaves a new connection attempt without any answer while a closure runs: connecting neither succeeds nor fails.
///
/// A listening socket that does not accept, with its queue filled: Linux then drops what asks for a connection, as a firewall
/// would.
package struct UnresponsivePort: Sendable {
    package let address: String
    package let port: UInt16

    /// Runs `body` with such a port and gives it up afterwards.
    package static func scoped<Value: Sendable>(
        address: String = "127.0.0.1", isolation: isolated (any Actor)? = #isolation,
        _ body: (UnresponsivePort) async throws -> Value
    ) async throws -> Value {
        let listener = try Sockets.bound(to: address, port: 0)
        defer { close(listener) }
        guard listen(listener, 0) == 0 else { throw LabError.system("listen on \(address)") }
        let port = Sockets.port(of: listener)
        // A queue of length 0 holds one connection. The others make sure of that; their own attempts stay unanswered.
        var fillers: [Int32] = []
        defer { for filler in fillers { close(filler) } }
        for _ in 0..<4 { fillers.append(try Sockets.connecting(to: address, port: port)) }
        return try await body(UnresponsivePort(address: address, port: port))
    }
}

/// A port on which nothing listens and, while a closure runs, nothing can: connecting to it is refused.
package struct RefusingPort: Sendable {
    package let address: String
    package let port: UInt16

    /// Runs `body` with a port that is bound but not listened on, and gives it up afterwards.
    package static func scoped<Value: Sendable>(
        address: String = "127.0.0.1", isolation: isolated (any Actor)? = #isolation,
        _ body: (RefusingPort) async throws -> Value
    ) async throws -> Value {
        let descriptor = try Sockets.bound(to: address, port: 0)
        defer { close(descriptor) }
        return try await body(RefusingPort(address: address, port: Sockets.port(of: descriptor)))
    }
}
