#if os(Linux)
import Glibc
import Testing
import Base

@testable import PinCheckCLI

/// What the program learns of its terminal, as a real one says it.
@Suite(.serialized, .endsSomeTime, .enabled(if: BuiltBinary.path != nil)) struct TerminalSizeTests {
    /// TIOCSPTLCK and TIOCGPTN, macros that Swift does not import.
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// Runs a script whose `$TERMINAL` is a terminal of so many columns, and returns what was written to it.
    private func terminal(columns: UInt16, _ script: String) async throws -> [String] {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(main >= 0)
        defer { close(main) }
        var isLocked: Int32 = 0
        var number: Int32 = 0
        try #require(ioctl(main, Self.lock, &isLocked) == 0 && ioctl(main, Self.number, &number) == 0)
        let name = "/dev/pts/\(number)"
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        // The kernel keeps what is written only while somebody has the terminal open.
        let held = open(name, O_RDWR | O_NOCTTY)
        try #require(held >= 0 && ioctl(held, UInt(TIOCSWINSZ), &size) == 0)
        defer { close(held) }
        _ = try await BuiltBinary.run("TERMINAL=\(name); \(script)")
        _ = fcntl(main, F_SETFL, O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var text = ""
        // A terminal hands over a part at a time.
        while case let count = read(main, &bytes, bytes.count), count > 0 {
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test func theTextIsAsWideAsTheTerminal() async throws {
        for columns in [60, 100] {
            let lines = try await terminal(columns: UInt16(columns), "$PINCHECK clients >$TERMINAL")
            #expect(!lines.isEmpty)
            #expect(lines.allSatisfy { TerminalText.cells($0) <= columns }, "\(lines)")
            #expect(lines.contains { TerminalText.cells($0) > columns - 12 }, "\(lines)")
        }
    }

    @Test func helpIsWrittenToTheNarrowestTerminal() async throws {
        for help in ["--help", "help check", "-h"] {
            let lines = try await terminal(columns: 20, "unset COLUMNS; $PINCHECK \(help) >$TERMINAL")
            #expect(lines.contains { $0.contains("--pins") || $0.contains("snapshot") }, "\(help): \(lines)")
        }
    }

    @Test func whatTheUserSaysGoesBeforeWhatTheTerminalSays() async throws {
        let lines = try await terminal(columns: 60, "COLUMNS=100 $PINCHECK clients >$TERMINAL")
        #expect(lines.contains { (61...100).contains(TerminalText.cells($0)) }, "\(lines)")
    }

    @Test func aTerminalThatDoesNotKnowHas80() async throws {
        for script in ["$PINCHECK clients >$TERMINAL", "COLUMNS=x $PINCHECK clients >$TERMINAL"] {
            let lines = try await terminal(columns: 0, script)
            #expect(lines.contains { TerminalText.cells($0) > 60 }, "\(lines)")
            #expect(lines.allSatisfy { TerminalText.cells($0) <= 80 }, "\(lines)")
        }
    }

    @Test func messagesFitTheTerminalThatTheyGoTo() async throws {
        let lines = try await terminal(columns: 60, "$PINCHECK a.example --pins sha256/AAAA 2>$TERMINAL")
        #expect(lines.count > 1 && lines.allSatisfy { TerminalText.cells($0) <= 60 }, "\(lines)")
    }

    @Test func aPipeHasWholeLines() async throws {
        let outcome = try await BuiltBinary.run("COLUMNS=60 $PINCHECK clients | cat")
        #expect(outcome.output.split(separator: "\n").contains { TerminalText.cells($0) > 80 })
    }
}
#endif
