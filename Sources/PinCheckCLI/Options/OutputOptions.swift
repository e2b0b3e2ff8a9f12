import ArgumentParser

/// How the result is shown.
struct OutputOptions: ParsableArguments {
    /// The forms a result can be written in.
    enum Format: String, CaseIterable, ExpressibleByArgument, Sendable {
        case text, json
    }

    @Option(help: "The form of the result.")
    var format: Format = .text

    @Flag(help: "Show every step of the client's decision, and pins in full length.")
    var explain = false

    @Flag(name: .shortAndLong, help: "Write no result; the exit status says it all.")
    var quiet = false

    @Option(help: "Colour the result; NO_COLOR and TERM=dumb are honoured.")
    var color: TextStyle.Choice = .auto
}

extension TextStyle.Choice: ExpressibleByArgument {}
