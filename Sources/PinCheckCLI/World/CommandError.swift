import Base
import PinFormats

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
}
