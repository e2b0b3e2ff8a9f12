import Base
internal import NIOCore
internal import Synchronization

/// One question to the system's resolver: the addresses of a host in one family.
final class Lookup: Sendable {
    typealias Answer = Result<[SocketAddress], LookupFailure>

    private let host: String
    private let port: Int
    private let family: Int32
    private let deliver: Mutex<(@Sendable (Answer) -> Void)?>

    /// Asks for the addresses of `host` in `family` (`AF_INET` or `AF_INET6`).
    ///
    /// `deliver` takes the answer on the thread that found it, at most once.
    init(host: String, port: Int, family: Int32, deliver: @escaping @Sendable (Answer) -> Void) {
        (self.host, self.port, self.family) = (host, port, family)
        self.deliver = Mutex(deliver)
    }

    /// Blocks for `getaddrinfo`, then delivers, unless the answer is not wanted any more.
    func run() {
        guard deliver.withLock({ $0 != nil }) else { return }
        complete(ask())
    }

    /// Delivers `answer` if it is still wanted.
    func complete(_ answer: Answer) {
        // Under the lock: once `abandon` has returned, nothing is delivered, not even to an event loop that has ended.
        deliver.withLock { deliver in
            deliver?(answer)
            deliver = nil
        }
    }

    /// Makes sure that nothing is delivered from now on.
    func abandon() { deliver.withLock { $0 = nil } }

    private func ask() -> Answer {
        // C would look up what is before the NUL.
        guard !host.utf8.contains(0) else { return .failure(LookupFailure(code: EAI_NONAME)) }
        var hints = addrinfo()
        hints.ai_family = family
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { return .failure(LookupFailure(code: code)) }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.compactMap { entry in
            entry.flatMap { Self.address(of: $0.pointee) }
        }
        return .success(addresses)
    }

    private static func address(of entry: addrinfo) -> SocketAddress? {
        guard let address = UnsafeRawPointer(entry.ai_addr) else { return nil }
        return switch entry.ai_family {
        case AF_INET: SocketAddress(address.loadUnaligned(as: sockaddr_in.self), host: "")
        case AF_INET6: SocketAddress(address.loadUnaligned(as: sockaddr_in6.self), host: "")
        default: nil
        }
    }
}

/// Why `getaddrinfo` found no address.
struct LookupFailure: Error {
    /// What the failure says about the name.
    enum Kind {
        case nameNotFound
        /// The name exists without an address of the family.
        case noAddress
        /// The resolver could not find out.
        case noAnswer
    }

    let kind: Kind
    let detail: String

    /// Reads a code that `getaddrinfo` returned.
    init(code: Int32) {
        kind =
            switch code {
            case EAI_NONAME: .nameNotFound
            case Self.noData, Self.noAddressFamily: .noAddress
            default: .noAnswer
            }
        detail = String(cString: gai_strerror(code))
    }

    #if canImport(Darwin)
    static let noData = EAI_NODATA
    private static let noAddressFamily = EAI_ADDRFAMILY
    #else
    // EAI_NODATA and EAI_ADDRFAMILY, which <netdb.h> shows to GNU sources only.
    static let noData: Int32 = -5
    private static let noAddressFamily: Int32 = -9
    #endif
}

extension LookupFailure {
    /// What to tell the user when `failures`, one for each family asked, left nothing to connect to.
    static func reason(for failures: [LookupFailure], of destination: ProbeRequest.Destination) -> ProbeError.Reason {
        let family: ProbeRequest.AddressFamily = if case .resolve(_, let family) = destination { family } else { .any }
        if let failure = failures.first(where: { $0.kind == .noAnswer }) { return .resolverFailed(failure.detail) }
        if failures.contains(where: { $0.kind == .noAddress }) || failures.isEmpty { return .noAddress(family) }
        return .nameNotFound
    }
}
