import Dispatch
import Foundation

/// The `openssl` command line: the opinion of a program that is not the lab and not the code under test.
struct OpenSSLCommand {
    /// Whether this machine has the command.
    static let isAvailable = path != nil

    private static let path: String? = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .map { $0 + "/openssl" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// What a run came to.
    struct Outcome {
        let status: Int32
        /// What it wrote to both of its outputs.
        let text: String
    }

    /// Runs `openssl` with these arguments, separated by spaces, and with `input` on its standard input, which ends there.
    static func run(_ arguments: String, input: String = "") async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        let (incoming, outgoing) = (Pipe(), Pipe())
        process.standardInput = incoming
        process.standardOutput = outgoing
        process.standardError = outgoing
        try process.run()
        incoming.fileHandleForWriting.write(Data(input.utf8))
        try incoming.fileHandleForWriting.close()
        // On a thread of its own: reading to the end blocks until the command is done.
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let output = outgoing.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(
                    returning: Outcome(status: process.terminationStatus, text: String(decoding: output, as: UTF8.self))
                )
            }
        }
    }
}
