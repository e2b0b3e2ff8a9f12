import Base
import PinChecking
import PinFormats
import Pinning
import TLSProbe

extension CommandError {
    /// A mistake in what the command line asks for, in the words of its flags.
    init(_ error: RequestError, serverName: String = "--sni") {
        self =
            switch error {
            case .malformed(.target, _, .empty):
                .usage("the target '' is empty: name a host, as in 'pincheck api.example.com'")
            case .serverName(let error): .usage("\(serverName): \(error)")
            case .addressAsServerName(let text):
                .usage(
                    "\(serverName) \(quoted(text)) is an address: TLS carries host names only (RFC 6066), use --no-sni")
            case .applicationProtocols: .usage("--alpn \(error.description)")
            case .ciphersOfOtherVersions: .usage("--ciphers: \(error.description)")
            case .offerBesideKeyTypes:
                .usage(
                    "--key-types and --thorough ask for keys of each type by cipher suites and signature algorithms of their own: "
                        + "leave out --ciphers and --sigalgs")
            case .protocolBesideRequest(let name):
                .usage(
                    "--alpn \(quoted(name.name)) cannot go with --request, which is sent in HTTP/1.1: write --alpn http/1.1, "
                        + "or leave it out")
            case .httpPath: .usage("--request \(error.description)")
            case .noHTTPPath: .usage("--expect-status is about a request: give --request PATH")
            case .expectedStatus: .usage("--expect-status \(error.description)")
            case .timeout: .usage("--timeout \(error.description)")
            case .otherFamily(let address, let family):
                .usage(
                    "\(quoted(address.description)) is not an address of the family that "
                        + "\(family == .ipv6 ? "-6" : "-4") asks for: leave that flag out")
            case .noVersionLeft(let lowest, let highest):
                .usage("--min-tls \(lowest.number) is above --max-tls \(highest.number): no version is left to offer")
            case .neverWarns(let warning, let failure):
                .usage(
                    "--warn-before \(warning) never warns, since --fail-before \(failure) fails earlier: "
                        + "warn before the larger of the two")
            case .variable: .usage("\(error.description)")
            case .malformed, .unusedAddress: .usage("\(error.description(calling: \.flag))")
            }
    }

    static func reading<Value>(
        serverName: String = "--sni", _ read: () throws(RequestError) -> Value
    ) throws(CommandError) -> Value {
        do { return try read() } catch { throw CommandError(error, serverName: serverName) }
    }
}

extension RequestError.Part {
    fileprivate var flag: String {
        switch self {
        case .port: "option --port"
        case .connect: "--connect address"
        case .resolve: "--resolve value"
        case .connectTo: "--connect-to value"
        case .proxy: "--proxy"
        case .target, .host, .address: name
        }
    }
}

extension CommandError {
    /// Why nothing can be checked, in the words of the command line.
    init(_ error: CheckError) {
        let place: SafeText = "\(error.prefix)"
        let message: SafeText
        switch error.problem {
        case .said(let text): message = text
        case .pins(let error): message = error.message
        case .hostIsNotNamed: message = "the pins are configured host by host: give --host or --verify-name"
        case .noCertificatesForMode:
            message =
                "--mode certificate compares certificates and all the pins given are hashes or keys: "
                + "pin a certificate file, or use --mode public-key"
        case .nothingToAddTheSystemTo:
            message = "--and-system adds the system's roots to --anchors: give --anchors too, or leave it out"
        case .noPinsForNext:
            message = "--next asks whether pins accept what is about to be deployed, and none are given: add --pins"
        case .unknownDevice(let error, _) where error.name.isEmpty:
            message = "a name in --device is empty: write names with one comma between, as in 'ios-17,android-14'"
        case .unknownDevice(let error, let nearest):
            let remedy = nearest.map { "did you mean \(quoted($0))?" } ?? "'pincheck devices' lists them"
            let what: SafeText =
                error.neighbours.isEmpty
                ? "device \(quoted(error.name))"
                : "list of roots for \(quoted(error.name)), and next to it \(error.neighboursInWords)"
            message = "there is no \(what): \(remedy)"
        case .deviceWithoutClient(let device, let clients, let fitting):
            message =
                "none of the clients (\(clients.joined(separator: ", "))) runs on \(device): add one of "
                + "\(fitting.joined(separator: ", ")) with --client"
        case .clientOnNoDevice(let client, let devices):
            message =
                "the client \(client) runs on none of the devices (\(devices.joined(separator: ", "))): leave it or its "
                + "configuration out, or add a --device, where system is this machine"
        case .settingsOfAFNetworking(let clients):
            message =
                "--mode, --allow-invalid-certificates and --no-validate-domain-name: these are AFNetworking's, and the pins are for "
                + "\(clients.joined(separator: ", ")): add --client"
        case .deviceDataWithoutDevice: message = "--device-data is about devices: give --device, or leave it out"
        case .request(let error): message = CommandError(error).message
        }
        self.init(status: ExitStatus(error), description: place + message)
    }

    static func reading<Value>(_ read: () throws(CheckError) -> Value) throws(CommandError) -> Value {
        do { return try read() } catch { throw CommandError(error) }
    }
}

extension ExitStatus {
    /// How a run ends that cannot check: what is wrong usage on the command line is malformed data in a file.
    fileprivate init(_ error: CheckError) {
        self =
            switch error.kind {
            case .request: error.place == nil || error.isOfFlags ? .usage : .data
            case .data: .data
            case .missing: .noInput
            case .software: .software
            }
    }
}

extension CheckError {
    /// Whether flags contradict what a list or a policy says, which is right by itself.
    fileprivate var isOfFlags: Bool { if case .settingsOfAFNetworking = problem { true } else { false } }
}

extension CommandError {
    static func contents(ofFile path: String) throws(CommandError) -> [UInt8] {
        try reading { () throws(CheckError) in try FileReader.contents(ofFile: path) }
    }
}
