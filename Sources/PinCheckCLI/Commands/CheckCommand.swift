import ArgumentParser
import Base
import PinChecking
import TLSProbe

/// `pincheck check`: connects to servers and judges the chains they send.
struct CheckCommand: RequestingCommand {
    static let name = "check"
    static let configuration = CommandConfiguration(
        commandName: name, _superCommandName: "pincheck",
        abstract: "Connect to servers and judge the chains they send.",
        usage: "pincheck [check] <target> ... [--pins <source>] [<options>]",
        discussion: """
            Is the server trusted, and valid for its name?
              pincheck api.example.com
            Would an app that ships this pin accept it?
              pincheck api.example.com --pins Pins/api.cer
            With HTTPDNS, as OkHttp and curl connect, which send the name:
              pincheck api.example.com --connect 203.0.113.7
            As an app on NSURLSession does, with the address in the URL and no SNI:
              pincheck https://203.0.113.7/ --host api.example.com
            Does it answer as well? One request, once its certificate is accepted:
              pincheck api.example.com --pins Pins --request /health --expect-status 2xx
            On every address, with every certificate, and where HTTPDNS leads:
              pincheck api.example.com --thorough
              pincheck api.example.com --httpdns tencent --key-types rsa,ecdsa
            With a private CA, and several servers at once, for machines:
              pincheck internal.example.com --anchors ca.pem
              pincheck a.example.com b.example.com:8443 --format json
              pincheck --targets hosts.txt --format jsonl
            Would apps on these phones accept it, by their roots and rules?
              pincheck api.example.com --device ios-12,ios-26,android-9,android-17
            Has the server changed since its snapshot, other than by a renewal?
              pincheck api.example.com --baseline api.json --allow renewed
            Will the apps in use accept the next certificate, request or key?
              pincheck --next api.csr --pins Pins --host api.example.com
              pincheck api.example.com --next api.pem --pins Pins --client all
            With everything said of each host in one file:
              pincheck --policy Pins/pins.json5
            """)

    @Argument(help: ArgumentHelp("A host, host:port, [v6]:port, https URL or address.", valueName: "target"))
    var targets: [String] = []

    @OptionGroup(title: "Targets") var given: TargetOptions

    @OptionGroup(title: "Changes and the next certificate") var plan: PlanOptions

    @OptionGroup(title: "Pins and clients") var evaluation: EvaluationOptions

    @OptionGroup(title: "Devices") var devices: DeviceOptions

    @OptionGroup(title: "Outlook") var outlook: OutlookOptions

    @OptionGroup(title: "Names") var names: NameOptions

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    @OptionGroup(title: "Client certificate") var clientCertificate: ClientCertificateOptions

    @OptionGroup(title: "Variants") var variants: VariantOptions

    @OptionGroup(title: "Request") var http: HTTPOptions

    @OptionGroup(title: "Watching") var changes: ChangeOptions

    @OptionGroup(title: "Output") var output: OutputOptions

    func exitConvention(in context: Context) -> ExitConvention? {
        (try? OutputSettings(output, in: context))?.exitConvention
    }

    func request() throws(CommandError) -> CheckRequest {
        try CheckRequest(
            names: names, connection: connection, evaluation: evaluation, devices: devices, outlook: outlook,
            variants: variants, http: http)
    }

    var requestFiles: RequestFiles {
        RequestFiles(
            clientCertificate: clientCertificate, variants: variants, connection: connection,
            readsTargets: !(given.lists.isEmpty && given.policy.isEmpty))
    }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let run = try checkRun()
        guard changes.verbose else { return try await run.run(in: context) }
        let console = context.console
        let watch = ProbeWatch { console.report("* \($0)") }
        return try await ProbeWatch.$current.withValue(watch) { () async -> Result<ExitStatus, CommandError> in
            do throws(CommandError) { return .success(try await run.run(in: context)) } catch { return .failure(error) }
        }.get()
    }

    private func checkRun() throws(CommandError) -> CheckRun {
        CheckRun(
            targets: targets, lists: given.lists, policies: given.policy, baseline: plan.baseline,
            rotation: plan.rotation, next: plan.next, request: try request(), files: requestFiles, changes: changes,
            output: output)
    }
}
