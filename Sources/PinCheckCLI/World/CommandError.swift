import Base
import PinChecking
import PinFormats
import Pinning

/// Why a command ends without evaluating anything: its exit status and one line for the user.
package struct CommandError: Error, Hashable, CustomStringConvertible {
    package let status: ExitStatus
    /// One line that quotes the input and names the remedy.
    let message: SafeText

    package var description: String { message.description }

    init(status: ExitStatus, description message: SafeText) {
        self.status = status
        self.message = message
    }

    /// The error as of a line of a file: what would be wrong usage on the command line is malformed data there.
    ///
    /// An error that names its own place in the file keeps it.
    func at(_ place: PinPlace) -> CommandError {
        let isPlaced = place.path.map { description.hasPrefix(TerminalText.escaped($0) + ":") } ?? false
        return CommandError(
            status: status == .usage ? .data : status, description: isPlaced ? message : "\(place): \(message)")
    }

    /// The error with the name of what it is about before it: `--mode 'x' is unknown`, `--sni: the host name …`.
    func said(of name: SafeText) -> CommandError {
        let isOfValue = message.description.hasPrefix("'") && !name.description.hasSuffix("'")
        return CommandError(status: status, description: name + (isOfValue ? " " : ": ") + message)
    }

    /// The command line cannot be understood.
    static func usage(_ description: SafeText) -> CommandError {
        CommandError(status: .usage, description: description)
    }

    static func data(_ description: SafeText) -> CommandError { CommandError(status: .data, description: description) }

    static func noInput(_ description: SafeText) -> CommandError {
        CommandError(status: .noInput, description: description)
    }

    /// A fault of pincheck or of the system it runs on.
    static func software(_ description: SafeText) -> CommandError {
        CommandError(status: .software, description: description)
    }

    /// A value that is none of the words there are to choose from: names the nearest, or all of them where none is near.
    static func unknown(
        _ value: some StringProtocol, among words: [String], gone: [String: SafeText] = [:]
    ) -> CommandError {
        let shown = quoted(withoutSecrets(String(value)))
        if let instead = gone[String(value)] { return .usage("\(shown) is not known any more: \(instead)") }
        return .usage("\(shown) is unknown: \(Suggestion.remedy(for: String(value), among: words))")
    }
}

// MARK: What the engine refuses

extension CommandError {
    /// Any error; one that is not known is `other`: of a value, that it cannot be understood.
    init(anything error: any Error, other: (SafeText) -> CommandError = CommandError.usage) {
        self =
            switch error {
            case let error as CommandError: error
            case let error as CheckError: CommandError(error)
            case let error as PinFormatError:
                CommandError(status: error.kind == .missing ? .noInput : .data, description: error.message)
            case let error as ClientSelectionError: .usage(GoneWords.message(error))
            case let error as RequestError: .usage(error.message)
            default: other("\(error)")
            }
    }

    /// Why nothing can be checked, in the words of the command line.
    init(_ error: CheckError) {
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
            message =
                "there is no \(what): \(remedy)\(error.neighbours.isEmpty ? " (devices are named by their system)" : "")"
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
        }
        self.init(status: ExitStatus(error), description: "\(error.prefix)" + message)
    }

    static func reading<Value, Failure: Error>(_ read: () throws(Failure) -> Value) throws(CommandError) -> Value {
        do { return try read() } catch { throw CommandError(anything: error) }
    }

    static func contents(ofFile path: String) throws(CommandError) -> [UInt8] {
        try reading { () throws(CheckError) in try FileReader.contents(ofFile: path) }
    }
}

extension CheckError {
    /// Whether flags contradict what a list or a policy says, which is right by itself.
    fileprivate var isOfFlags: Bool { if case .settingsOfAFNetworking = problem { true } else { false } }
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
