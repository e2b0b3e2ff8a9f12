import Dispatch
import LoopbackLab
import Synchronization

/// The `openssl` command line: the opinion of a program that is not the lab and not the code under test.
///
/// Started with posix_spawn, because Foundation's Process leaks what the leak sanitizer then reports as ours.
enum OpenSSLCommand {
    /// Whether this machine has the command.
    static let isAvailable = path != nil

    private static let path: String? = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { $0 + "/openssl" }.first
    { access($0, X_OK) == 0 }

    /// What a run came to.
    struct Outcome: Sendable {
        let status: Int32
        /// What it wrote to both of its outputs.
        let text: String
    }

    /// Runs `openssl` with these arguments, separated by spaces, and with `input` on its standard input, which ends there.
    static func run(_ arguments: String, input: String = "") async throws -> Outcome {
        // On a thread of its own, because it blocks.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try runAndWait(arguments, Array(input.utf8)) })
            }
        }
    }

    /// Held from the making of the pipes until the program has its ends: no other program is to inherit them.
    private static let spawning = Mutex(())

    private static func runAndWait(_ arguments: String, _ input: [UInt8]) throws -> Outcome {
        // A program that ends without reading its input must not end the tests.
        _ = signal(SIGPIPE, SIG_IGN)
        let (process, incoming, outgoing) = try spawning.withLock { _ in try start(arguments) }
        var written = 0
        while written < input.count {
            let count = input[written...].withUnsafeBytes { write(incoming, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            written += count
        }
        close(incoming)
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(outgoing, &buffer, buffer.count)
            guard count > 0 else { break }
            output += buffer.prefix(count)
        }
        close(outgoing)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // An exit status is in the second byte; a program that was killed has none.
        return Outcome(status: status & 0x7f == 0 ? status >> 8 : -1, text: String(decoding: output, as: UTF8.self))
    }

    private static func start(_ arguments: String) throws -> (process: pid_t, incoming: Int32, outgoing: Int32) {
        var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&input) == 0, pipe(&output) == 0 else {
            throw LabError.system(operation: "make a pipe", code: errno)
        }
        for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input[0], 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        posix_spawn_file_actions_adddup2(&actions, output[1], 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let words = ["openssl"] + arguments.split(separator: " ").map(String.init)
        let vector = words.map { strdup($0) } + [nil]
        defer { for word in vector { free(word) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, path ?? "/usr/bin/openssl", &actions, nil, vector, environ)
        close(input[0])
        close(output[1])
        guard status == 0 else {
            close(input[1])
            close(output[0])
            throw LabError.system(operation: "start openssl", code: status)
        }
        return (process, input[1], output[0])
    }
}
