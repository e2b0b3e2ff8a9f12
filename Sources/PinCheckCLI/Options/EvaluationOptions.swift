import ArgumentParser
import Base
import PinChecking
import PinFormats
import Pinning

/// What the chain is judged by: pins, the client's policy, trust and time.
struct EvaluationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The pins: a file, a directory, an app, or a pin.",
            discussion: """
                Files hold certificates, public keys or requests. Pins are sha256/…, sha256//…;sha256//…, \
                pin-sha256="…" or bare base64. Configurations are network_security_config.xml, Info.plist, \
                TrustKit's, Expo's or React Native's JSON, and OkHttp source in one chain. Apps are .ipa or .app. Repeatable.
                """, valueName: "source"), completion: .file()) var pins: [String] = []

    @Option(
        help: ArgumentHelp(
            "The value of curl's --pinnedpubkey, verbatim.",
            discussion: "It is sha256//…;sha256//…, or the name of a file with one public key.", valueName: "value"),
        completion: .file()) var pinnedpubkey: String?

    @Option(
        help: ArgumentHelp(
            "The clients that decide (default: by the pins).",
            discussion: """
                Names with settings, as in 'trustkit:no-enforce,okhttp', or all. 'pincheck clients' lists them.
                """, valueName: "name")) var client: String?

    @Option(
        help: ArgumentHelp(
            "What to compare: none, public-key or certificate.",
            discussion: """
                The default is certificate if all pins are certificate files, and public-key otherwise.
                """, valueName: "mode")) var mode: String?

    @Flag(
        help: ArgumentHelp(
            "AFNetworking: allowInvalidCertificates = YES.",
            discussion: "Pins may make up for a chain that the system does not trust.")) var allowInvalidCertificates =
        false

    @Flag(
        help: ArgumentHelp(
            "AFNetworking: validatesDomainName = NO.",
            discussion: "Neither the name nor the purpose of the certificate counts.")) var noValidateDomainName = false

    @Option(
        help: ArgumentHelp(
            "Trust these certificates, not the system's roots.", discussion: "A file or a directory. Repeatable.",
            valueName: "file|dir"), completion: .file()) var anchors: [String] = []

    @Flag(help: "Trust the system's roots as well as --anchors.") var andSystem = false

    @Option(
        help: ArgumentHelp(
            "Judge as of another time.", discussion: "As in 2026-11-21, 2026-11-21T08:00:00Z or seconds since 1970.",
            valueName: "time")) var at: String?

    @Option(
        help: ArgumentHelp(
            "Act as if this root were installed on the device.",
            discussion: "An interceptor's, for example. A file or a directory. Repeatable.", valueName: "file|dir"),
        completion: .file()) var extraRoot: [String] = []

    @Option(
        help: ArgumentHelp(
            "Act as if this certificate had been fetched (AIA).",
            discussion: """
                It is for clients whose platform fetches what the server does not send. A file or a directory. \
                Repeatable.
                """, valueName: "file|dir"), completion: .file()) var intermediate: [String] = []

}

extension EvaluationOptions {
    /// What the options say; neither pins nor anchors are read yet.
    func read() throws(CommandError) -> CheckRequest.Judging {
        var judging = CheckRequest.Judging()
        judging.pins = pins.map { PinSource($0) } + (pinnedpubkey.map { [PinSource(pinnedPublicKey: $0)] } ?? [])
        judging.clients = try client.map { (text) throws(CommandError) in try Self.clients(text) }
        judging.mode = try mode.map { (text) throws(CommandError) in try Self.pinningMode(text) }
        judging.allowsInvalidCertificates = allowInvalidCertificates ? true : nil
        judging.validatesDomainName = noValidateDomainName ? false : nil
        judging.trust = CheckRequest.Trust(anchors: anchors, includesSystem: andSystem ? true : nil)
        judging.extraRoots = extraRoot
        judging.intermediates = intermediate
        judging.time = try at.map { (text) throws(CommandError) in try Self.time(text) }
        return judging
    }

    private static func clients(_ text: String) throws(CommandError) -> ClientSelection {
        do { return try ClientSelection([text]) } catch { throw CommandError(error) }
    }

    private static func pinningMode(_ text: String) throws(CommandError) -> AFSecurityPolicy.PinningMode {
        guard let known = AFSecurityPolicy.PinningMode(rawValue: text) else {
            throw .unknown("--mode \(quoted(text))", text, among: AFSecurityPolicy.PinningMode.allCases.map(\.rawValue))
        }
        return known
    }

    /// The moment that `--at` names.
    static func time(_ text: String) throws(CommandError) -> Timestamp {
        do { return try TimeText.read(text) } catch { throw .usage("\(error)") }
    }
}
