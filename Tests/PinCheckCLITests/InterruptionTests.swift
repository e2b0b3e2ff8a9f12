import LoopbackLab
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct InterruptionTests {
    @Test(.hasBuiltBinary, arguments: [("TERM", Int32(143)), ("HUP", 129), ("INT", 130)])
    func aSignalLeavesWholeLinesAndFilesAsTheyWere(signal: String, code: Int32) async throws {
        try await LoopbackServer.serving(.presenting(served)) { server in
            try await DeadPort.unresponsive { silent in
                // A shell without job control lets its background jobs ignore SIGINT.
                let outcome = try await BuiltBinary.run(
                    """
                    set -m; cd "$TMPDIR"; mkfifo out; echo before >junit.xml
                    $PINCHECK 127.0.0.1:\(server.port) 127.0.0.1:\(silent) --timeout 60 \
                      -f jsonl -f junit=junit.xml >out & pid=$!
                    exec 3<out; read -r line <&3; echo "$line"
                    kill -\(signal) $pid; cat <&3; wait $pid; code=$?
                    cat junit.xml >&2; ls -A >&2; exit $code
                    """)
                #expect(outcome.status == code)
                #expect(outcome.output.hasSuffix("}\n") && outcome.output.count { $0 == "\n" } == 1)
                #expect(try JSONValue(outcome.output)["target"].text == "127.0.0.1:\(server.port)")
                #expect(outcome.errors.contains("before\n"), "\(outcome.errors)")
                #expect(!outcome.errors.contains(".pincheck-"))
            }
        }
    }

    private static let halting = ServerBehavior.tls(
        TLSServerSettings(presenting: served).with {
            $0.application = Responder { request in
                let head = "HTTP/1.1 \(request.contains("Range:") ? "206 Part" : "200 OK")\nETag: \"v1\""
                return request.contains("Range: bytes=3-")
                    ? Responder.Answer(head + "\nContent-Range: bytes 3-4/5\nContent-Length: 2", "45".utf8)
                    : Responder.Answer(head + "\nContent-Length: 5", "123".utf8, .silence)
            }
        })

    @Test(
        .hasBuiltBinary,
        arguments: [
            ("", "Paused: what came is kept in 'a.bin.part', and the same command goes on with it.\n"), ("-q", ""),
        ]) func aSignalPausesADownload(option: String, words: String) async throws
    {
        try await LoopbackServer.serving(Self.halting) { server in
            let place = "\(host):\(server.port)"
            let outcome = try await BuiltBinary.run(
                """
                set -m; cd "$TMPDIR"; printf '%s' '\(pki.rootA.pem)' >anchors.pem
                fetch() {
                    $PINCHECK fetch https://\(place)/a.bin -o a.bin --resolve \(place):127.0.0.1 --anchors anchors.pem \
                      --pins \(pki.leaf.pin) "$@"
                }
                fetch \(option) 2>said & pid=$!
                until [ -s a.bin.part ]; do :; done
                kill -INT -- -$pid; wait $pid; code=$?
                fetch -q || exit; cat a.bin said; exit $code
                """)
            #expect(outcome.status == 130 && outcome.output == "12345" + words, "\(outcome)")
        }
    }

    @Test(.hasBuiltBinary, arguments: [("", [143]), ("kill -HUP $pid", [143, 129])])
    func signalsEndARunWhoseOutputNobodyReads(more: String, statuses: [Int32]) async throws {
        // More than a pipe holds (64 KiB): once a byte has come, the write is under way and has no end.
        let outcome = try await BuiltBinary.run(
            """
            set -m; cd "$TMPDIR"; mkfifo out
            $PINCHECK devices ios-26 --format json >out & pid=$!
            exec 3<out
            dd bs=1 count=1 <&3 >/dev/null 2>&1
            kill -TERM $pid; \(more)
            wait $pid
            """)
        #expect(statuses.contains(outcome.status), "\(outcome)")
    }

    #if os(Linux)
    @Test(.hasBuiltBinary) func aSignalFromBeforeTheStartIsNotLost() async throws {
        try await DeadPort.unresponsive { silent in
            let outcome = try await BuiltBinary.run(
                """
                env --block-signal=TERM sh -c 'kill -TERM $$; exec "$@"' sh $PINCHECK 127.0.0.1:\(silent) --timeout 60
                """)
            #expect(outcome.status == 143)
        }
    }
    #endif

    @Test(
        .hasBuiltBinary,
        arguments: [
            ("", [143]), ("kill -INT $pid", [143, 130]), ("kill -TERM $pid; kill -HUP $pid", [143, 129]),
            // While the first is taken care of, the process blocks the others.
            (
                "until grep -q 'SigBlk:.*[1-9a-f]' /proc/$pid/status || ! kill -0 $pid; do :; done; kill -INT $pid",
                [143]
            ),
        ]) func aPausedDownloadEndsThoughNobodyReadsItsWords(more: String, statuses: [Int32]) async throws
    {
        try await LoopbackServer.serving(Self.halting) { server in
            let place = "\(host):\(server.port)"
            let outcome = try await BuiltBinary.run(
                """
                set -m; cd "$TMPDIR"; printf '%s' '\(pki.rootA.pem)' >anchors.pem
                mkfifo words; exec 4<>words; cat /dev/zero >&4 & filler=$!
                $PINCHECK fetch https://\(place)/a -o a --resolve \(place):127.0.0.1 --anchors anchors.pem \
                  --pins \(pki.leaf.pin) 2>&4 & pid=$!
                until [ -s a.part ] || ! kill -0 $pid; do :; done
                kill -TERM $pid; \(more)
                wait $pid; code=$?; kill -KILL $filler; exit $code
                """)
            // Of signals that come at once the system hands over the lower number first.
            #expect(statuses.contains(outcome.status), "\(outcome)")
        }
    }

    @Test(.hasBuiltBinary) func whatWasStartedToIgnoreASignalIgnoresIt() async throws {
        try await LoopbackServer.serving(.presenting(served)) { server in
            try await DeadPort.unresponsive { silent in
                let outcome = try await BuiltBinary.run(
                    """
                    trap '' HUP; cd "$TMPDIR"; mkfifo out
                    $PINCHECK 127.0.0.1:\(server.port) 127.0.0.1:\(silent) --timeout 4 -f jsonl >out & pid=$!
                    exec 3<out; read -r line <&3; kill -HUP $pid; wait $pid
                    """)
                #expect(outcome.status == 1)
            }
        }
    }

    private func progress(
        of total: Int, steps: [(milliseconds: Int, status: ExitStatus)], hasResultOnOutput: Bool = true,
        output: OutputStream = OutputBuffer().stream(isFile: true), isTerminal: Bool = true,
        environment: [String: String] = [:]
    ) -> String {
        let errors = OutputBuffer()
        let start = ContinuousClock.now
        var time = start
        do {
            let line = ProgressLine(
                total: total, console: Console(output: output, errors: errors.stream(isTerminal: isTerminal)),
                hasResultOnOutput: hasResultOnOutput, environment: environment, now: { time })
            for step in steps {
                time = start + .milliseconds(step.milliseconds)
                line?.count(step.status)
            }
        }
        return errors.text
    }

    private let long: [(milliseconds: Int, status: ExitStatus)] = [
        (500, .pass), (1_000, .fail), (1_050, .pass), (1_200, .unreachable),
    ]

    @Test func progressIsShownAfterASecondAndErasedAtTheEnd() {
        #expect(
            progress(of: 20, steps: long) == "\r2 of 20 checked, 1 not passed, 9.0 s left\u{1B}[K"
                + "\r4 of 20 checked, 2 not passed, 4.8 s left\u{1B}[K\r\u{1B}[K")
        #expect(!progress(of: 20, steps: long, hasResultOnOutput: false, output: OutputBuffer().stream()).isEmpty)
    }

    @Test func progressIsNotShownForShortWorkOrWhereItWouldBeInTheWay() {
        #expect(progress(of: 10, steps: long).isEmpty)
        #expect(progress(of: 20, steps: Array(long.prefix(1))).isEmpty)
        #expect(progress(of: 20, steps: long, isTerminal: false).isEmpty)
        #expect(progress(of: 20, steps: long, environment: ["TERM": "dumb"]).isEmpty)
        #expect(progress(of: 20, steps: long, output: OutputBuffer().stream()).isEmpty)
        #expect(progress(of: 20, steps: long, output: OutputBuffer().stream(isTerminal: true)).isEmpty)
    }
}
