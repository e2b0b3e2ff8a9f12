import LoopbackLab
@testable import PinCheckCLI
import Testing

/// The built exporter: what only a process has, signals and descriptors.
@Suite(.enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"), .endsSomeTime)
struct ServeSignalTests: ServeTesting {
    /// Begins a script: functions that start the exporter, wait for a line of its log, and ask it.
    private func script(_ rest: String) -> String {
        """
        set -m; cd "$TMPDIR"; mkfifo log
        serve() { $PINCHECK serve --listen 127.0.0.1:0 "$@" 2>log & pid=$!; exec 3<log; await ' listening '; port=${line##*:}; }
        await() { while read -r line <&3; do echo "$line" >>lines; case $line in *"$1"*) return 0;; esac; done; return 1; }
        get() { exec 4<>/dev/tcp/127.0.0.1/$port; printf 'GET %s HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n' "$1" >&4; cat <&4; exec 4>&-; }
        \(rest)
        """
    }

    @Test func itEndsOnceWhatIsUnderWayIsAnswered() async throws {
        try await UnresponsivePort.scoped { silent in
            let outcome = try await BuiltBinary.run(
                script(
                    """
                    serve --allow-any-target --timeout 2
                    exec 5<>/dev/tcp/127.0.0.1/$port
                    printf 'GET /probe?target=127.0.0.1:\(silent.port) HTTP/1.1\\r\\n\\r\\n' >&5
                    until get /metrics | grep -q '^pincheck_exporter_probes_in_flight 1'; do :; done
                    kill -TERM $pid; await ending || exit 90
                    cat <&5; exec 5>&-
                    wait $pid
                    """))
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.contains("pincheck_run_status 2"))
            #expect(outcome.output.lowercased().contains("connection: close"))
        }
    }

    @Test func aSecondSignalWaitsForNothing() async throws {
        try await UnresponsivePort.scoped { silent in
            let outcome = try await BuiltBinary.run(
                script(
                    """
                    serve --allow-any-target --timeout 3600
                    exec 5<>/dev/tcp/127.0.0.1/$port
                    printf 'GET /probe?target=127.0.0.1:\(silent.port) HTTP/1.1\\r\\n\\r\\n' >&5
                    until get /metrics | grep -q '^pincheck_exporter_probes_in_flight 1'; do :; done
                    kill -INT $pid; await ending || exit 90
                    kill -TERM $pid; wait $pid
                    """))
            #expect(outcome.status == 143, "\(outcome)")
        }
    }

    @Test func whoeverDoesNotReadItsLogKeepsItFromNothing() async throws {
        let outcome = try await BuiltBinary.run(
            script(
                """
                serve --allow-any-target
                # More than a pipe takes: each is refused, which is logged.
                requests() { for number in $(seq 2000); do printf 'GET /x HTTP/1.1\\r\\n\\r\\n'; done; }
                exec 5<>/dev/tcp/127.0.0.1/$port
                { requests; printf 'GET /x HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n'; } >&5 &
                cat <&5 | grep -c '^there is /probe'
                get '/probe?target=127.0.0.1:1' | grep '^pincheck_run_status'
                kill -TERM $pid; wait $pid
                """))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "2001\npincheck_run_status 2\n")
    }

    @Test func itReadsItsFilesAgain() async throws {
        try await serving { world in
            let place = "/probe?target=\(host):\(world.server.port)"
            let outcome = try await BuiltBinary.run(
                script(
                    """
                    serve --policy '\(world.policy)'
                    get '\(place)' | grep '^pincheck_probe_success'
                    sed -i.bak s/leaf.cer/junk.cer/ '\(world.policy)'
                    kill -HUP $pid; await ' reloaded ' || exit 90
                    get '\(place)' | grep '^pincheck_probe_success'
                    echo '{' >'\(world.policy)'
                    kill -HUP $pid; await 'reload failed' || exit 91
                    get '\(place)' | grep '^pincheck_probe_success'
                    get /metrics | grep -o '^pincheck_exporter_config_last_reload_successful .'
                    kill -TERM $pid; wait $pid
                    """))
            #expect(outcome.status == 0, "\(outcome)")
            // The lab's certificates are of the lab's time, which this process does not have.
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.last == "pincheck_exporter_config_last_reload_successful 0", "\(outcome)")
            #expect(lines.count == 4)
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
