import Foundation
import LoopbackLab
import Testing

/// The built program, for what only a process has: descriptors and exit codes.
@Suite(.hasBuiltBinary, .endsSomeTime) struct BuiltBinaryTests {
    @Test func helpIsWrittenHoweverNarrowTheTerminal() async throws {
        for columns in ["0", "-5", "1", "26", "39", "9223372036854775807", "nonsense"] {
            for help in ["-h", "--help", "help check"] {
                let outcome = try await BuiltBinary.run("COLUMNS=\(columns) $PINCHECK \(help)")
                #expect(
                    outcome.status == 0 && outcome.output.contains("--pins"), "COLUMNS=\(columns) \(help): \(outcome)")
            }
        }
    }

    @Test(
        arguments: [
            ("$PINCHECK", 64), ("$PINCHECK --version", 0), ("$PINCHECK --help", 0), ("$PINCHECK --unknown 2>&-", 64),
            ("$PINCHECK verify /nonexistent", 66), ("$PINCHECK verify - </dev/null", 65),
            ("$PINCHECK --version 2>&-", 0), ("$PINCHECK --version <&-", 0), ("$PINCHECK --version >&-", 74),
            ("$PINCHECK verify $CHAIN --anchors $CHAIN", 0), ("$PINCHECK verify $CHAIN", 1),
            ("$PINCHECK verify $CHAIN --anchors $CHAIN >&-", 74), ("$PINCHECK verify $CHAIN >&- 2>&- <&-", 74),
            ("test ! -e /dev/full || { $PINCHECK verify $CHAIN >/dev/full; test $? = 74; }", 0),
            ("$PINCHECK verify - --anchors $CHAIN <$CHAIN", 0), ("$PINCHECK verify <(cat $CHAIN) --anchors $CHAIN", 0),
            ("set -o pipefail; $PINCHECK verify $CHAIN --anchors $CHAIN | true", 0),
            ("set -o pipefail; $PINCHECK verify $CHAIN | true", 1),
        ] as [(String, Int32)]) func endsAsTheTableSays(script: String, code: Int32) async throws
    { #expect(try await BuiltBinary.run(script).status == code) }

    @Test func aMachineThatLacksTheBareNecessitiesIsToldSoAndNothingCrashes() async throws {
        // With fewer descriptors the loader may not find the libraries.
        for limit in 6...12 {
            let outcome = try await BuiltBinary.run("ulimit -n \(limit); $PINCHECK verify $CHAIN --anchors $CHAIN")
            #expect([0, 66, 70].contains(outcome.status), "\(limit): \(outcome.errors)")
        }
        #expect(try await BuiltBinary.run("ulimit -n 6; $PINCHECK --version").errors.contains("ulimit -n 256"))
        let settings = #"openssl_conf=a\n[a]\nproviders=b\n[b]\nbase=c\n[c]\nactivate=1\n"#
        for command in [
            "verify $CHAIN", "127.0.0.1 --anchors $CHAIN", "127.0.0.1", "pins $CHAIN", "fetch https://127.0.0.1/",
            "127.0.0.1 --cert $CHAIN",
        ] {
            let outcome = try await BuiltBinary.run(
                "printf '\(settings)' >$TMPDIR/openssl.cnf; OPENSSL_CONF=$TMPDIR/openssl.cnf $PINCHECK \(command)")
            #expect(outcome.status == 70)
            #expect(outcome.errors.hasPrefix("Error: OpenSSL offers no SHA-256"))
        }
    }

    @Test func aTimeZoneThatNobodyWritesIsNotWaitedFor() async throws {
        let outcome = try await BuiltBinary.run(
            "mkfifo $TMPDIR/fifo; TZ=:$TMPDIR/fifo $PINCHECK verify $CHAIN --anchors $CHAIN")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func aConfigurationOfOpenSSLThatNobodyWritesIsNotWaitedFor() async throws {
        for name in ["$TMPDIR/fifo", "/dev/zero", "$TMPDIR/huge"] {
            let outcome = try await BuiltBinary.run(
                "mkfifo $TMPDIR/fifo; head -c 2000000 /dev/zero >$TMPDIR/huge; "
                    + "OPENSSL_CONF=\(name) $PINCHECK verify $CHAIN --anchors $CHAIN")
            #expect(outcome.status == 66, "\(name): \(outcome.errors)")
            #expect(outcome.errors.hasPrefix("Error: OpenSSL's configuration "))
        }
        for name in ["/dev/null", "/nonexistent", ""] {
            let outcome = try await BuiltBinary.run("OPENSSL_CONF=\(name) $PINCHECK verify $CHAIN --anchors $CHAIN")
            #expect(outcome.status == 0, "\(name): \(outcome.errors)")
        }
    }

    @Test(arguments: ["-f jsonl -o $TMPDIR/log", "-f jsonl >$TMPDIR/log", "-f jsonl -o /dev/stdout >>$TMPDIR/log"])
    func aFullDiskLeavesNoTornLine(output: String) async throws {
        let outcome = try await BuiltBinary.run(
            """
            for i in 1 2 3 4 5 6 7 8 9; do echo 127.0.0.1:$i; done >$TMPDIR/list
            ulimit -f 4; $PINCHECK --targets $TMPDIR/list --timeout 5 \(output); test $? = 74 || exit 1
            test -s $TMPDIR/log && test "$(tail -c 1 $TMPDIR/log | od -An -tx1 | tr -d ' ')" = 0a
            """)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("could not be written: File too large"))
    }

    @Test func aConnectionNeverGetsTheOutput() async throws {
        try await LoopbackServer.serving(.presenting(served)) { server in
            let outcome = try await BuiltBinary.run("$PINCHECK 127.0.0.1:\(server.port) >&- <&-")
            #expect(outcome.status == 74)
        }
    }

    @Test func aTargetWithManyAddressesKeepsToTheDescriptorsThereAre() async throws {
        try await LoopbackServer.serving(.presenting(served), address: "0.0.0.0") { server in
            let addresses = (1...60).map { "127.0.1.\($0)" }.joined(separator: ";")
            let outcome = try await BuiltBinary.run(
                "ulimit -n 32; echo '\(addresses)' | $PINCHECK 127.0.0.1:\(server.port) --addresses - --timeout 60")
            #expect(outcome.output.contains("\n  60 addresses  FAIL  EC P-256 "), "\(outcome.output)")
            #expect(!outcome.output.contains("UNREACHABLE"))
            #expect(outcome.status == 1)
        }
    }
}

extension Trait where Self == ConditionTrait {
    static var hasBuiltBinary: Self {
        .enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests")
    }
}

extension Trait where Self == ConditionTrait {
    /// Needs a program that is no part of every machine.
    static func has(_ program: String) -> Self {
        let isThere = BuiltBinary.directories.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
        return .enabled(if: isThere, "there is no \(program)")
    }
}

enum BuiltBinary {
    /// The program is built into the directory of the test runner.
    static let path: String? = {
        let candidates = [Bundle.main.bundlePath, ProcessInfo.processInfo.arguments[0]].flatMap { path in
            [path + "/pincheck", (path as NSString).deletingLastPathComponent + "/pincheck"]
        }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Where the programs are that scripts run.
    static let directories = "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"

    /// Runs a script of the shell in which `$PINCHECK` is the program and `$CHAIN` a file with a trusted chain.
    static func run(_ script: String) async throws -> (status: Int32, output: String, errors: String) {
        let files = try TemporaryDirectory()
        let chain = try files.write(pki.leaf.pem, to: "chain.pem")
        let output = try files.write("", to: "output")
        let errors = try files.write("", to: "errors")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "{ \(script)\n} >'\(output)' 2>'\(errors)'"]
        process.environment = [
            "PATH": directories, "PINCHECK": path ?? "", "CHAIN": chain, "TMPDIR": files.path,
            "SSL_CERT_FILE": "/nonexistent", "SSL_CERT_DIR": "/nonexistent",
        ]
        let status = try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        return (status, try contents(ofFile: output), try contents(ofFile: errors))
    }
}
