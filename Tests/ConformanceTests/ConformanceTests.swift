import Dispatch
import Foundation
import LoopbackLab
import Pinning
import Synchronization
import Testing
import X509

@Suite(
    "Third-party suites find no disagreement that is not known",
    .enabled(if: ConformanceData.isAvailable, "\(ConformanceData.missing ?? "")")) struct ConformanceTests
{
    /// A suite, and how many of its core cases must agree at least.
    struct Mark: Sendable, CustomTestStringConvertible {
        let suite: String
        let way: ConformanceRun.Way
        let agreeing: Int

        init(_ suite: String, _ way: ConformanceRun.Way, agreeing: Int) {
            self.suite = suite
            self.way = way
            self.agreeing = agreeing
        }

        var testDescription: String { suite }
    }

    @Test(arguments: [
        Mark("limbo", .verifier, agreeing: 122), Mark("pkits", .verifier, agreeing: 87),
        Mark("bettertls-pathbuilding", .verifier, agreeing: 81), Mark("names", .commandLine, agreeing: 173),
    ]) func `the verdicts agree`(mark: Mark) async throws {
        let run = try await ConformanceRun(mark.suite, mark.way)
        print("conformance:", run.summary)
        #expect(run.unexpected.isEmpty)
        #expect(run.count(.agree) >= mark.agreeing)
    }

    @Test func `the pins a browser shipped are those of the roots they were made from`() async throws {
        struct Pins: Decodable, Sendable {
            struct Pin: Decodable, Sendable {
                let name: String
                let pin: String
                let certificate: Data

                private enum CodingKeys: String, CodingKey {
                    case name
                    case pin = "pin_sha256"
                    case certificate = "cert"
                }
            }
            let format: String
            let pins: [Pin]
        }
        let file = try await ConformanceData.decode(Pins.self, from: "spki-pins")
        #expect(file.format == "spki-pins/1")
        var agreeing = 0
        for pin in file.pins {
            let certificate = try CertificateReader.certificate(der: Array(pin.certificate))
            #expect(certificate.publicKey.spkiSHA256.base64 == pin.pin, "\(pin.name)")
            if certificate.publicKey.spkiSHA256.base64 == pin.pin { agreeing += 1 }
        }
        print("conformance: spki-pins: \(agreeing) of \(file.pins.count) agree")
        #expect(file.pins.count >= 29)
    }

    @Test(
        .enabled(if: ConformanceTests.python != nil, "there is no python3 to run the suites' own runner"),
        .enabled(if: ConformanceTests.binary != nil, "the pincheck binary is not beside the tests"))
    func `the suites' own runner agrees about the built binary`() async throws {
        let folder = ConformanceData.folder.path
        let outcome = try await Program.run(
            try #require(Self.python),
            [
                "\(folder)/pinconf.py", "run", "\(folder)/data/pkits.json.xz", "--known", "\(folder)/known/pkits.json",
                "--cmd",
                "'\(try #require(Self.binary))' verify {chain} --client generic --anchors {anchors} [--verify-name {host}] --at {at}",
            ])
        print("conformance: pinconf.py with the binary:", outcome.text.prefix { $0 != "\n" })
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    private static let python = Program.path(of: "python3")

    /// The program is built into the directory of the test runner.
    private static let binary: String? = [Bundle.main.bundlePath, ProcessInfo.processInfo.arguments[0]].flatMap {
        path in [path + "/pincheck", (path as NSString).deletingLastPathComponent + "/pincheck"]
    }.first { FileManager.default.isExecutableFile(atPath: $0) }
}

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
