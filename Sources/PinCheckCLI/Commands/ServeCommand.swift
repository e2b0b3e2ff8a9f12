import Base
import PinChecking
import Pinning

extension Command {
    static let serve = Command(
        name: "serve", abstract: "Answer the scrapes of Prometheus.",
        usage: "pincheck serve [--policy <file>] [--listen <addr:port>] [<options>]",
        discussion: {
            """
            The hosts of a policy, on http://127.0.0.1:9719/probe?target=api.example.com:
              pincheck serve --policy pins.json5
            Two modules, chosen by module=NAME, each with hosts of its own:
              pincheck serve --module apps=apps.json5 --module partners=partners.json5
            Hosts without a policy, all with the same pins:
              pincheck serve --pins Pins --allow-target api.example.com
              pincheck serve --pins Pins --allow-target '*.example.com' --cache 60
            For a Prometheus on another machine, with a log for programs:
              pincheck serve --policy pins.json5 --listen 0.0.0.0:9719 --log-format json

            A verdict that rejects is an answer, too: status 200 with the metric
            pincheck_probe_success 0. What is no target of a module is refused (403), and
            no probe has more time than --timeout and the scrape leave it. SIGHUP reads
            policies and pins again, SIGTERM ends once every probe is answered.
            """
        }, own: { [.serve] },
        shared: { [.judging, .devices, .outlook, .names, .connection, .clientCertificate, .variants, .request] },
        most: [
            "--listen", "--policy", "--module", "--allow-target", "--allow-any-target", "--cache", "--log-format",
            "--pins", "--timeout", "--jobs",
        ], run: { try await ServeCommand(settings: $0).run(in: $1) })
}

/// `pincheck serve`: answers the scrapes of Prometheus with what clients make of servers.
struct ServeCommand {
    let settings: Settings

    func run(in context: Context) async throws -> ExitStatus {
        let (serve, flags) = (settings.serve, settings.request)
        let allowed = try AllowedTargets(serve.allowedTargets, includesAll: serve.allowsAnyTarget)
        let descriptors = try Self.descriptors()
        let read = settings.policies + settings.lists + serve.modules.flatMap(\.files)
        guard !read.contains("-") else {
            throw CommandError.usage(
                "what an exporter reads it reads again on SIGHUP: name a file, and not standard input")
        }
        guard !read.isEmpty || !allowed.isEmpty else {
            throw CommandError.usage(
                "nothing can be asked for: name hosts in a policy (--policy FILE), or with --allow-target HOST")
        }
        let modules = try ProbeModules { () throws(CommandError) in
            try readModules(settings.connectingRequest(in: context), allowed, in: context)
        }
        let metrics = ExporterMetrics(at: context.now())
        let log = ServeLog(serve.logForm, from: serve.logLevel, in: context) { metrics.countLostLine() }
        let status: ExitStatus
        do { status = try await self.serve(descriptors, flags, modules, metrics, log, in: context) } catch {
            await log.end()
            throw error
        }
        await log.end()
        return status
    }

    /// How many connections there can be, to the exporter and to targets.
    ///
    /// With few descriptors connections could neither be accepted nor told why, and the event loops could not even be made.
    private static func descriptors() throws(CommandError) -> Int {
        let limit = DescriptorLimit.connectionLimit()
        guard DescriptorLimit.hasFreeDescriptors(fewestDescriptors) else {
            throw .software(
                "an exporter needs \(fewestDescriptors) file descriptors beside those that are open, and there are fewer: raise the "
                    + "limit, as in 'ulimit -n 1024' or by LimitNOFILE=1024 in its unit")
        }
        return limit
    }

    /// For some clients, some probes, and what event loops and lookups need.
    private static let fewestDescriptors = 128

    private func serve(
        _ descriptors: Int, _ flags: CheckRequest, _ modules: ProbeModules, _ metrics: ExporterMetrics, _ log: ServeLog,
        in context: Context
    ) async throws -> ExitStatus {
        // Before anybody connects, so that no signal is lost.
        let signals = context.signals()
        var limits = ServerLimits()
        limits.connections = min(limits.connections, max(8, descriptors / 4))
        let checker = Checker(
            in: context.engine(withConnections: max(1, descriptors - limits.connections - limits.reserve)))
        let service = ProbeService(
            modules, checker: checker, metrics: metrics, log: log, jobs: flags.connection.jobs ?? RequestDefaults.jobs,
            cacheTime: settings.serve.cacheTime, now: context.now)
        let server = HTTPServer(limits, tell: { metrics.take($0) }, respond: { await service.answer(to: $0) })
        var failure: (any Error)?
        do {
            let places = settings.serve.places
            for place in try places.isEmpty ? [OptionGroup.place(OptionGroup.defaultPlace)] : places {
                try await listen(place, on: server, log)
            }
            tell(modules.reading, log)
            for await signal in signals {
                if signal == .end { break }
                readAgain(modules, metrics, log, at: context.now())
            }
            log.write(.info, "ending")
        } catch { failure = error }
        // Longer than a probe takes, but not than whoever stops services waits.
        let timeout = flags.connection.timeout ?? .seconds(RequestDefaults.timeoutSeconds)
        await server.end(within: min(timeout, .seconds(30)) + .seconds(1))
        await checker.shutdown()
        if let failure { throw failure }
        return .pass
    }

    private func listen(
        _ place: (address: String, port: Int), on server: HTTPServer, _ log: ServeLog
    ) async throws(CommandError) {
        do throws(HTTPServer.ListenError) {
            let port = try await server.listen(address: place.address, port: place.port)
            log.write(.info, "listening", [("address", .text(Target.authority(place.address, port)))])
        } catch {
            throw CommandError(
                status: .inputOutput,
                description:
                    "cannot listen at \(Target.authority(place.address, place.port)): \(SystemError.message(of: error.code)); name another address or port with --listen"
            )
        }
    }

    private func readModules(
        _ request: CheckRequest, _ allowed: AllowedTargets, in context: Context
    ) throws(CommandError) -> ProbeModules.Reading {
        var modules: [String: ProbeModule] = [:]
        func read(_ name: String, _ policies: [String], _ lists: [String]) throws(CommandError) {
            modules[name] = try ProbeModule(
                name, policies: policies, lists: lists, request, allowing: allowed, in: context)
        }
        for (name, files) in settings.serve.modules { try read(name, files, []) }
        if !(settings.policies.isEmpty && settings.lists.isEmpty && allowed.isEmpty) {
            try read(ProbeModule.defaultName, settings.policies, settings.lists)
        }
        return ProbeModules.Reading(modules: modules)
    }

    private func readAgain(_ modules: ProbeModules, _ metrics: ExporterMetrics, _ log: ServeLog, at now: Timestamp) {
        do throws(CommandError) {
            let reading = try modules.readAgain()
            metrics.note(readingIsGood: true, at: now)
            log.write(.info, "reloaded", [("modules", .text(reading.names.joined(separator: ",")))])
            tell(reading, log)
        } catch {
            metrics.note(readingIsGood: false, at: now)
            log.write(
                .error, "reload failed",
                [("message", .text("\(error.description); what was read before stays in force"))])
        }
    }

    /// Tells what is to be said once about pins.
    private func tell(_ reading: ProbeModules.Reading, _ log: ServeLog) {
        for name in reading.names {
            for note in reading.modules[name]?.notes ?? [] {
                let level: ServeLog.Level = note.level == .warning ? .warn : .info
                let message = ServeLog.Value.text(note.reason.message)
                log.write(
                    level, "note", [("module", .text(name)), ("id", .text(note.reason.id)), ("message", message)])
            }
        }
    }
}
