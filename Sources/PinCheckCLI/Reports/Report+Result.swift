import Base
import PinChecking
import PinFormats
import TLSProbe

extension Report {
    init(_ result: CheckResult) {
        let judged = result.judged
        let shown = judged?.shown
        let path = shown?.decided?.reach
        let built = path.map { Self.links(of: $0.certificates, in: result) } ?? []
        let first = try? result.connection?.get()
        self.init(
            result: result, tls: shown?.handshake ?? first,
            offerOf: shown?.handshake.flatMap { $0 === first ? nil : shown?.stack?.name },
            isOfAnotherTime: result.policy?.time != nil, presented: Link.list(result.presented, at: result.time),
            built: built, builtIsValid: path?.isVerified ?? false, whyUnverified: judged.flatMap(Self.whyUnverified),
            otherPaths: shown == nil ? [] : Self.otherPaths(beside: built, in: result),
            pins: result.policy?.pins?.pins ?? [], matches: result.matches, clients: result.clients.map(Client.init))
    }

    var target: String { result.target }
    var verdict: VerdictWord { VerdictWord(result.verdict.outcome.isAccepted) }
    var reason: Reason { result.reason }
    var status: ExitStatus { ExitStatus(result.outcome) }
    var endpoint: EndpointFacts? { result.endpoint }
    var verifyName: String? { result.referenceName.text }
    var variant: Variant? { result.variant }
    var evaluatedAt: Timestamp { result.time }
    var warnings: [Reason] { result.warnings.map(\.reason) }
    var outlook: Outlook? { result.outlook }
    /// The pin of the leaf in the first handshake, even if another handshake is shown.
    var firstPin: String? { (try? result.connection?.get())?.presented.leaf.spkiSHA256.description }
    var evidence: LeafEvidence? { result.judged?.view.evidence }
    var unjudged: Reason? { result.judged?.leavesRevocationOpen == true ? Self.revocation : nil }

    private static let revocation = Reason(
        "not-judged-here", "not judged here: revocation, which the certificate says where to ask for")

    private static func whyUnverified(_ judged: JudgedChain) -> String? {
        guard let client = judged.shown, let verdict = client.decided, !verdict.reach.isVerified else { return nil }
        let steps = verdict.trace
        let step =
            steps.first { $0.status == .fail && $0.id != "pins" } ?? steps.first { $0.id == "trust" }
            ?? steps.first { $0.status == .fail }
        guard let detail = step?.detail else { return "\(client.name) does not look at it" }
        return judged.ranked.count > 1 ? "\(client.name): \(detail)" : detail
    }

    /// The result for monitoring, in which every warning counts.
    var monitoring: (exit: ExitStatus, reason: Reason, runExit: ExitStatus) {
        let ending = result.endingCountingWarnings
        return (ExitStatus(ending.outcome), ending.reason, ExitStatus(result.runOutcome(of: ending)))
    }

    /// The other paths that clients need: AFNetworking in certificate mode, for one, lets the system decide first.
    private static func otherPaths(
        beside built: [Link], in result: CheckResult
    ) -> [(clients: [String], chain: [Link])] {
        let shown = built.map(\.certificate.fingerprint)
        let paths = (result.judged?.ranked ?? []).flatMap { client in
            (client.decided?.restsOn ?? []).filter { !shown.starts(with: $0.certificates.map(\.fingerprint)) }.map {
                (certificates: $0.certificates, client: client.name)
            }
        }
        return paths.grouped { $0.certificates }.map { certificates, all in
            (all.map(\.client).distinct, links(of: certificates, in: result))
        }
    }

    private static func links(of path: [Certificate], in result: CheckResult) -> [Link] {
        let limits = result.policy?.outlook
        let all = Set(result.clients.filter { $0.isAccepted != nil }.map(\.name))
        return Link.list(path, at: result.time).map { link in
            var link = link
            let certificate = link.certificate
            let origin = result.origin(of: certificate)
            let pins = result.matches.filter { $0.certificate == certificate }.grouped(by: \.pinIndex).map {
                pin, found in (pin: pin, clients: found.flatMap(\.clients).distinct)
            }
            let some = pins.filter { Set($0.clients) != all }.map { ($0.pin, $0.clients.listed) }
            (link.source, link.origin, link.pins) = (origin.source, origin.words, pins.map(\.pin).sorted())
            link.warnDays = limits?.warnBefore?.days(from: certificate.notBefore, to: certificate.notAfter)
            link.failDays = limits?.failBefore?.days(from: certificate.notBefore, to: certificate.notAfter)
            link.clients = Dictionary(some) { first, _ in first }
            return link
        }
    }
}

extension Report.Client {
    init(_ result: ClientVerdict) {
        // On Apple's platforms clients answer a challenge of NSURLSession.
        let isChallenged = result.client.client.platform == .apple
        self.init(
            name: result.name, device: result.device, verdict: Report.VerdictWord(result.isAccepted),
            reason: result.reason, disposition: isChallenged ? result.decided?.disposition.rawValue : nil,
            settings: result.client.settings, trace: result.decided?.trace ?? [], outlook: result.outlook,
            tls: result.handshake?.facts)
    }
}

extension Remedy {
    var flags: String {
        switch self {
        case .givePins: ": give --pins"
        case .nameHost: ": give --host or --verify-name"
        case .readList: ": a list on standard input is read with '--targets -'"
        case .comparePublicKeys: ": pin a certificate file, or use --mode public-key"
        case .addAnchors: ": give --anchors too, or leave --and-system out"
        case .chooseClient: ": add --client"
        case .nameKnownDevice: ": 'pincheck devices' lists them (named by their system: ios-26)"
        case .chooseClientOfDevice(let clients): ": add one of \(clients.listed) with --client"
        case .nameDeviceOfClient: ": leave it or its configuration out, or add a --device, where system is this machine"
        case .nameDevice: ": give --device, or leave --device-data out"
        case .giveSomethingToJudgeBy: ": give --pins, --anchors or --client"
        case .givePinsOfHost: "; give those of this host: --pins sha256/…, or a list with lines such as: host sha256/…"
        case .giveServerName: ": give --host or --sni"
        case .sendServerName(let name): ": --sni \(name) judges clients that send it"
        case .giveRoots: ": install ca-certificates, or give --anchors"
        case .raiseTimeout: "; raise --timeout"
        case .giveIntermediate: "; give it with --intermediate FILE to judge the chain"
        case .sendIntermediate(let giving, let isOfFile, let mayBeOwnRoot):
            giving.flags(isOfFile) + (mayBeOwnRoot ? "; if the issuer is a root of yours, give it with --anchors" : "")
        case .askWithoutProxy(let url):
            "; the proxy '\(url)' may have replaced the certificate: check with --no-proxy, or give its root with --extra-root"
        case .askTwice(let place):
            ", or two backends answer in turn: ask twice with --connect \(place) --connect \(place)"
        case .leaveOut(let keyType, let kept) where kept.isEmpty: "; leave \(keyType) out of --key-types"
        case .leaveOut(let keyType, let kept): "; leave \(keyType) out: --key-types \(kept.joined(separator: ","))"
        case .giveClientCertificate: "; give one with --cert"
        case .giveExpectedStatus: ": say with --expect-status which statuses are right"
        case .offerECDHE: "; offer ECDHE alone to settle it: --ciphers ECDHE"
        case .offerMore(.lowestVersion): ": see --min-tls"
        case .offerMore(.highestVersion): ": see --max-tls"
        case .offerMore(.suites): ": see --ciphers"
        case .offerMore(.groups): ": see --groups"
        case .offerMore(.signatures): ": see --sigalgs"
        case .bringTLS:
            "; an app that brings its own TLS connects otherwise: okhttp:conscrypt, or --client generic without a device"
        case .giveNewerDeviceData: ": give newer ones with --device-data, or use a newer pincheck"
        case .allowInvalidCertificates:
            "; its pin is enough with allowInvalidCertificates = YES (--allow-invalid-certificates)"
        case .nameRoot: "; give it with --anchors if it is yours"
        case .nameAuthority: "; give the root of that CA with --anchors if it is yours"
        case .nameRootOrDistrust: "; give it with --anchors if it is yours, and pin nothing that is served here if not"
        case .distrust: "; pin nothing that is served here, and check again without it"
        case .judgeOn(.apple): "; --client afnetworking or --device ios-26 judges so"
        case .judgeOn(.android): "; --client okhttp or --device android-17 judges so"
        case .judgeOn(.openssl): "; --client curl judges so"
        case .chooseAnotherPlatform(than: .apple): ": --client okhttp or curl judges by the rules of another platform"
        case .chooseAnotherPlatform(than: .android): ": --client curl judges by the rules of another platform"
        case .chooseAnotherPlatform(than: .openssl): ": --client okhttp judges by the rules of another platform"
        case .advice: words
        }
    }
}

extension ProbeSetting {
    var flag: String {
        switch self {
        case .timeout: "--timeout"
        case .address: "with --connect"
        case .family: "the other address family with -4 or -6"
        case .serverName: "--sni"
        case .minimumVersion: "--min-tls"
        case .maximumVersion: "--max-tls"
        case .ciphers: "--ciphers"
        case .groups: "--groups"
        case .keyTypes: "--key-types"
        case .protocols: "--alpn"
        case .jobs: "--jobs"
        }
    }
}

extension MissingIntermediate {
    fileprivate func flags(_ isOfFile: Bool) -> String {
        let sent = isOfFile ? "the chain must hold its intermediate" : "the server must send its intermediate"
        return switch self {
        case .helps: "; \(sent) (--intermediate FILE judges the chain with it)"
        case .doesNotHelp: "; \(sent)"
        case .isUnused: "; --intermediate gives the issuer, but no such client would fetch it: \(sent)"
        case .isOfAnother: "; what --intermediate gives is not its issuer: \(sent)"
        }
    }
}

extension Reason: JSONDocument {
    var lines: [String] {
        let flags = remedy?.flags ?? failure?.advice(naming: \.flag) ?? ""
        // A remedy after a colon continues the sentence.
        let isOwn = flags.hasPrefix("; ")
        var lines = [sentence] + hints + (isOwn ? [String(flags.dropFirst(2))] : [])
        if !isOwn { lines[lines.count - 1] += flags }
        return lines
    }

    var told: String { lines.joined(separator: "; ") }
    var document: JSONObject { ["id": id, "message": told] }
}

extension Outcome { var isAccepted: Bool? { self == .accepted || isRejection ? self == .accepted : nil } }

extension ExitStatus {
    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .accepted, .unjudged: .pass
            case .needsAttention: .warn
            case .changed: .changed
            case .unreachable: .unreachable
            case .undecided: .unknown
            case .endsTooSoon, .answersOtherwise, .rejected: .fail
            case .notSetUp, .rejectedInPart: .data
            case .notRead: .noInput
            }
    }
}
