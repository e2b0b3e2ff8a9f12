import Base
import LoopbackLab
import PinChecking
import Testing

@testable import PinCheckCLI

/// The built exporter: what only a process has, signals and descriptors.
@Suite(.hasBuiltBinary, .endsSomeTime) struct ServeSignalTests: ServeTesting {
    /// Begins a script: functions that start the exporter, wait for a line of its log, and ask it.
    private func script(_ rest: String) -> String {
        """
        set -m; cd "$TMPDIR"; mkfifo log
        serve() { $PINCHECK serve --listen 127.0.0.1:0 "$@" 2>log & pid=$!; exec 3<log
            await ' listening '; port=${line##*:}; }
        await() { while read -r line <&3; do echo "$line" >>lines; case $line in *"$1"*) return 0;; esac; done; return 1; }
        get() { exec 4<>/dev/tcp/127.0.0.1/$port
            printf 'GET %s HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' "$1" >&4; cat <&4; exec 4>&-; }
        \(rest)
        """
    }

    /// What is under way is answered first, unless a second signal comes.
    @Test(arguments: [
        ("2", "cat <&5; exec 5>&-", Int32(0), "pincheck_run_status 2"), ("3600", "kill -INT $pid", 130, ""),
    ]) func itEndsOnceWhatIsUnderWayIsAnswered(timeout: String, next: String, status: Int32, words: String) async throws
    {
        try await DeadPort.unresponsive { silent in
            let outcome = try await BuiltBinary.run(
                script(
                    """
                    serve --allow-any-target --timeout \(timeout)
                    exec 5<>/dev/tcp/127.0.0.1/$port
                    printf 'GET /probe?target=127.0.0.1:\(silent) HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' >&5
                    until get /metrics | grep -q '^pincheck_exporter_probes_in_flight 1'; do
                        kill -0 $pid || exit 91; [ $SECONDS -lt 300 ] || exit 92
                    done
                    kill -TERM $pid; await ending || exit 90
                    \(next); wait $pid
                    """))
            #expect(outcome.status == status && outcome.output.contains(words), "\(outcome)")
            #expect(outcome.output.lowercased().contains("connection: close") != words.isEmpty)
        }
    }

    @Test func whoeverDoesNotReadItsLogKeepsItFromNothing() async throws {
        let outcome = try await BuiltBinary.run(
            script(
                """
                serve --allow-any-target
                # More than a pipe takes: each is refused, which is logged.
                requests() { for number in $(seq 2000); do printf 'GET /x HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'; done; }
                exec 5<>/dev/tcp/127.0.0.1/$port
                { requests; printf 'GET /x HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n'; } >&5 &
                cat <&5 | grep -c '^there is /probe'
                get '/probe?target=127.0.0.1:1' | grep '^pincheck_run_status'
                kill -TERM $pid; wait $pid
                """))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "2001\npincheck_run_status 2\n")
    }

    @Test func itReadsItsFilesAgain() async throws {
        try await serving { world in
            let outcome = try await BuiltBinary.run(
                script(
                    """
                    serve --policy '\(world.policy)'
                    kill -HUP $pid; await ' reloaded ' || exit 90
                    kill -TERM $pid; wait $pid
                    """))
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    @Test(arguments: [160, 300]) func whereDescriptorsAreFewItIsBackOnceConnectionsAreGone(limit: Int) async throws {
        let outcome = try await BuiltBinary.run(
            script(
                """
                (ulimit -n \(limit); exec $PINCHECK serve --listen 127.0.0.1:0 --allow-any-target 2>log) & pid=$!
                exec 3<log; await ' listening ' || exit 90; port=${line##*:}
                for number in $(seq 20 200); do eval "exec $number<>/dev/tcp/127.0.0.1/$port" || exit 91; done
                for number in $(seq 20 200); do eval "exec $number>&-"; done
                until get /-/healthy 2>/dev/null | grep -qx healthy; do :; done
                get '/probe?target=127.0.0.1:1' | grep -e '^pincheck_run_status'
                kill -TERM $pid; cat <&3 >/dev/null; wait $pid
                """))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "pincheck_run_status 2\n", "\(outcome)")
    }

    @Test(arguments: [9, 16, 24, 100]) func withTooFewDescriptorsItSaysSoAndDoesNotBegin(limit: Int) async throws {
        let outcome = try await BuiltBinary.run(
            "ulimit -n \(limit); timeout 60 $PINCHECK serve --allow-any-target --listen 127.0.0.1:0")
        #expect(outcome.status == 70, "\(outcome)")
        #expect(outcome.errors.contains("raise the") && outcome.errors.contains("ulimit -n"), "\(outcome)")
    }
}

@Suite struct ScrapeQueryTests {
    @Test(arguments: [
        // As Go's url.Values writes them.
        ("/probe?target=a", "/probe", ["a"]), ("/probe?module=b&target=a", "/probe", ["a", "b"]),
        ("/probe?target=%5B2001%3Adb8%3A%3A1%5D%3A443", "/probe", ["[2001:db8::1]:443"]),
        ("/probe?target=a+b%20c", "/probe", ["a b c"]), ("/probe?target=%E4%BE%8B.example", "/probe", ["例.example"]),
        ("/probe?target=a=b&module=", "/probe", ["a=b"]), ("/probe?&&target=a?b&", "/probe", ["a?b"]),
        ("/probe?target=%00%0a", "/probe", ["\u{0}\n"]),
        // A URL of this server, which RFC 9112 (3.2.2) asks servers to take.
        ("http://127.0.0.1:9719/probe?target=a", "/probe", ["a"]), ("HTTPS://x/metrics?target=a", "/metrics", ["a"]),
        // A path is compared as it is.
        ("/%70robe?target=a", "/%70robe", ["a"]), ("//probe?target=a", "//probe", ["a"]),
    ]) func aQueryIsAPathWithATargetAndPerhapsAModule(text: String, path: String, values: [String]) throws {
        let query = try ScrapeQuery(text)
        let probe = try query.probe()
        #expect(query.path == path && [probe.target] + (probe.module.map { [$0] } ?? []) == values)
    }

    @Test(arguments: [
        ("", 400, "for no path"), ("probe", 400, "for no path"), ("*", 400, "for no path"),
        ("http://host", 400, "for no path"), ("ftp://host/probe", 400, "for no path"),
        ("/probe?target=a#b", 400, "for no path"), ("/probe?target=%", 400, "two hexadecimal digits"),
        ("/probe?target=%4", 400, "two hexadecimal digits"), ("/probe?target=%zz", 400, "two hexadecimal digits"),
        ("/probe?%+1=a", 400, "two hexadecimal digits"), ("/probe?target=%ff", 400, "UTF-8"),
        ("/probe?%c3=a", 400, "UTF-8"),
        // An overlong form of a slash, and half of a pair.
        ("/probe?target=%c0%af", 400, "UTF-8"), ("/probe?target=%ed%a0%80", 400, "UTF-8"),
        ("/probe?target=" + String(repeating: "a", count: 4_096), 414, "more than 4096 bytes"),
        ("/probe", 400, "'target' is missing"), ("/probe?target=", 400, "'target' is missing"),
        ("/probe?target", 400, "'target' is missing"), ("/probe?target=a&target=a", 400, "'target' stands twice"),
        ("/probe?target=a&module=b&module=", 400, "'module' stands twice"),
        // Misspelt, the target would be judged by another module.
        ("/probe?target=a&modul=b", 400, "'modul' is no parameter"),
        ("/probe?Target=a", 400, "'Target' is no parameter"),
    ]) func whatIsNoQueryIsRefused(text: String, status: Int, words: String) throws {
        let problem = #expect(throws: ScrapeProblem.self) { _ = try ScrapeQuery(text).probe() }
        #expect(problem?.status == status && problem?.message.description.contains(words) == true, "\(problem as Any)")
    }

    @Test(
        arguments: [
            ("10", .milliseconds(9_500)), ("10.000000", .milliseconds(9_500)), ("1", .milliseconds(750)),
            ("0.4", .milliseconds(300)), ("0.0001", .milliseconds(1)), ("1e1", .milliseconds(9_500)),
            ("1e300", .milliseconds(86_399_500)), (nil, nil),
        ] as [(String?, Duration?)]) func aScrapeLeavesTimeForTheWayBack(text: String?, time: Duration?) throws
    { #expect(try ScrapeQuery.timeout(text.map { [$0] } ?? []) == time) }

    @Test(arguments: [[""], ["-1"], ["0"], ["nan"], ["inf"], ["0x10"], ["10s"], ["1e999"], [" 1"], ["1", "1"], ["١"]])
    func whatIsNoTimeIsRefused(values: [String]) {
        #expect(throws: ScrapeProblem.self) { try ScrapeQuery.timeout(values) }
    }

    @Test(arguments: [
        ("a.example.com", true), ("a.b.example.com:443", true), ("a.example.com:444", false), ("example.com", false),
        ("aexample.com", false), ("203.0.113.9:1", true), ("203.0.113.9", false), ("A.TEST", true), ("a.test:1", false),
    ]) func whatIsAllowedIsAHostAPortOrNamesBelow(text: String, isAllowed: Bool) throws {
        var allowed = AllowedTargets()
        for target in ["*.example.com", "203.0.113.9:1", "a.test"] { try allowed.add(target) }
        let target = try Target(text)
        #expect(allowed.includes(target, port: target.port ?? 443) == isAllowed)
    }
}
