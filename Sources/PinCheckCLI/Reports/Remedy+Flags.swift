import Base
import PinChecking
import Pinning

extension Remedy {
    var flags: String {
        switch self {
        case .givePins: ": give --pins"
        case .nameHost: ": give --host or --verify-name"
        case .comparePublicKeys: ": pin a certificate file, or use --mode public-key"
        case .addAnchors: ": give --anchors too, or leave --and-system out"
        case .chooseClient: ": add --client"
        case .nameKnownDevice: ": 'pincheck devices' lists them (devices are named by their system)"
        case .chooseClientOfDevice(let clients): ": add one of \(clients.joined(separator: ", ")) with --client"
        case .nameDeviceOfClient: ": leave it or its configuration out, or add a --device, where system is this machine"
        case .nameDevice: ": give --device, or leave --device-data out"
        case .giveSomethingToJudgeBy: ": give --pins, --anchors or --client"
        case .giveServerName: ": give --host or --sni"
        case .sendServerName(let name): ": --sni \(name) judges clients that send it"
        case .giveRoots: ": install ca-certificates, or give --anchors"
        case .raiseTimeout: "; raise --timeout"
        case .raiseTimeoutOrNameFewerAddresses(let timeout):
            ": raise --timeout (\(secondsText(timeout))), or name fewer addresses"
        case .giveIntermediate: "; give it with --intermediate FILE to judge the chain"
        case .sendIntermediate(let giving, let isOfFile, let mayBeOwnRoot):
            giving.flags(isOfFile) + (mayBeOwnRoot ? "; if the issuer is a root of yours, give it with --anchors" : "")
        case .giveClientCertificate: "; give one with --cert"
        case .offerECDHE: "; offer ECDHE alone to settle it: --ciphers ECDHE"
        case .giveNewerDeviceData: ": give newer ones with --device-data, or use a newer pincheck"
        case .allowInvalidCertificates:
            "; its pin is enough with allowInvalidCertificates = YES (--allow-invalid-certificates)"
        case .nameRoot: "; give it with --anchors if it is yours"
        case .nameAuthority: "; give the root of that authority with --anchors if it is yours"
        case .nameRootOrDistrust: "; give it with --anchors if it is yours, and pin nothing that is served here if not"
        case .distrust: "; pin nothing that is served here, and check again without it"
        case .judgeOn(.apple): "; --client afnetworking or --device ios-26 judges so"
        case .judgeOn(.android): "; --client okhttp or --device android-17 judges so"
        case .judgeOn(.openssl): "; --client curl judges so"
        case .chooseAnotherPlatform(let platform):
            ": --client \(Self.clients(besides: platform)) judges by the rules of another platform"
        }
    }

    private static func clients(besides platform: PlatformFamily) -> String {
        switch platform {
        case .apple: "okhttp or curl"
        case .android: "curl"
        case .openssl: "okhttp"
        }
    }
}

extension MissingIntermediate {
    fileprivate func flags(_ isOfFile: Bool) -> String {
        let sent = isOfFile ? "the chain must hold its intermediate" : "the server must send its intermediate"
        let given = "; --intermediate gives the issuer, but it was not used"
        return switch self {
        case .helps: "; \(sent) (--intermediate FILE judges the chain with it)"
        case .doesNotHelp: "; \(sent)"
        case .isUnusedWithoutPlace: "\(given) (no AIA: no device would fetch it): \(sent)"
        case .isUnusedOn(let platform): "\(given) (\(platform.title) would not fetch it): \(sent)"
        case .isUnusedHere: "\(given) (such clients would not fetch it): \(sent)"
        case .isOfAnother: "; what --intermediate gives is not its issuer: \(sent)"
        }
    }
}

extension Report.Message {
    init(_ reason: Reason) {
        let flags = reason.remedy?.flags ?? ""
        var lines = [reason.sentence] + reason.hints
        // What goes on behind a colon belongs to the sentence before it.
        if flags.hasPrefix("; ") { lines.append(String(flags.dropFirst(2))) } else { lines[lines.count - 1] += flags }
        let message = lines.separated(by: "; ")
        self.init(id: reason.id, message: TerminalText.escaped(message), lines: lines.map(TerminalText.escaped))
    }
}

extension ExitStatus {
    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .accepted, .unjudged: .pass
            case .needsAttention: .warn
            case .changed: .changed
            case .unreachable: .unreachable
            case .endsTooSoon, .answersOtherwise, .rejected: .fail
            case .notSetUp: .data
            }
    }
}
