import ArgumentParser
import PinChecking
import PinFormats
import Pinning
import Text

/// What the chain is judged by: pins, the client's policy, trust and time.
struct EvaluationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A file of certificates, public keys, requests or PKCS #7, a directory of them, an .ipa or .app, sha256/…, \
            sha256//…;sha256//…, pin-sha256="…", bare base64 or '3 1 1 …'; or what configures hosts: \
            network_security_config.xml, Info.plist, TrustKit's or React Native's JSON, OkHttp source, curl commands, \
            a zone file. Repeatable.
            """,
            valueName: "source"
        )
    )
    var pins: [String] = []

    @Option(
        help: ArgumentHelp(
            "curl's own value, verbatim: sha256//…;sha256//…, or the name of a file with one public key.",
            valueName: "value"
        )
    )
    var pinnedpubkey: String?

    @Flag(help: "Leave out pins that cannot be read, with a warning, instead of ending with exit status 65.")
    var skipBadPins = false

    @Option(
        help: ArgumentHelp(
            """
            The clients whose decisions are made, by name and setting, as in 'trustkit:no-enforce,okhttp', or all \
            (default: \(ClientRegistry.defaultName)). See 'pincheck clients'.
            """,
            valueName: "name"
        )
    )
    var client: String?

    @Option(
        help: ArgumentHelp(
            "What is compared: none, public-key or certificate (default: certificate for certificate files alone).",
            valueName: "mode"
        )
    )
    var mode: String?

    @Flag(help: "AFNetworking's allowInvalidCertificates: its pins may make up for a chain the system does not trust.")
    var allowInvalidCertificates = false

    @Flag(help: "AFNetworking's validatesDomainName = NO: neither the name nor the purpose of the certificate counts.")
    var noValidateDomainName = false

    @Flag(
        inversion: .prefixedNo,
        help: """
            AFNetworking 2.5's validatesCertificateChain: the whole built chain must be pinned. \
            (default: --validate-certificate-chain)
            """
    )
    var validateCertificateChain: Bool?

    @Option(
        help: ArgumentHelp(
            "Trust these certificates and not the system's roots. A file or a directory. Repeatable.",
            valueName: "file|dir"
        )
    )
    var anchors: [String] = []

    @Flag(help: "Trust the system's roots in addition to --anchors.")
    var andSystem = false

    @Option(
        help: ArgumentHelp(
            "Judge as of another time: 2026-11-21, 2026-11-21T08:00:00Z or seconds since 1970.",
            valueName: "time"
        )
    )
    var at: String?

    @Option(
        help: ArgumentHelp(
            "A root as if it were installed on the device, such as an interceptor's. A file or a directory. Repeatable.",
            valueName: "file|dir"
        )
    )
    var extraRoot: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A certificate as if it were fetched from where the server's says (AIA), by clients whose platform fetches. \
            A file or a directory. Repeatable.
            """,
            valueName: "file|dir"
        )
    )
    var intermediate: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A list of Certificate Transparency logs, such as Chrome's log_list.json (version 3): warns when no SCT is from a \
            log that it has as usable. None is built in.
            """,
            valueName: "file"
        )
    )
    var ctLogs: String?

    @Flag(help: "Reject what OpenSSL's pedantic checks find; without it they are a warning.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "OpenSSL's security level for keys and signatures, 0 to 5 (default: what each client's platform asks).",
            valueName: "level"
        )
    )
    var authLevel: String?
}

extension EvaluationOptions {
    /// What the options say; neither pins nor anchors are read yet.
    func read() throws(CommandError) -> CheckRequest.Judging {
        var judging = CheckRequest.Judging()
        judging.pins = pins.map { PinSource($0) } + (pinnedpubkey.map { [PinSource(pinnedPublicKey: $0)] } ?? [])
        judging.skipsBadPins = skipBadPins ? true : nil
        judging.clients = try client.map { (text) throws(CommandError) in try Self.clients(text) }
        judging.mode = try mode.map { (text) throws(CommandError) in try Self.pinningMode(text) }
        judging.allowsInvalidCertificates = allowInvalidCertificates ? true : nil
        judging.validatesDomainName = noValidateDomainName ? false : nil
        judging.validatesCertificateChain = validateCertificateChain
        judging.trust = CheckRequest.Trust(anchors: anchors, includesSystem: andSystem ? true : nil)
        judging.extraRoots = extraRoot
        judging.intermediates = intermediate
        judging.transparencyLogs = ctLogs
        judging.time = try at.map { (text) throws(CommandError) in try Self.time(text) }
        judging.isStrict = strict ? true : nil
        judging.authLevel = try authLevel.map { (text) throws(CommandError) in try Self.level(text) }
        return judging
    }

    private static func clients(_ text: String) throws(CommandError) -> ClientSelection {
        do {
            return try ClientSelection([text])
        } catch {
            throw .usage("\(error)")
        }
    }

    private static func pinningMode(_ text: String) throws(CommandError) -> AFSecurityPolicy.PinningMode {
        guard let known = AFSecurityPolicy.PinningMode(rawValue: text) else {
            let names = AFSecurityPolicy.PinningMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--mode \(quoted(text)) is no pinning mode: choose from \(names)")
        }
        return known
    }

    /// The moment that `--at` names.
    static func time(_ text: String) throws(CommandError) -> Timestamp {
        do {
            return try TimeText.read(text)
        } catch {
            throw .usage("\(error)")
        }
    }

    private static func level(_ text: String) throws(CommandError) -> Int {
        guard let level = (0...5).first(where: { String($0) == text }) else {
            throw .usage("--auth-level \(quoted(text)) is none of OpenSSL's security levels: give 0 to 5")
        }
        return level
    }
}
