import ArgumentParser
import PinChecking
import Text

/// `pincheck check`: connects to servers and judges the chains they send.
struct CheckCommand: RequestingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        _superCommandName: "pincheck",
        abstract: "Connect to servers and judge the chains they send.",
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
            Are the SCTs of its certificate from logs that a list has as usable?
              pincheck api.example.com --ct-logs log_list.json
            Has the server changed since its snapshot, other than by a renewal?
              pincheck api.example.com --baseline api.json --allow renewed
            Will the apps in use accept the next certificate, request or key?
              pincheck --next api.csr --pins Pins --host api.example.com
              pincheck api.example.com --next api.pem --pins Pins --client all
            With everything said of each host in one file:
              pincheck --policy Pins/pins.json5
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A host, host:port, [v6]:port, https URL or address.",
            valueName: "target"
        )
    )
    var targets: [String] = []

    @Option(
        name: .customLong("targets"),
        help: ArgumentHelp(
            """
            A list of targets, one a line: TARGET [connect=ADDR] [sni=NAME] [host=NAME] [verify-name=NAME] \
            [pins=SOURCE] [client=NAME] [device=NAME] [request=PATH] [expect-status=STATUS], with # for comments; - is standard \
            input. Repeatable.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var lists: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A policy (JSON5) with hosts and what each is checked by: all of them are, or those that are named as targets or \
            in --targets; - is standard input. Repeatable.
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["json5", "json"])
    )
    var policy: [String] = []

    @Option(
        help: ArgumentHelp("Compare with this snapshot; see 'pincheck help snapshot'.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var baseline: String?

    @OptionGroup
    var rotation: RotationOptions

    @Option(
        help: ArgumentHelp(
            """
            Will the pins accept this, which is about to be deployed? A chain, certificate, request or public key; also without \
            a target. Repeatable.
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["pem", "crt", "cer", "der", "csr", "pub"])
    )
    var next: [String] = []

    @OptionGroup(title: "Pins and policy")
    var evaluation: EvaluationOptions

    @OptionGroup(title: "Devices")
    var devices: DeviceOptions

    @OptionGroup(title: "Outlook")
    var outlook: OutlookOptions

    @OptionGroup(title: "Names")
    var names: NameOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Client certificate")
    var clientCertificate: ClientCertificateOptions

    @OptionGroup(title: "Variants")
    var variants: VariantOptions

    @OptionGroup(title: "Request")
    var http: HTTPOptions

    @OptionGroup(title: "Changes")
    var changes: ChangeOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func exitConvention(in context: Context) -> ExitConvention? {
        (try? OutputSettings(output, in: context))?.exitConvention
    }

    func request() throws(CommandError) -> CheckRequest {
        try CheckRequest(
            names: names,
            connection: connection,
            evaluation: evaluation,
            devices: devices,
            outlook: outlook,
            variants: variants,
            http: http
        )
    }

    var requestFiles: RequestFiles { RequestFiles(clientCertificate: clientCertificate, variants: variants) }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        try await CheckRun(
            targets: targets,
            lists: lists,
            policies: policy,
            baseline: baseline,
            rotation: rotation,
            next: next,
            request: try request(),
            files: requestFiles,
            changes: changes,
            output: output
        ).run(in: context)
    }
}
