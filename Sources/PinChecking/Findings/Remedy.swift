package import Pinning

/// What would mend something, as a case: the command line has its flags for it.
package enum Remedy: Hashable, Sendable {
    case givePins
    /// Name the host whose pins are meant.
    case nameHost
    /// Pin a certificate file, or compare public keys.
    case comparePublicKeys
    /// Give anchors, to which the system's roots are added.
    case addAnchors
    /// Choose the client as well, whose settings are given.
    case chooseClient
    /// Name a device of which there is data.
    case nameKnownDevice
    /// Choose one of these clients, which run on the device that is named.
    case chooseClientOfDevice([String])
    /// Name a device that the client runs on, or leave the client out.
    case nameDeviceOfClient
    /// Name the devices that device data is given for.
    case nameDevice
    /// Give something to judge by: pins, anchors or a client.
    case giveSomethingToJudgeBy
    /// Say which name to send, or which name the server has.
    case giveServerName
    /// Send this name, to judge a client that does.
    case sendServerName(ServerName)
    /// Install the system's roots, or give anchors.
    case giveRoots
    /// Give the target more time.
    case raiseTimeout
    /// Give the target more than this time, or fewer addresses.
    case raiseTimeoutOrNameFewerAddresses(Duration)
    /// Give the certificate that a platform would fetch.
    case giveIntermediate
    /// Have the missing intermediate sent, or give it.
    case sendIntermediate(MissingIntermediate)
    case giveClientCertificate
    /// Offer ECDHE alone, to see whether the server has it.
    case offerECDHE
    /// Give newer lists of roots.
    case giveNewerDeviceData
    /// Set AFNetworking's allowInvalidCertificates.
    case allowInvalidCertificates
    /// Give the root as an anchor, if it is one's own.
    case nameRoot
    /// Give the root of the authority that issued this, if it is one's own.
    case nameAuthority
    /// Give the root as an anchor if it is one's own, and trust nothing that is served here if not.
    case nameRootOrDistrust
    /// Trust nothing that is served here.
    case distrust
    /// Ask a client of this platform.
    case judgeOn(PlatformFamily)
    /// Ask a client of another platform than this one.
    case chooseAnotherPlatform(than: PlatformFamily)

    /// What to do, as it goes behind a sentence, in words of no program's.
    package var words: String {
        switch self {
        case .givePins: ": give pins"
        case .nameHost: ": name the host"
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
        case .raiseTimeoutOrNameFewerAddresses: ": raise the timeout, or name fewer addresses"
        case .giveIntermediate: "; give its certificate to judge the chain"
        case .sendIntermediate(let missing):
            "; \(missing.isOfFile ? "the chain must hold" : "the server must send") its intermediate"
                + (missing.mayBeOwnRoot ? ", unless the issuer is a root of yours" : "")
        case .giveClientCertificate: "; give a client certificate"
        case .offerECDHE: "; offer ECDHE alone to settle it"
        case .giveNewerDeviceData: ": give newer ones, or use a newer version"
        case .allowInvalidCertificates: "; its pin is enough with allowInvalidCertificates = YES"
        case .nameRoot: "; give it as an anchor if it is yours"
        case .nameAuthority: "; give the root of that authority as an anchor if it is yours"
        case .nameRootOrDistrust: "; give it as an anchor if it is yours, and pin nothing that is served here if not"
        case .distrust: "; pin nothing that is served here, and ask again without it"
        case .judgeOn: "; a client or device of its judges so"
        case .chooseAnotherPlatform: ": choose a client of another platform to judge by its rules"
        }
    }
}

/// What is known of an intermediate that a chain lacks.
package struct MissingIntermediate: Hashable, Sendable {
    /// What comes of giving it, as a certificate that stands for what a device would fetch.
    package enum Giving: Hashable, Sendable {
        /// The chain is judged with it.
        case helps
        /// Nothing, and none was given.
        case doesNotHelp
        /// It was given, and is not used: the certificate below names no place where it is to be had, so no device would fetch it.
        case isUnusedWithoutPlace
        /// It was given, and is not used: devices of this platform fetch none.
        case isUnusedOn(PlatformFamily)
        /// It was given, and is not used: clients such as this one fetch none.
        case isUnusedHere
        case isOfAnother
    }

    package var giving: Giving
    /// Whether the chain is one of a file, which no server sent.
    package let isOfFile: Bool
    /// Whether the issuer could be a root of the user's own, since none was given.
    package let mayBeOwnRoot: Bool
}
