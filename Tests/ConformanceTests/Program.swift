import Dispatch
import LoopbackLab
import Synchronization

/// Runs programs of this machine; started with posix_spawn, because Foundation's Process leaks.
enum Program {
    /// What a run came to.
    struct Outcome: Sendable {
        let status: Int32
        let output: [UInt8]

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The first of these programs that this machine has, searched for in `PATH`.
    static func path(of name: String) -> String? {
        let directories = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return directories.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Runs the program at `path`; what it writes to both of its outputs is the outcome's.
    static func run(_ path: String, _ arguments: [String]) async throws -> Outcome {
        // On a thread of its own, because it blocks.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try runAndWait(path, arguments) }) }
        }
    }

    /// Held from the making of the pipe until the program has its end: no other program is to inherit it.
    private static let spawning = Mutex(())

    private static func runAndWait(_ path: String, _ arguments: [String]) throws -> Outcome {
        let (process, outgoing) = try spawning.withLock { _ in try start(path, arguments) }
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
        return Outcome(status: status & 0x7f == 0 ? status >> 8 : -1, output: output)
    }

    private static func start(_ path: String, _ arguments: [String]) throws -> (process: pid_t, outgoing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw LabError.system(operation: "make a pipe", code: errno) }
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let vector = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in vector { free(word) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, path, &actions, nil, vector, environ)
        close(ends[1])
        guard status == 0 else {
            close(ends[0])
            throw LabError.system(operation: "start \(path)", code: status)
        }
        return (process, ends[0])
    }
}
