import Base
import NIOCore
import PinChecking

extension Command {
    static let serve = Command(
        name: "serve", abstract: "Answer the scrapes of Prometheus.",
        usage: "pincheck serve [--policy <file>] [--listen <addr:port>] [<options>]",
        discussion: """
            The hosts of a policy, which are the module for requests that name none, on
            http://127.0.0.1:9719/probe?target=api.example.com:
              pincheck serve --policy pins.json5
            Two modules, chosen by module=NAME, each with hosts of its own:
              pincheck serve --module apps=apps.json5 --module shop=shop.json5
            Hosts without a policy, all with the same pins:
              pincheck serve --pins Pins --allow-target api.example.com
              pincheck serve --pins Pins --allow-target '*.example.com'
            For a Prometheus on another machine, which calls this one by a name:
              pincheck serve --policy pins.json5 --listen 0.0.0.0:9719 --allow-host pins.example.com

            A verdict that rejects is an answer, too: status 200 with the metric
            pincheck_probe_success 0. What is no target of a module is refused (403), and
            no probe has more time than --timeout and the scrape leave it. SIGHUP reads
            policies and pins again, SIGTERM ends once every probe is answered.
            """, own: { [.serve, .served] }, run: { try await $0.serve() })
}

extension Invocation {
    func serve() async throws -> ExitStatus {
        let descriptors = DescriptorLimit.connectionLimit()
        // Room for clients, probes, event loops and look-ups: without it a client would not even learn the reason.
        guard DescriptorLimit.hasFreeDescriptors(128) else {
            throw Problem.software(
                "an exporter needs 128 file descriptors beside those that are open, and there are fewer: raise the "
                    + "limit, as in 'ulimit -n 1024' or by LimitNOFILE=1024 in its unit")
        }
        let modules = try modules()
        // Before the first connection, so that no signal is lost.
        let signals = context.signals()
        let metrics = ServeMetrics(at: context.now())
        let log = ServeLog(from: settings.logLevel, in: context)
        let connections = min(512, max(8, descriptors / 4))
        let connection = settings.request.connection
        let checker = Checker(in: context.engine(withConnections: max(1, descriptors - connections * 9 / 8)))
        let service = ProbeService(
            modules, checker: checker, metrics: metrics, log: log, jobs: connection.jobs ?? RequestDefaults.jobs,
            hosts: settings.allowedHosts, now: context.now)
        let server = ScrapeServer(connections: connections, metrics) { await service.answer(to: $0) }
        let result: Result<ExitStatus, any Error>
        do {
            try await listen(on: server, log)
            tellNotes(of: modules, log)
            for await signal in signals {
                if signal == .end { break }
                readAgain(service, metrics, log)
            }
            log.write(.info, "ending")
            result = .success(.pass)
        } catch { result = .failure(error) }
        // Longer than a probe takes, but not longer than a service manager waits.
        let timeout = connection.timeout ?? .seconds(RequestDefaults.timeoutSeconds)
        await server.end(within: min(timeout, .seconds(30)) + .seconds(1))
        await checker.shutdown()
        await log.end()
        return try result.get()
    }

    private func modules() throws(Problem) -> [String: ProbeModule] {
        guard !(settings.policies + settings.modules.flatMap(\.value)).contains("-") else {
            throw .usage("what an exporter reads it reads again on SIGHUP: name a file, and not standard input")
        }
        let allowed = settings.allowedTargets
        var files = settings.modules
        if !(settings.policies.isEmpty && allowed.isEmpty) { files[ProbeModule.defaultName] = settings.policies }
        guard !files.isEmpty else {
            throw .usage(
                "nothing can be asked for: name hosts in a policy (--policy FILE), or with --allow-target HOST")
        }
        let request = try settings.connectingRequest(in: context)
        // Without pins such a target would pass untested; `check` also refuses a target that is in no policy.
        guard allowed.isEmpty || files.allSatisfy(\.value.isEmpty) || !request.judging.pins.isEmpty else {
            throw .usage(
                "beside a policy, --allow-target has no pins to judge by: name the target in the policy, or give --pins"
            )
        }
        var modules: [String: ProbeModule] = [:]
        for (name, files) in files.sorted(by: { $0.key < $1.key }) {
            modules[name] = try ProbeModule(
                name, policies: files, allowing: name == ProbeModule.defaultName ? allowed : AllowedTargets(), request,
                in: context)
        }
        return modules
    }

    private func listen(on server: ScrapeServer, _ log: ServeLog) async throws {
        let places = settings.places
        for place in try places.isEmpty ? [OptionGroup.place(OptionGroup.defaultPlace)] : places {
            do {
                let port = try await server.listen(address: place.address, port: place.port)
                log.write(.info, "listening", [("address", place.address.withPort(port))])
            } catch {
                let reason = SystemError.message(of: (error as? IOError)?.errnoCode ?? 0)
                throw Problem.inputOutput(
                    "cannot listen at \(place.address.withPort(place.port)): \(reason); name another address or port with --listen"
                )
            }
        }
    }

    private func readAgain(_ service: ProbeService, _ metrics: ServeMetrics, _ log: ServeLog) {
        do {
            let modules = try modules()
            service.replace(modules)
            metrics.tellReload(at: context.now())
            log.write(.info, "reloaded", [("modules", modules.keys.sorted().joined(separator: ","))])
            tellNotes(of: modules, log)
        } catch {
            metrics.set("config_last_reload_successful", 0)
            // One line for each entry: the log cuts a long value.
            for (index, line) in error.told.description.split(separator: "\n").enumerated() {
                let message = (index == 0 ? "what was read before stays in force; " : "") + line
                log.write(.error, "reload failed", [("message", message)])
            }
        }
    }

    private func tellNotes(of modules: [String: ProbeModule], _ log: ServeLog) {
        for (name, module) in modules.sorted(by: { $0.key < $1.key }) {
            for note in module.notes {
                log.write(
                    note.level == .warning ? .warn : .info, "note",
                    [("module", name), ("id", note.reason.id), ("message", note.reason.message)])
            }
        }
    }
}
