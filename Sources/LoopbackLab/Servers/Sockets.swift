#if canImport(Darwin)
private let streamType = SOCK_STREAM
private let sendFlags: Int32 = 0
#else
// Close-on-exec from the first moment: a program that another thread starts in between would keep the socket.
private let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
private let sendFlags = Int32(MSG_NOSIGNAL)
#endif

/// The socket calls the lab makes: each retries what a signal interrupted and reads `errno` at once.
enum Sockets {
    /// What reading from or writing to a socket that does not block came to.
    enum Transfer {
        /// So many bytes were moved; none when reading means that the peer closed its side.
        case moved(Int)
        case wouldBlock
        case broken
    }

    /// Makes a socket bound to `address` (text that inet_pton takes) and `port`, 0 for any free one.
    ///
    /// The descriptor does not survive exec, so that programs started by a test do not hold the port.
    static func bound(to address: String, port: UInt16) throws(LabError) -> Int32 {
        try make(address, port, "bind") { descriptor, name, length in
            set(descriptor, SO_REUSEADDR, Int32(1))
            return bind(descriptor, name, length)
        }
    }

    /// Makes a socket and has it begin to connect to `address` and `port`.
    static func connecting(to address: String, port: UInt16) throws(LabError) -> Int32 {
        try make(address, port, "connect to") { descriptor, name, length in
            let status = connect(descriptor, name, length)
            return status != 0 && errno == EINPROGRESS ? 0 : status
        }
    }

    private static func make(
        _ address: String, _ port: UInt16, _ verb: String, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(LabError) -> Int32 {
        guard let bytes = GeneralName.addressBytes(address) else {
            throw .unsupported("the address \"\(address)\"; use 127.0.0.0/8 or ::1")
        }
        let descriptor = socket(bytes.count == 4 ? AF_INET : AF_INET6, streamType, 0)
        guard descriptor >= 0 else { throw .system("make a socket") }
        setUp(descriptor)
        let status =
            if bytes.count == 4 { withName(ipv4(bytes, port: port)) { call(descriptor, $0, $1) } } else {
                withName(ipv6(bytes, port: port)) { call(descriptor, $0, $1) }
            }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw .system(operation: "\(verb) \(address) port \(port)", code: code)
        }
        return descriptor
    }

    /// Makes a pipe whose descriptors do not survive exec.
    static func pipe() throws(LabError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard makePipe(&ends) == 0 else { throw .system("make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // The port is at the same place in the names of both families.
        return status == 0 ? UInt16(bigEndian: storage.sin6_port) : 0
    }

    /// Takes the next connection of a listening socket, `nil` when none waits.
    static func accepted(by listener: Int32) -> Int32? {
        while true {
            let descriptor = accept(listener, nil, nil)
            if descriptor >= 0 {
                setUp(descriptor)
                set(descriptor, Int32(TCP_NODELAY), Int32(1), level: Int32(IPPROTO_TCP))
                return descriptor
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// Reads what has come, at most as much as fits.
    static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Transfer {
        outcome { recv(descriptor, &buffer, buffer.count, 0) }
    }

    /// Sends the first `count` of `bytes`, or as many as there is room for, without SIGPIPE.
    static func transmit(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Transfer {
        outcome { bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, sendFlags) } }
    }

    /// Sends one byte of urgent data, a content type of TLS.
    static func urge(_ descriptor: Int32) {
        _ = outcome {
            withUnsafeBytes(of: UInt8(22)) { send(descriptor, $0.baseAddress, 1, sendFlags | Int32(MSG_OOB)) }
        }
    }

    /// Ends the sending side in order.
    static func finishSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends both sides at once, or listening.
    ///
    /// Closing alone may come to nothing for a while: a program that is just being started by another thread holds copies of all
    /// descriptors, close-on-exec or not, until it really starts. A port would stay taken and a client would wait.
    static func finish(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    static func resetOnClose(_ descriptor: Int32) { set(descriptor, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    private static func outcome(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count >= 0 { return .moved(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .broken
            }
        }
    }

    private static func setUp(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
        set(descriptor, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    private static func set<Value>(_ descriptor: Int32, _ option: Int32, _ value: Value, level: Int32 = SOL_SOCKET) {
        withUnsafeBytes(of: value) { _ = setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count)) }
    }

    private static func ipv4(_ bytes: [UInt8], port: UInt16) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: bytes) }
        return name
    }

    private static func ipv6(_ bytes: [UInt8], port: UInt16) -> sockaddr_in6 {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: bytes) }
        return name
    }

    private static func withName<Name, Value>(
        _ name: Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Name>.size)) }
        }
    }
}

/// pipe(2), by a name that ``Sockets/pipe()`` does not hide.
private func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
