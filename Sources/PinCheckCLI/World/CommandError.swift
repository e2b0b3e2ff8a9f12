import Base
import PinChecking
import PinFormats
import Pinning

package struct CommandError: Error, Hashable, CustomStringConvertible {
    package let status: ExitStatus
    /// One line that quotes the input and names the remedy.
    let message: SafeText

    package var description: String { message.description }

    init(status: ExitStatus, description message: SafeText) {
        self.status = status
        self.message = message
    }

    /// What would be wrong usage on the command line is malformed data in a file.
    func at(_ place: PinPlace) -> CommandError {
        CommandError(status: status == .usage ? .data : status, description: place.before(message))
    }

    /// The error with the name of what it is about before it: `--mode 'x' is unknown`, `--sni: the host name …`.
    func said(of name: SafeText) -> CommandError {
        let isOfValue = message.description.hasPrefix("'") && !name.description.hasSuffix("'")
        return CommandError(status: status, description: name + (isOfValue ? " " : ": ") + message)
    }

    static func usage(_ message: SafeText) -> CommandError { CommandError(status: .usage, description: message) }
    static func data(_ message: SafeText) -> CommandError { CommandError(status: .data, description: message) }
    static func noInput(_ message: SafeText) -> CommandError { CommandError(status: .noInput, description: message) }
    static func software(_ message: SafeText) -> CommandError { CommandError(status: .software, description: message) }

    static func inputOutput(_ message: SafeText) -> CommandError {
        CommandError(status: .inputOutput, description: message)
    }

    /// A value that is none of the words there are to choose from: names the nearest, or all of them where none is near.
    static func unknown(_ value: some StringProtocol, among words: [String]) -> CommandError {
        let shown = quoted(withoutSecrets(String(value)))
        return .usage("\(shown) is unknown: \(Suggestion.remedy(for: String(value), among: words))")
    }
}

extension CommandError {
    /// Any error; one that is not known is `other`: of a value, that it cannot be understood.
    init(anything error: any Error, other: (SafeText) -> CommandError = CommandError.usage) {
        self =
            switch error {
            case let error as CommandError: error
            case let error as CheckError: CommandError(error)
            case let error as PinFormatError:
                CommandError(status: error.kind == .missing ? .noInput : .data, description: error.message)
            default: other("\(error)")
            }
    }

    init(_ error: CheckError) {
        let status: ExitStatus =
            switch error.kind {
            // Wrong usage on the command line is malformed data in a file; flags may contradict what a file says rightly.
            case .request: error.place == nil || error.remedy == .chooseClient ? .usage : .data
            case .data: .data
            case .missing: .noInput
            case .software: .software
            }
        self.init(status: status, description: error.placed + SafeText(escaping: error.remedy?.flags ?? ""))
    }

    static func reading<Value>(_ read: @autoclosure () throws -> Value) throws(CommandError) -> Value {
        do { return try read() } catch { throw CommandError(anything: error) }
    }

    static func contents(ofFile path: String) throws(CommandError) -> [UInt8] {
        try reading(try BoundedFile.contents(ofFile: path))
    }
}
