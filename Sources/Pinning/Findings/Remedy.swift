/// A remedy as a case: ``words`` describes it, and the command line translates it into flags.
package enum Remedy: Hashable {
    case givePins, givePinsOfHost, nameHost, readList, comparePublicKeys, addAnchors, chooseClient, nameKnownDevice
    case chooseClientOfDevice([String])
    case nameDeviceOfClient, nameDevice, giveSomethingToJudgeBy, giveServerName
    case sendServerName(ServerName)
    case giveRoots, raiseTimeout, giveIntermediate
    /// Send a missing intermediate: `isOfFile` if no server sent the chain, `mayBeOwnRoot` if no roots were given, so
    /// that the issuer may be the user's own root.
    case sendIntermediate(MissingIntermediate, isOfFile: Bool, mayBeOwnRoot: Bool)
    case askWithoutProxy(String)
    case askTwice(String)
    /// Leave out a key type, for which a server ends the handshake without a reason, and request the others.
    case leaveOut(String, keeping: [String])
    case giveClientCertificate, giveExpectedStatus, offerECDHE, giveNewerDeviceData
    case offerMore(OfferedPart)
    case bringTLS, allowInvalidCertificates, nameRoot, nameAuthority, nameRootOrDistrust, distrust
    case judgeOn(PlatformFamily)
    case chooseAnotherPlatform(than: PlatformFamily)
    case advice(String)

    package var ownWords: String? { if case .advice(let words) = self { words } else { nil } }

    /// The advice after a sentence, in the words of no program.
    package var words: String {
        switch self {
        case .givePins: ": give pins"
        case .givePinsOfHost: "; give those of this host, or a list with lines such as: host sha256/…"
        case .nameHost: ": name the host"
        case .readList: ": name one, as in 'api.example.com'"
        case .comparePublicKeys: ": pin a certificate file, or compare public keys"
        case .addAnchors: ": give anchors"
        case .chooseClient: ": choose the client as well"
        case .nameKnownDevice: ": name one that is listed"
        case .chooseClientOfDevice(let clients): ": choose from \(clients.joined(separator: ", "))"
        case .nameDeviceOfClient: ": leave it or its configuration out, or name a device of its system"
        case .nameDevice: ": name one, or leave the data out"
        case .giveSomethingToJudgeBy: ": give pins, anchors or a client"
        case .giveServerName: ": give the host's name, or the one to send"
        case .sendServerName(let name): ": send \(name) to judge a client that does"
        case .giveRoots: ": install the system's roots, or give anchors"
        case .raiseTimeout: "; raise the timeout"
        case .giveIntermediate: "; give its certificate to judge the chain"
        case .sendIntermediate(_, let isOfFile, let mayBeOwnRoot):
            "; \(isOfFile ? "the chain must hold" : "the server must send") its intermediate"
                + (mayBeOwnRoot ? ", unless the issuer is a root of yours" : "")
        case .askWithoutProxy(let url):
            "; the proxy '\(url)' may have replaced the certificate: ask without it, or give its root as one that is installed"
        case .askTwice: ", or two backends answer in turn: ask the address twice"
        case .leaveOut(let keyType, _): "; leave \(keyType) out"
        case .giveClientCertificate: "; give a client certificate"
        case .giveExpectedStatus: ": say which statuses are right"
        case .offerECDHE: "; offer ECDHE alone to settle it"
        case .offerMore: ": offer more"
        case .bringTLS: "; an app that brings its own TLS connects otherwise"
        case .giveNewerDeviceData: ": give newer ones, or use a newer version"
        case .allowInvalidCertificates: "; its pin is enough with allowInvalidCertificates = YES"
        case .nameRoot: "; give it as an anchor if it is yours"
        case .nameAuthority: "; give the root of that CA as an anchor if it is yours"
        case .nameRootOrDistrust: "; give it as an anchor if it is yours, and pin nothing that is served here if not"
        case .distrust: "; pin nothing that is served here, and ask again without it"
        case .judgeOn: "; a client or device of its judges so"
        case .chooseAnotherPlatform: ": choose a client of another platform to judge by its rules"
        case .advice(let words): "; \(words)"
        }
    }
}

/// The effect of a certificate that is given in place of the missing intermediate which a device would fetch.
package enum MissingIntermediate {
    case helps, doesNotHelp
    /// Given but not used: a client fetches an issuer only on some platforms, by the place that a certificate names.
    case isUnused
    case isOfAnother
}
