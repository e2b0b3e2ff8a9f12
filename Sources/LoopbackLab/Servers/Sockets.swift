#if canImport(Darwin)
private let streamType = SOCK_STREAM
private let sendFlags: Int32 = 0
#else
// Sockets are close-on-exec from the start: else a program that another thread starts in between keeps them.
private let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
private let sendFlags = Int32(MSG_NOSIGNAL)
#endif

enum Sockets {
    /// Makes a socket that listens at a numeric `address` and `port`; 0 means any free one.
    static func listening(on address: String, port: UInt16, queue: Int32 = 4_096) throws(LabError) -> Int32 {
        try make(address, port, "listen on") { bind($0, $1, $2) == 0 ? listen($0, queue) : -1 }
    }

    /// Makes a close-on-exec socket for `call`, so that programs started by a test do not hold the port.
    static func make(
        _ address: String, _ port: UInt16, _ verb: String, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(LabError) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var names: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &names) == 0, let name = names?.pointee,
            let start = name.ai_addr
        else { throw .unsupported("the address \"\(address)\"; use 127.0.0.0/8 or ::1") }
        defer { freeaddrinfo(names) }
        let descriptor = socket(name.ai_family, streamType, 0)
        guard descriptor >= 0 else { throw .system("make a socket") }
        setUp(descriptor)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        set(descriptor, SO_REUSEADDR, Int32(1))
        guard call(descriptor, start, name.ai_addrlen) == 0 || errno == EINPROGRESS else {
            let error = LabError.system("\(verb) \(address) port \(port)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // IPv4 and IPv6 addresses have the port at the same offset.
        return status == 0 ? UInt16(bigEndian: storage.sin6_port) : 0
    }

    /// Accepts the next connection as a blocking socket; `nil` if none waits.
    static func acceptConnection(from listener: Int32) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        setUp(descriptor)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        set(descriptor, Int32(TCP_NODELAY), Int32(1), level: Int32(IPPROTO_TCP))
        return descriptor
    }

    /// Waits for bytes and returns them; none at the end or after an error.
    static func receive(_ descriptor: Int32) -> ArraySlice<UInt8> {
        var buffer = zeros(65_536)
        let count = retrying { recv(descriptor, &buffer, buffer.count, 0) }
        return buffer.prefix(max(0, count))
    }

    /// Sends as many bytes as there is room for, without SIGPIPE; the result is negative if the connection is over.
    static func transmit(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, flags: Int32 = 0) -> Int {
        retrying { bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, sendFlags | flags) } }
    }

    static func resetOnClose(_ descriptor: Int32) { set(descriptor, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private static func setUp(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        set(descriptor, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    private static func set<Value>(_ descriptor: Int32, _ option: Int32, _ value: Value, level: Int32 = SOL_SOCKET) {
        withUnsafeBytes(of: value) { _ = setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count)) }
    }
}

/// A port of this machine on which no connection succeeds while a closure runs.
package enum DeadPort {
    /// Runs `body` with a port that never answers, so that connecting neither succeeds nor fails.
    ///
    /// The socket listens with a full queue and does not accept: Linux drops further attempts, as a firewall would.
    package static func unresponsive<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (UInt16) async throws -> Value
    ) async throws -> Value {
        let address = "127.0.0.1"
        var descriptors = [try Sockets.listening(on: address, port: 0, queue: 0)]
        defer { for descriptor in descriptors { close(descriptor) } }
        let port = Sockets.port(of: descriptors[0])
        // A queue of length 0 has room for one connection; the others make it full.
        for _ in 0..<4 { descriptors.append(try Sockets.make(address, port, "connect to") { connect($0, $1, $2) }) }
        return try await body(port)
    }

    /// Runs `body` with a port that is bound but not listened on: connecting is refused.
    package static func refusing<Value: Sendable>(
        address: String = "127.0.0.1", isolation: isolated (any Actor)? = #isolation,
        _ body: (UInt16) async throws -> Value
    ) async throws -> Value {
        let descriptor = try Sockets.make(address, 0, "bind") { bind($0, $1, $2) }
        defer { close(descriptor) }
        return try await body(Sockets.port(of: descriptor))
    }
}
