import ArgumentParser

@testable import PinCheckCLI

/// The program as the parser itself describes it: made once for all tests, since that takes a while.
enum ParserDescription {
    private static let text = RootCommand._dumpHelp()

    /// The program's own command, with all others below it.
    static func program() throws -> JSONValue { try JSONValue(text)["command"] }
}
