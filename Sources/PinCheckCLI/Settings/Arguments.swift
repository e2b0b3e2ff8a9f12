import Base
import PinChecking
import PinFormats
import PinLint
import Pinning
import TLSProbe

/// The only reader of argv: `--name value`, `--name=value`, `-n value`, `-nvalue`, and several switches behind one dash.
struct Arguments: Sendable {
    let command: Command
    let namesCommand: Bool
    private(set) var positionals: [String] = []
    private(set) var question: String?
    /// The option whose value the last word lacks.
    private(set) var unfinished: Option?
    private var given: [(option: Option, name: String, text: String)] = []
    private var mistake: CommandError?

    init(_ arguments: [String]) {
        let named = arguments.first.flatMap(Command.named)
        command = named ?? .check
        namesCommand = named != nil
        var rest = arguments.dropFirst(named == nil ? 0 : 1)
        while let argument = rest.popFirst() {
            if argument == "--" {
                positionals += rest
                break
            }
            if argument.utf8.first != UInt8(ascii: "-") || argument.utf8.count == 1 {
                positionals.append(argument)
            } else if argument.hasPrefix("--") {
                takeLong(argument, &rest)
            } else {
                takeShort(argument, &rest)
            }
        }
    }

    private mutating func takeLong(_ argument: String, _ rest: inout ArraySlice<String>) {
        let equals = argument.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = equals.map { String(argument[..<$0]) } ?? argument
        let text = equals.map { String(argument[argument.utf8.index(after: $0)...]) }
        let isQuestion = name == "--help" || name == "--version"
        let option = command.option(name)
        if isQuestion || option?.isSwitch == true, let text {
            return refuse(.usage("\(name) has no value: leave out \(quoted("=" + text))"))
        }
        if isQuestion { return question = name == "--help" ? name : question ?? name }
        guard let option else { return refuse(Mistake.unknownOption(name, of: command)) }
        take(option, name, text, &rest)
    }

    private mutating func takeShort(_ argument: String, _ rest: inout ArraySlice<String>) {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            if name == "-h" {
                question = question ?? name
                continue
            }
            guard let option = command.option(name) else {
                let isFirst = argument.dropFirst().first == letter
                // What curl takes behind such a letter may be a password.
                return refuse(Mistake.unknownOption(isFirst && !letters.isEmpty ? name + "…" : name, of: command))
            }
            if !option.isSwitch, !letters.isEmpty {
                return take(option, name, String(letters.first == "=" ? letters.dropFirst() : letters), &rest)
            }
            if option.isSwitch, letters.first == "=" {
                return refuse(.usage("\(name) has no value: leave out \(quoted(letters))"))
            }
            take(option, name, nil, &rest)
        }
    }

    private mutating func take(_ option: Option, _ name: String, _ text: String?, _ rest: inout ArraySlice<String>) {
        if option.isSwitch || text != nil { return given.append((option, name, text ?? "")) }
        if rest.isEmpty { unfinished = option }
        let form = "\(name) <\(option.value)>"
        guard let next = rest.first, !next.hasPrefix("-") || next == "-" else {
            guard let next = rest.first, Double(next) != nil, option.isNumeric else {
                return refuse(.usage("\(name) has no value: write \(quoted(form))"))
            }
            rest.removeFirst()
            return refuse(.usage("\(name) has the value \(quoted(next)): write \(quoted(form)) with a number from 0"))
        }
        rest.removeFirst()
        given.append((option, name, next))
    }

    private mutating func refuse(_ error: CommandError) { mistake = mistake ?? error }

    /// Also of a line with mistakes: a plugin that was called wrongly is unknown, not critical.
    var convention: ExitConvention {
        let texts = given.filter { $0.option.flag == "--format" }.map(\.text)
        if texts.contains("nagios=-") { return .monitoring }
        let file = given.last { $0.option.flag == "--output" }?.text ?? "-"
        return texts.contains("nagios") && file == "-" ? .monitoring : .standard
    }

    var color: TextStyle.Choice {
        given.last { $0.option.flag == "--color" }.flatMap { TextStyle.Choice(rawValue: $0.text) } ?? .auto
    }

    func settings() throws(CommandError) -> Settings {
        if let mistake { throw mistake }
        try command.refuse(positionals)
        var settings = Settings()
        settings.arguments = positionals
        var inputs: [String] = []
        for (index, text) in positionals.enumerated() {
            guard case .file? = command.argument(at: index)?.values else { continue }
            ReadLog.current?.add(text)
            if text == "-" { inputs.append("an argument") }
        }
        for (index, one) in given.enumerated() {
            try one.option.read(Option.Value(text: one.text), calling: "\(one.name)", into: &settings)
            let before = given[..<index]
            if one.option.isList, !one.option.isRepeatable,
                before.contains(where: { $0.option.flag == one.option.flag })
            {
                throw .usage("\(one.option.flag) is given twice: give all of it once, with commas between")
            }
            if let rival = one.option.rival, before.contains(where: { $0.option.flag == rival }) {
                throw .usage("\(rival) and \(one.option.flag) contradict each other: give one of them")
            }
            if case .file = one.option.values, one.text == "-" { inputs.append(one.option.flag) }
        }
        guard inputs.count < 2 else {
            throw .usage(
                "standard input is asked for twice, by \(inputs[0]) and by \(inputs[1]): name a file for one of them")
        }
        return settings
    }
}

struct Settings: Sendable {
    var arguments: [String] = []
    var request = CheckRequest()
    var deviceNames: [String] = []
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

    var pins = Pins()
    var writesDevicesAsJSON = false

    var mildestFailure: LintSeverity? = .error
    var ignoredFindings: Set<String> = []
    var lintsBefore: Threshold?
    var shippingClients: Set<String> = []
    var listsRules = false

    var fields: [HTTPField] = []
    var namesFileAsURL = false
    var mostRedirects = 10
    var sha256: SHA256Digest?

    var places: [(address: String, port: Int)] = []
    var modules: [String: [String]] = [:]
    var allowedTargets: [String] = []
    var allowsAnyTarget = false
    var logLevel = ServeLog.Level.info

    struct Pins: Sendable {
        var keys: [String] = []
        var from: [String] = []
        var recommends = false
        var form = PinsForm.text
        var positions: Set<PinItem.Role>?
        var directory: String?
    }

    func connectingRequest(in context: Context) throws(CommandError) -> CheckRequest {
        var request = request
        if request.connection.proxy != .direct {
            request.connection.environmentProxies = try CommandError.reading(
                try ProxyEnvironment(context.environment, namesProxy: request.connection.proxy == nil))
        }
        request.connection.clientIdentity = try clientIdentity()
        request.connection.addresses.answered = try answeredAddresses(in: context)
        guard request.variants.service == nil || request.connection.addresses.all.isEmpty else {
            throw .usage("addresses are given and a service is to be asked for them: leave out one of the two")
        }
        return request
    }

    /// The same file may hold both, as curl has it; no message shows anything of a key.
    private func clientIdentity() throws(CommandError) -> ClientIdentity? {
        guard let clientCertificate else {
            guard let clientKey else { return nil }
            throw .usage("--key \(quoted(clientKey)) needs the certificate that goes with it: give --cert FILE")
        }
        let certificates = try CommandError.contents(ofFile: clientCertificate)
        let keyFile = clientKey ?? clientCertificate
        let key = keyFile == clientCertificate ? certificates : try CommandError.contents(ofFile: keyFile)
        do { return try ClientIdentity(certificates: certificates, key: key) } catch {
            switch error {
            case .noCertificate, .unreadableCertificate: throw .data("\(quoted(clientCertificate)) \(error)")
            case .noKey where clientKey == nil:
                throw .usage(
                    "\(quoted(clientCertificate)) holds no private key beside the certificate: give --key FILE")
            default: throw .data("\(quoted(keyFile)) \(error)")
            }
        }
    }

    private func answeredAddresses(in context: Context) throws(CommandError) -> [ConnectAddress] {
        let family = request.connection.family ?? RequestDefaults.family
        var result: [ConnectAddress] = []
        for path in addressFiles {
            let name = path == "-" ? "standard input" : quoted(path)
            let bytes = try context.contents(of: path)
            let answers: [AddressAnswer]
            do { answers = try AddressAnswer.read(bytes) } catch {
                throw error.kind == .empty
                    ? .noInput("\(name) holds no addresses: \(error)") : .data("\(name) holds no addresses: \(error)")
            }
            for answer in answers {
                let wanted = answer.addresses.filter { family == .any || $0.isIPv6 == (family == .ipv6) }
                guard !wanted.isEmpty else {
                    throw CommandError(
                        status: answer.addresses.isEmpty ? .noInput : .data,
                        description: "the answer in \(name) gives no address"
                            + (answer.host.map { " for \(quoted($0))" } ?? "")
                            + (answer.addresses.isEmpty ? ": the service knows none" : " of the family asked for"))
                }
                let host: ServerName?
                do { host = try answer.host.map { (text) throws(ServerNameError) in try ServerName(text) } } catch {
                    throw .data("the answer in \(name) is for no host: \(error)")
                }
                result += wanted.map { ConnectAddress(onlyForHost: host, onlyForPort: nil, host: .ip($0), port: nil) }
            }
        }
        return result
    }
}
