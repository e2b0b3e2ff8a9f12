#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Commands of the user, run by the shell.
package enum ShellCommand {
    /// How a command ended.
    package enum End: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        case timedOut
        case notStarted(String)
    }

    /// Runs a command with `/bin/sh -c`, as cron does, and waits for it.
    ///
    /// It has no input, writes to standard error, and is a process group of its own that is ended, with all it started, when its
    /// time is over. Nothing but `command` is ever text of the shell: facts go into the environment.
    ///
    /// - Parameters:
    ///   - command: what the user wrote.
    ///   - variables: what is added to the environment; no value holds a NUL.
    ///   - deadline: how long it may take.
    /// - Returns: how it ended.
    package static func run(_ command: String, variables: [(String, String)], deadline: Duration) -> End {
        var environment = ownEnvironment().filter { !$0.hasPrefix("PINCHECK_") }
        if let zone = TimeZoneVariable.ignoredValue {
            environment = environment.filter { !$0.hasPrefix("TZ=") } + ["TZ=" + zone]
        }
        environment += variables.map { $0 + "=" + $1 }
        let start = spawn(["/bin/sh", "-c", command], environment: environment)
        guard let process = start.process else { return .notStarted(SystemError.message(of: start.error)) }
        Interruption.setCommand(processGroup: process)
        defer { Interruption.setCommand(processGroup: 0) }
        if let end = wait(for: process, deadline) { return end }
        kill(-process, SIGTERM)
        if wait(for: process, .seconds(2)) == nil {
            kill(-process, SIGKILL)
            _ = wait(for: process, .seconds(60))
        }
        return .timedOut
    }

    private static func ownEnvironment() -> [String] {
        var result: [String] = []
        var next = environ
        while let entry = next.pointee {
            result.append(String(cString: entry))
            next += 1
        }
        return result
    }

    private static func spawn(_ arguments: [String], environment: [String]) -> (process: pid_t?, error: Int32) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)

        var process = pid_t()
        let error = withCStrings(arguments) { arguments in
            withCStrings(environment) { environment in
                posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environment)
            }
        }
        return (error == 0 ? process : nil, error)
    }

    /// Texts as an array that ends in `nil`, for the time of a call.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// Waits for the end, `nil` when it does not come in time.
    private static func wait(for process: pid_t, _ deadline: Duration) -> End? {
        let start = ContinuousClock.now
        var pause: Int = 1_000_000
        while true {
            var status: Int32 = 0
            let result = waitpid(process, &status, WNOHANG)
            if result == process {
                let signal = status & 0x7F
                return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
            }
            if result < 0, errno != EINTR { return .notStarted(SystemError.message(of: errno)) }
            guard start.duration(to: .now) < deadline else { return nil }
            var time = timespec(tv_sec: 0, tv_nsec: pause)
            nanosleep(&time, nil)
            pause = min(pause * 2, 50_000_000)
        }
    }
}
