/// The words of a shell script, command by command: quotation marks and backslashes undone, comments left out, nothing expanded.
///
/// A command within another, as in `$(…)`, is one for itself. The line ends of `cmd` (`^`) and PowerShell (a backtick) are read too.
struct ShellWords {
    struct Word {
        var text: String
        /// Whether the shell puts something in its place or in a part of it.
        var isComputed: Bool
    }

    /// What words stand together as.
    enum Kind {
        case command
        /// What is assigned to a variable as a list.
        case array
        /// The files that a command reads and writes.
        case redirection
        /// The lines that a command has as its input.
        case hereDocument
    }

    struct Line {
        var kind: Kind
        var words: [Word]
        /// The number of its first line.
        var line: Int
        /// Whether a quotation mark in it is not closed, so that the rest of the text stands in a word.
        var isOpen = false
        /// Whether lines are joined in it, which not every shell does at the same mark.
        var isJoined = false
        /// Whether what the command prints may go elsewhere than to who runs it.
        var isTaken = false
    }

    let lines: [Line]
    /// The line of a command within another that is not closed, `nil` where all are.
    let openLine: Int?

    init(_ text: String) {
        var reader = ShellReader(text)
        reader.readAll()
        lines = reader.lines
        openLine = reader.openLine
    }
}
