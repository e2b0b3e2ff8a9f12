import Base
import PinChecking
import PinFormats
import TLSProbe

struct Settings {
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

struct Command {
    struct Argument {
        let name: String
        let help: String
        var detail = ""
        var isRequired = false
        var isRepeatable = false
        var values: Option.Values?
    }

    let name: String
    let abstract: String
    let usage: String
    let discussion: String
    var arguments: [Argument] = []
    /// The options that the command's help explains; only the command that runs makes its rows.
    var own: @Sendable () -> [OptionGroup] = { [] }
    var shared: @Sendable () -> [OptionGroup] = { [] }
    let run: @Sendable (Invocation) async throws -> ExitStatus

    static let all: [Command] = [
        .check, .verify, .pins, .lint, .snapshot, .diff, .fetch, .serve, .clients, .devices, .demo,
    ]

    static let sharedGroups: [OptionGroup] = [
        .judging, .devices, .outlook, .names, .connection, .clientCertificate, .variants, .request, .output,
    ]

    static func named(_ name: String) -> Command? { all.first { $0.name == name } }

    var groups: [OptionGroup] { own() + shared() }
    var options: [Option] { groups.flatMap(\.options) }

    func option(_ name: String) -> Option? {
        for group in groups {
            for option in group.options where option.flag == name || option.short == name { return option }
        }
        return nil
    }

    var forms: [String] {
        switch option("--format")?.values {
        case .one(let words), .form(let words): words().map(\.text)
        default: []
        }
    }

    func argument(at index: Int) -> Argument? { index < arguments.count ? arguments[index] : arguments.last }

    func refuse(_ given: [String]) throws(Problem) {
        let usage: SafeText = "write \(quoted(self.usage, to: 200)); \(quoted("pincheck help " + name)) says more"
        if let missing = arguments.dropFirst(given.count).first(where: \.isRequired) {
            let origin: SafeText =
                missing.name == "file" ? ", and 'pincheck snapshot <target> -o <file>' makes the file" : ""
            throw .usage("no <\(missing.name)> is given: \(usage)\(origin)")
        }
        guard arguments.last?.isRepeatable != true, given.count > arguments.count else { return }
        throw .usage("\(quoted(withoutSecrets(given[arguments.count]))) is one argument too many: \(usage)")
    }
}

struct Invocation {
    let settings: Settings
    let context: Context
    var console: Console { context.console }
}
