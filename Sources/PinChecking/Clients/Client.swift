import Base
import Pinning

/// A client whose decisions can be made, with what is set for it.
public struct Client: Hashable, Sendable {
    let settings: ClientSettings

    /// Reads a client as `pincheck --client` takes it, as in `okhttp` and `trustkit:no-enforce:expires=2027-06-01`.
    ///
    /// - Throws: ``CheckError`` for a client or a setting that there is not.
    public init(_ text: String) throws(CheckError) {
        do throws(ClientSelectionError) {
            guard case .named(let clients) = try ClientSelection([text]), clients.count == 1 else {
                throw ClientSelectionError.unknownClient(text)
            }
            settings = clients[0]
        } catch { throw .said(.request, "\(error)") }
    }

    private init(_ entry: ClientRegistry.Entry) { settings = ClientSettings(of: entry) }

    /// Every client, without settings; the default is the first.
    public static let all: [Client] = ClientRegistry.entries.map { Client($0) }

    /// The name, as `--client` takes it.
    public var name: String { settings.entry.name }

    /// What it is, in one line.
    public var summary: String { settings.entry.summary }

    private static func named(_ name: String) -> Client { all.first { $0.name == name } ?? all[0] }
}

extension Client {
    /// AFNetworking 4, AFSecurityPolicy.
    public static var afnetworking: Client { named("afnetworking") }
    /// Alamofire 5, ServerTrustManager.
    public static var alamofire: Client { named("alamofire") }
    /// TrustKit 3 for iOS and macOS.
    public static var trustkit: Client { named("trustkit") }
    /// OkHttp 5, CertificatePinner.
    public static var okhttp: Client { named("okhttp") }
    /// Android's Network Security Config.
    public static var android: Client { named("android") }
    /// Apple's NSPinnedDomains.
    public static var nspinneddomains: Client { named("nspinneddomains") }
    /// curl's `--pinnedpubkey`.
    public static var curl: Client { named("curl") }
    /// A pin compared by hand, on the preferred path.
    public static var generic: Client { named(Generic.name) }
}
