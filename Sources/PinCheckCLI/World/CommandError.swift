import PinFormats

/// Why a command ends without evaluating anything: its exit status and one line for the user.
package struct CommandError: Error, Hashable, CustomStringConvertible {
    /// The exit status the error leads to.
    package let status: ExitStatus
    /// One line that quotes the input and names the remedy.
    ///
    /// It may hold hostile text: the console escapes it.
    package let description: String

    /// The error as of a line of a file: what would be wrong usage on the command line is malformed data there.
    ///
    /// An error that names its own place in the file keeps it.
    func at(_ place: PinPlace) -> CommandError {
        let isPlaced = place.path.map { description.hasPrefix("\($0):") } ?? false
        return CommandError(
            status: status == .usage ? .data : status,
            description: isPlaced ? description : "\(place): \(description)"
        )
    }

    /// The command line cannot be understood.
    static func usage(_ description: String) -> CommandError {
        CommandError(status: .usage, description: description)
    }

    /// A file is malformed.
    static func data(_ description: String) -> CommandError {
        CommandError(status: .data, description: description)
    }

    /// A file is missing or unreadable.
    static func noInput(_ description: String) -> CommandError {
        CommandError(status: .noInput, description: description)
    }

    /// A fault of pincheck or of the system it runs on.
    static func software(_ description: String) -> CommandError {
        CommandError(status: .software, description: description)
    }
}

/// The text in quotes, shortened when it is long, for one-line messages.
func quoted(_ text: some StringProtocol) -> String {
    "'" + TerminalText.shortened(String(text), to: 80) + "'"
}
