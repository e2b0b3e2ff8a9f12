import Base
import PinChecking
import PinFormats
import TLSProbe

struct Settings: Sendable {
    var arguments: [String] = []
    var request = CheckRequest()
    var ports: [Int] = []

    var lists: [String] = []
    var policies: [String] = []
    var baseline: String?
    var next: [String] = []
    var allowed: Set<Change.Kind> = []
    var updatesBaseline = false
    var state: String?
    var isVerbose = false

    var clientCertificate: String?
    var clientKey: String?
    var addressFiles: [String] = []

    var formats: [String] = []
    var outputs: [String] = []
    var explains = false
    var isQuiet = false
    var color = TextStyle.Choice.auto

    var keyFiles: [String] = []
    var pinSources: [String] = []
    var recommends = false
    var pinForm = "text"
    var positions: Set<PinItem.Role>?
    var directory: String?

    var devicesForm = DevicesForm.text

    var mildestFailure: Finding.Level? = .error
    var shippingClients: [Client] = []
    var listsRules = false

    var fields: [HTTPField] = []
    var namesFileAsURL = false
    var mostRedirects = 10
    var sha256: SHA256Digest?

    var places: [(address: String, port: Int)] = []
    var modules: [String: [String]] = [:]
    var allowedTargets = AllowedTargets()
    var allowedHosts: [ServerName] = []
    var logLevel = ServeLog.Level.info

    func connectingRequest(in context: Context) throws(Problem) -> CheckRequest {
        var request = request
        if request.connection.proxy != .direct {
            request.connection.environmentProxies = try ProxyEnvironment(
                context.environment, namesProxy: request.connection.proxy == nil)
        }
        request.connection.clientIdentity = try clientIdentity("--cert", "--key")
        request.connection.addresses.answered = try answeredAddresses(in: context)
        guard request.variants.service == nil || request.connection.addresses.all.isEmpty else {
            throw .usage("addresses are given and a service is to be asked for them: leave out one of the two")
        }
        return request
    }

    /// Reads the client certificate and its key from one file or two, as curl does; no message quotes a key.
    func clientIdentity(_ certificateWord: SafeText, _ keyWord: SafeText) throws(Problem) -> ClientIdentity? {
        guard let clientCertificate else {
            guard let clientKey else { return nil }
            throw .usage(
                "\(keyWord) \(quoted(clientKey)) needs the certificate that goes with it: give \(certificateWord) FILE")
        }
        let certificates = try BoundedFile.contents(ofFile: clientCertificate)
        let keyFile = clientKey ?? clientCertificate
        let key = keyFile == clientCertificate ? certificates : try BoundedFile.contents(ofFile: keyFile)
        do { return try ClientIdentity(certificates: certificates, key: key) } catch {
            switch error {
            case .noCertificate, .unreadableCertificate: throw .data("\(quoted(clientCertificate)) \(error)")
            case .noKey where clientKey == nil:
                throw .usage(
                    "\(quoted(clientCertificate)) holds no private key beside the certificate: give \(keyWord) FILE")
            default: throw .data("\(quoted(keyFile)) \(error)")
            }
        }
    }

    private func answeredAddresses(in context: Context) throws(Problem) -> [ConnectAddress] {
        let family = request.connection.family ?? RequestDefaults.family
        var result: [ConnectAddress] = []
        for path in addressFiles {
            let name = path == "-" ? "standard input" : quoted(path)
            let bytes = try context.contents(of: path)
            let answer: AddressAnswer
            do { answer = try AddressAnswer.read(bytes) } catch {
                throw Problem(error.kind == .empty ? .noInput : .data, "\(name) holds no addresses: \(error)")
            }
            guard !answer.addresses.contains(where: \.isUnspecified) else {
                throw .data(
                    "the answer in \(name) is an address of this machine (0.0.0.0 or ::), as DNS filters answer: "
                        + "ask another service")
            }
            let wanted = answer.addresses.filter { family == .any || $0.isIPv6 == (family == .ipv6) }
            guard !wanted.isEmpty else {
                throw Problem(
                    answer.addresses.isEmpty ? .noInput : .data,
                    "the answer in \(name) gives no address" + (answer.host.map { " for \(quoted($0))" } ?? "")
                        + (answer.addresses.isEmpty ? ": the service knows none" : " of the family asked for"))
            }
            let host: ServerName?
            do { host = try answer.host.map { (text) throws(ServerNameError) in try ServerName(text) } } catch {
                throw .data("the answer in \(name) is for no host: \(error)")
            }
            result += wanted.map { ConnectAddress(onlyForHost: host, onlyForPort: nil, host: .ip($0), port: nil) }
        }
        return result
    }
}
