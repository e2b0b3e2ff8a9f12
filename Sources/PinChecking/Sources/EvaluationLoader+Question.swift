package import Pinning
import TLSProbe
import X509

/// What was asked, so that an answer counts for the same question alone.
extension EvaluationLoader {
    /// The hash of everything an answer rests on besides the server: the endpoints, what is asked of them, and what they are judged by,
    /// with the contents of the files that settings name.
    ///
    /// How fast and how patiently the answer is looked for is no part of it, nor are passwords.
    ///
    /// - Returns: the hash, `nil` where this loader does not tell questions apart.
    mutating func question(of target: CheckTarget, at endpoints: [CheckEndpoint]) throws(CheckError) -> SHA256Digest? {
        guard tellsQuestions else { return nil }
        var request = target.request
        // What the endpoints have of it, which differs from line to line of a list.
        request.names = CheckRequest.Names()
        request.connection.addresses = CheckRequest.Addresses()
        let common: SHA256Digest
        if let known = lastQuestion, known.request == request {
            common = known.digest
        } else {
            common = try digest(of: request)
            lastQuestion = (request, common)
        }
        return Hashing.sha256(common.bytes + endpoints.flatMap(\.contentForQuestions))
    }

    private mutating func digest(of request: CheckRequest) throws(CheckError) -> SHA256Digest {
        let judged = try questionOfJudging(request.judging)
        var request = request
        request.judging = CheckRequest.Judging()
        // The endpoints have it.
        request.connection.proxy = nil
        return ContentDigest.of([judged as Any] + request.contentForQuestions)
    }
}

extension CheckRequest {
    /// The hash of what is asked for, in the words it is asked for in: whatever the files hold that it names.
    package var digest: SHA256Digest { ContentDigest.of(contentForQuestions) }

    /// What tells the request from others: without what changes no answer, passwords, and what the machine says.
    fileprivate var contentForQuestions: [Any] {
        var request = self
        request.connection.environmentProxies = nil
        request.connection.proxyCredentials = nil
        request.connection.timeout = nil
        request.connection.retries = nil
        request.connection.jobs = nil
        request.connection.loops = nil
        let identity = request.connection.clientIdentity?.encodings
        request.connection.clientIdentity = nil
        return [request, identity as Any]
    }
}

extension CheckEndpoint {
    /// What tells the endpoint from others of the same request: written out, for there are millions of them.
    fileprivate var contentForQuestions: [UInt8] {
        let place =
            switch request.destination {
            case .resolve(let host, let family): "name \(host) \(family)"
            case .address(let address): "address \(address)"
            }
        let proxy = request.proxy.map { "\(ContentDigest.of([$0]))" }
        let texts: [String?] = [
            target, urlHost.description, host, referenceName == .unchecked ? nil : referenceName.description,
            writtenName, lookedUpName, omitsServerName ? "no server name" : nil, place, String(request.port),
            request.serverNameIndication?.name, proxy, exchange?.question.authority,
        ]
        return texts.flatMap { text in text.map { Array("\($0.utf8.count) \($0)".utf8) } ?? [UInt8(ascii: "-")] }
    }
}

/// What settings named, as it was read.
struct QuestionContent {
    let sources: PinSources
    let anchors: [AnchorBundle]?
    let installed: [AnchorBundle]
    let fetchable: [Certificate]
    /// The hash of the lists of devices, `nil` for none.
    let devices: SHA256Digest?
    /// May say where the system's roots are.
    let environment: [String: String]

    /// The hash of this and of the settings that named it.
    func question(_ settings: CheckRequest.Judging) -> SHA256Digest {
        var settings = settings
        // They were read, wherever they stand.
        settings.pins = []
        return ContentDigest.of([
            settings, sources.pins, sources.notes, sources.configurations, sources.networkSecurity,
            sources.transportSecurity, sources.unreadHosts, anchors.map { $0.map(\.digest) } as Any,
            installed.map(\.digest), fetchable, devices as Any, TrustStore.systemFiles(environment: environment),
        ])
    }
}
