import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct ServeCommandTests: ServeTesting {
    @Test func aProbeHasTheMetricsOfATextfile() async throws {
        try await exporting { world, exporter in
            let file = await pincheck("--policy", world.policy, "-f", "prometheus").output
            let answer = try await exporter.get(world.place)
            #expect(answer.status == 200)
            #expect(answer.fields.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"))
            #expect(stable(answer.body).starts(with: stable(file)), "\(answer.body)\n\(file)")
            #expect(answer.value(of: "pincheck_run_status") == "0")
            #expect(answer.value(of: "pincheck_probe_success") == "1")
            let seconds = try #require(answer.value(of: "pincheck_probe_duration_seconds").flatMap(Double.init))
            #expect(seconds > 0)
            #expect(try await exporter.count(#"probes_total{module="default",status="PASS"}"#) == "1")
            #expect(try await exporter.count(#"requests_total{code="200"}"#) == "2")
            // An entry with one port is meant where none is named.
            #expect(try await exporter.success("/probe?target=\(host)") == "1")
        }
    }

    private func stable(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { line in
            !line.hasPrefix("pincheck_check_duration_seconds{")
                && !line.hasPrefix("pincheck_last_run_timestamp_seconds ")
        }
    }

    @Test func aVerdictThatRejectsIsAnAnswerToo() async throws {
        try await exporting(pins: "junk.cer") { world, exporter in
            let answer = try await exporter.get(world.place)
            #expect(answer.status == 200)
            #expect(answer.value(of: "pincheck_run_status") == "1")
            #expect(answer.value(of: "pincheck_probe_success") == "0")
            let told = await exporter.log.line {
                $0.contains("warn probe target=\(host):\(world.server.port) module=default")
            }
            #expect(told?.contains("status=FAIL reason=pin-mismatch") == true)
        }
    }

    @Test func aModuleIsChosenByName() async throws {
        try await serving { world in
            let other = try world.files.write(policy(world.server.port, pins: "junk.cer"), to: "other.json5")
            let modules = ["--module", "good=\(world.policy)", "--module", "bad=\(other)"]
            try await RunningExporter.serving(modules) { exporter in
                #expect(try await exporter.success(world.place + "&module=good") == "1")
                #expect(try await exporter.success(world.place + "&module=bad") == "0")
                for (place, words) in [(world.place, "one of bad, good"), (world.place + "&module=x", "no module 'x'")]
                {
                    let answer = try await exporter.get(place)
                    #expect(answer.status == 400 && answer.body.contains(words), "\(answer)")
                }
            }
        }
    }

    @Test func nothingIsAskedOfWhatNobodyNamed() async throws {
        try await exporting { world, exporter in
            let port = Int(world.server.port)
            for (target, status) in [
                ("127.0.0.1:\(port)", 403), ("localhost:\(port)", 403), ("\(host):\(port + 1)", 403),
                ("x.\(host):\(port)", 403), ("\(host):%31%30e3", 400), ("https://user:geheim@\(host):\(port)/", 400),
                ("\(host)%0d%0aX:1:\(port)", 400), ("%1b%5b31m", 400), ("%E2%80%AEexample", 400),
                (String(repeating: "a", count: 300), 400),
            ] {
                let answer = try await exporter.get("/probe?target=\(target)")
                #expect(answer.status == status, "\(target): \(answer)")
                #expect(answer.body.hasSuffix("\n") && isPlain(answer.body), "\(answer.body.debugDescription)")
                #expect(answer.value(of: "pincheck_probe_success") == nil)
            }
            #expect(world.server.connections.isEmpty)
            #expect(!exporter.log.text.contains("geheim") && isPlain(exporter.log.text))
            #expect(try await exporter.get("/probe?target=\(host):\(port)").status == 200)
        }
    }

    @Test func whatIsAllowedIsJudgedByTheFlags() async throws {
        try await serving { world in
            let port = Int(world.server.port)
            let leaf = try pki.interA.issue(.leaf("localhost"), key: LabKey.generate())
            try world.server.present(TLSServerSettings(presenting: [leaf, pki.interA]))
            let flags = ["--anchors", world.anchors, "--pins", leaf.pin, "--client", "okhttp"]
            try await RunningExporter.serving(flags + ["--allow-target", "localhost:\(port)"]) { exporter in
                for (target, status) in [("localhost:\(port)", 200), ("localhost", 403), ("127.0.0.1:\(port)", 403)] {
                    let answer = try await exporter.get("/probe?target=\(target)")
                    #expect(answer.status == status, "\(target): \(answer)")
                    #expect(status != 200 || answer.value(of: "pincheck_probe_success") == "1", "\(target): \(answer)")
                }
            }
            let other = ["--allow-any-target", "--pins", pki.rootB.pin, "--anchors", world.anchors]
            try await RunningExporter.serving(other) { exporter in
                let answer = try await exporter.get("/probe?target=localhost:\(port)")
                #expect(answer.value(of: "pincheck_run_status") == "1")
            }
        }
    }

    @Test func aScrapeIsAnsweredInItsTime() async throws {
        try await DeadPort.unresponsive { silent in
            let flags = ["--allow-any-target", "--timeout", "3600", "--jobs", "1"]
            try await RunningExporter.serving(flags) { exporter in
                let place = "/probe?target=127.0.0.1:\(silent)"
                let answer = try await exporter.get(place, ["X-Prometheus-Scrape-Timeout-Seconds: 0.2"])
                #expect(answer.status == 200 && answer.value(of: "pincheck_run_status") == "2", "\(answer)")
                #expect(await exporter.log.line { $0.contains("reason=timeout") } != nil)
                let twice = ["X-Prometheus-Scrape-Timeout-Seconds: 1", "X-Prometheus-Scrape-Timeout-Seconds: 2"]
                #expect(try await exporter.get(place, twice).status == 400)
                // One that hangs on holds the only place; the next is told, and is no target that cannot be reached.
                let first = try ScrapeConnection(port: exporter.port)
                first.send("GET \(place) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while try await exporter.count("probes_in_flight") != "1" {}
                let second = try await exporter.get(place, ["X-Prometheus-Scrape-Timeout-Seconds: 0.2"])
                #expect(second.status == 503 && second.body.contains("--jobs"), "\(second)")
                #expect(try await exporter.count(#"probe_errors_total{module="default",reason="busy"}"#) == "1")
                // Nobody is probed for whom nobody waits.
                first.reset()
                while try await exporter.count("probes_in_flight") != "0" {}
                #expect(try await exporter.count(#"probe_errors_total{module="default",reason="cancelled"}"#) == "1")
            }
        }
    }

    @Test func aPolicyThatChangedIsReadAgainAndABrokenOneLeavesTheOld() async throws {
        try await exporting { world, exporter in
            #expect(try await exporter.success(world.place) == "1")
            try world.files.write(policy(world.server.port, pins: "junk.cer"), to: "pins.json5")
            #expect(try await exporter.success(world.place) == "1")
            #expect(await exporter.reload()?.contains("info reloaded") == true)
            #expect(try await exporter.success(world.place) == "0")
            for broken in ["{", "{ hosts: { '\(host)': { pins: 'missing.cer' } } }", "{ hosts: {} }"] {
                try world.files.write(broken, to: "pins.json5")
                let line = await exporter.reload()
                #expect(line?.contains("error reload failed") == true && line?.contains("stays in force") == true)
                #expect(try await exporter.success(world.place) == "0")
            }
            #expect(try await exporter.count("config_last_reload_successful") == "0")
            try world.files.write(policy(world.server.port, pins: "leaf.cer"), to: "pins.json5")
            #expect(await exporter.reload()?.contains("info reloaded") == true)
            #expect(try await exporter.success(world.place) == "1")
            #expect(try await exporter.count("config_last_reload_successful") == "1")
        }
    }

    @Test func theLogHasALineForAProbeAndForWhatIsRefused() async throws {
        let log = LogWatch()
        try await serving { world in
            try await RunningExporter.serving(["--policy", world.policy], log) { exporter in
                _ = try await exporter.get(world.place)
                _ = try await exporter.get("/-/healthy")
                _ = try await exporter.get("/probe?target=127.0.0.1")
                _ = try await exporter.get("/probe?target=a%20b")
            }
        }
        let lines = log.lines.map { $0.split(separator: " ").dropFirst() }
        #expect(
            lines.map { $0.prefix(2).joined(separator: " ") } == [
                "info listening", "info probe", "warn refused", "warn refused", "info ending",
            ])
        #expect(log.text.contains(#"code=403 client=127.0.0.1 message="'127.0.0.1' is no target"#))
        #expect(log.text.contains("code=400 client=127.0.0.1\n"))
    }

    @Test func theLogHasWhatIsAsGraveAsAskedFor() async {
        let watch = LogWatch()
        let log = ServeLog(from: .warn, in: .lab(errors: watch.stream, at: 0))
        for level in ServeLog.Level.allCases { log.write(level, "event", [("a", "b\n\"c\""), ("d", "")]) }
        await log.end()
        let fields = #"event a="b\\u{A}\"c\"" d="""#
        #expect(watch.lines == ["error", "warn"].map { "1970-01-01T00:00:00Z \($0) \(fields)" })
    }

    @Test func otherPlacesAndMethodsAreToldSo() async throws {
        try await RunningExporter.serving(["--allow-target", "a.test"]) { exporter in
            #expect(try await exporter.get("/-/healthy").body == "healthy\n")
            #expect(try await exporter.get("/").body.contains("modules: default"))
            #expect(try await exporter.get("/probes?target=a.test").status == 404)
            #expect(try await exporter.get("/../etc/passwd").status == 404)
            #expect(try await exporter.get("/" + String(repeating: "a", count: 5_000)).status == 414)
            let connection = try ScrapeConnection(port: exporter.port)
            connection.send("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc")
            let refused = try await connection.answer()
            #expect(refused.status == 405 && refused.fields.contains("Allow: GET, HEAD"))
            connection.send("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let head = try await connection.answer(toHead: true)
            #expect(head.status == 200 && head.fields.contains { $0.hasPrefix("Content-Length: ") })
        }
    }

    /// A page of a browser that has its name resolve to this machine cannot change what the browser writes there.
    @Test(arguments: [
        ("127.0.0.1:9719", 200), ("[::1]:9719", 200), ("localhost", 200), ("LOCALHOST.:1", 200), ("10.0.0.7", 200),
        ("pins.example.com:9719", 200), ("evil.example", 421), ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:9719", 421), ("https://127.0.0.1/", 421), ("a@127.0.0.1", 421), ("", 421),
        ("127.0.0.1\r\nHost: evil.example", 421),
    ]) func onlyThisMachinesNamesAreAnswered(name: String, status: Int) async throws {
        try await RunningExporter.serving(["--allow-target", "a.test", "--allow-host", "pins.example.com"]) {
            exporter in
            let connection = try ScrapeConnection(port: exporter.port)
            connection.send("GET /metrics HTTP/1.1\r\nHost: \(name)\r\n\r\n")
            #expect(try await connection.answer().status == status)
            #expect(!exporter.log.text.contains("evil"))
        }
    }

    @Test func aRequestOfHTTP10NeedsNoHostHeader() async throws {
        try await RunningExporter.serving(["--allow-target", "a.test"]) { exporter in
            for (version, status) in [("1.0", 200), ("1.1", 421)] {
                let connection = try ScrapeConnection(port: exporter.port)
                connection.send("GET /-/healthy HTTP/\(version)\r\n\r\n")
                #expect(try await connection.answer().status == status, "\(version)")
            }
        }
        for name in ["*.example.com", "127.0.0.1", "a.example:80", ""] {
            await pincheck("serve", "--allow-target", "a.test", "--allow-host", name).expect(.usage)
        }
    }

    /// `Tests/Alerts` has what they do over time, for promtool.
    @Test func theAlertsOfTheArticleAreTheTestedOnes() throws {
        let article = try contents(
            ofFile: Article.top.appending(path: "Sources/pincheck/pincheck.docc/Serving.md").path)
        let rules = try contents(ofFile: Article.top.appending(path: "Tests/Alerts/alerts.yml").path)
        let groups = rules.drop { $0 != "\n" }.split(separator: "groups:", maxSplits: 1).last ?? ""
        #expect(article.contains("```yaml\ngroups:\(groups)```\n") && groups.contains("PinsNeedAttention"))
    }

    @Test func everyAddressIsProbedAndTheWorstCounts() async throws {
        let chains = [served, [pki.leaf2, pki.interA]]
        try await LoopbackServer.serving(all: chains.map { .presenting($0) }) { servers in
            let places = servers.map { "'\($0.place)'" }.joined(separator: ", ")
            let policy = "{ hosts: { '$HOST': { anchors: 'root.pem', pins: 'leaf.cer', connect: [\(places)] } } }"
            let desk = try Desk(["pins.json5": policy])
            try await RunningExporter.serving(["--policy", desk.files.path + "/pins.json5"]) { exporter in
                let answer = try await exporter.get("/probe?target=\(host)")
                #expect(answer.value(of: "pincheck_probe_success") == "0", "\(answer)")
                #expect(answer.body.ranges(of: "\npincheck_accepted{").count == 2, "\(answer)")
            }
        }
    }

    @Test func whatAPolicySaysIsNoOptionAndIsToldSo() async {
        #expect(Command.serve.options.count <= 26)
        let known = Set(Command.serve.options.map(\.flag))
        for option in Command.check.options where !known.contains(option.flag) && option.flag != "--output" {
            let outcome = await pincheck("serve", option.flag)
            let wanted = option.key.map { "write '\($0)' in the policy" } ?? "-f prometheus"
            #expect(outcome.status == .usage)
            #expect(outcome.errors.contains(option.flag == "--targets" ? "--policy FILE" : wanted), "\(outcome)")
        }
    }

    @Test func aTargetWithTwoEntriesIsRefused() async throws {
        let desk = try Desk(["pins.json5": "{ hosts: { 'a.example': { pins: '$LEAF' } } }"])
        await desk("serve --policy @pins.json5 --policy @pins.json5").expect(.data, errors: "is named twice")
    }
}

protocol ServeTesting: Sendable {}

struct ServeWorld {
    let server: LoopbackServer
    let files: TemporaryDirectory
    var anchors: String { files.path + "/root.pem" }
    var policy: String { files.path + "/pins.json5" }
    var place: String { "/probe?target=\(host):\(server.port)" }
}

extension ServeTesting {
    func policy(_ port: UInt16, pins: String) -> String {
        """
        { defaults: { anchors: "root.pem", connect: "127.0.0.1" }, hosts: { "\(host):\(port)": { pins: "\(pins)" } } }
        """
    }

    func serving(pins: String = "leaf.cer", _ body: (ServeWorld) async throws -> Void) async throws {
        try await Desk.serving { desk, server in
            try desk.write(policy(server.port, pins: pins), to: "pins.json5")
            try await body(ServeWorld(server: server, files: desk.files))
        }
    }

    func exporting(pins: String = "leaf.cer", _ body: (ServeWorld, RunningExporter) async throws -> Void) async throws {
        try await serving(pins: pins) { world in
            try await RunningExporter.serving(["--policy", world.policy]) { try await body(world, $0) }
        }
    }
}
