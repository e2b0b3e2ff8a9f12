import PinChecking
import Pinning

// What a recommendation says to somebody who has never pinned. Names in it may be a stranger's: whoever shows a sentence escapes it.

extension Recommendation {
    /// What is pinned, and why that.
    var advice: String {
        switch strategy {
        case .authorityRoots:
            choices.count == 1
                ? "the authority's root. Everything below it changes without notice"
                : "the authority's roots. Everything below them changes without notice"
        case .ownKeys:
            "the server's own \(hasOtherKeys ? "keys" : "key") and one in reserve. They outlast whoever issues the certificate"
        case .ownRoot: "the root of your own authority and its next one. Everything below them may change"
        case .none: "nothing yet: " + (doubt?.message ?? "")
        }
    }

    private var hasOtherKeys: Bool { choices.contains { if case .serverKeyOfType = $0.reason { true } else { false } } }

    /// What has yet to be added or said, `nil` for nothing.
    var missing: Report.Message? {
        if let doubt { return doubt.missing }
        guard lacksReserve else { return nil }
        return strategy == .ownRoot
            ? Report.Message(
                id: "next-root-missing",
                message:
                    "the next root is missing. When your authority needs one, every app is locked out. Make it now, keep "
                    + "its key offline, and ask again with its certificate; or ask with a key in reserve for the server"
            )
            : Report.Message(
                id: "reserve-missing",
                message:
                    "a key in reserve is missing. When the server gets another key, every app is locked out. Make one, keep "
                    + "its private half away from the server, and ask again with it")
    }

    /// What was not looked at and matters, `nil` for nothing.
    var unseen: Report.Message? {
        guard otherKeysAreUnseen else { return nil }
        return Report.Message(
            id: "key-types-unseen",
            message:
                "only the key that most clients get was looked at. A server can have another for clients that ask for its "
                + "type; --key-types all shows it")
    }

    /// How to get at what is missing.
    var waysOut: [String] {
        switch strategy {
        case .none: ["pincheck pins … --recommend --anchors root.pem"]
        case .ownRoot: ["pincheck pins … next-root.pem --recommend", "pincheck pins … --recommend --key backup.key"]
        case .ownKeys, .authorityRoots:
            [
                "openssl ecparam -genkey -name prime256v1 -noout -out backup.key",
                "pincheck pins … --recommend --key backup.key",
            ]
        }
    }
}

extension Recommendation.Doubt {
    /// Why nothing is recommended.
    var message: String {
        let trust =
            isTrustedHere
            ? "this machine trusts and no device knows by itself" : "neither this machine nor any device trusts"
        return switch end {
        case .root: "the chain ends at \(name), which \(trust)"
        case .selfSigned: "the server's certificate signed itself, and is one that \(trust)"
        case .withoutIssuer: "the chain stops at \(name), and leads to no root that this machine or a device has"
        }
    }

    /// What to do.
    var missing: Report.Message {
        let what =
            switch end {
            case .root: "it may be an interceptor's. When it is your own authority's, ask again with the root"
            case .selfSigned: "it may be an interceptor's. When it is yours, ask again with it"
            case .withoutIssuer:
                "it may be an interceptor's, or the server does not send its intermediate. When it is yours, ask again with its root"
            }
        return Report.Message(id: "owner-unknown", message: what + " (--anchors)")
    }
}

extension Recommendation.UnfitReserve {
    /// Why the key is no reserve.
    var message: Report.Message {
        switch cause {
        case .inUse:
            Report.Message(
                id: "reserve-in-use",
                message:
                    "\(origin) is the key that the server has now: it is no reserve, since both would be lost at once")
        case .inUseOfType(let keyType):
            Report.Message(
                id: "reserve-in-use",
                message:
                    "\(origin) is the key that the server has now for clients that ask for \(keyType): it is no reserve, "
                    + "since both would be lost at once")
        case .onPath(let name):
            Report.Message(
                id: "reserve-on-path",
                message: "\(origin) is the key of \(name), which is on the server's chain already: it is no reserve")
        case .authority(let name):
            Report.Message(
                id: "reserve-of-authority",
                message: "\(origin) is the key of \(name), an authority: a reserve is a key for the server itself")
        }
    }
}

extension Recommendation.Choice {
    /// What the key belongs to, in a few words.
    var owner: String {
        if let root { return root.name + ", " + root.algorithm }
        if let certificate { return "\(certificate.shownName), \(certificate.publicKey.algorithm)" }
        return origin ?? ""
    }

    /// Why it is pinned.
    func reason(of authority: String?) -> Report.Message {
        let name = authority ?? "the authority"
        return switch reason {
        case .rootInUse: Report.Message(id: "root-in-use", message: "the server's certificates come from it today")
        case .siblingRoot:
            Report.Message(
                id: "sibling-root", message: "another root of \(name). Any renewal may move the server to it")
        case .rootBeingLeft:
            Report.Message(
                id: "root-being-left",
                message: "the server's certificates come from it until \(name) moves them to the others. Drop it then")
        case .rootOfDevices(let devices):
            Report.Message(id: "root-of-devices", message: "the root by which \(devices.words) get to the server")
        case .rootOfKeyType(let keyType):
            Report.Message(
                id: "root-of-key-type", message: "the root by which clients that ask for \(keyType) get to the server")
        case .serverKeyOfType(let keyType):
            Report.Message(
                id: "server-key",
                message:
                    "the server's own key for clients that ask for \(keyType). It matches as long as renewals keep it")
        case .serverKey:
            Report.Message(id: "server-key", message: "the server's own key. It matches as long as renewals keep it")
        case .keyInReserve:
            Report.Message(
                id: "key-in-reserve",
                message:
                    "in reserve. When the server's key is lost or replaced, the server gets this one, and apps go on working. Ship "
                    + "a new reserve then")
        case .privateRoot:
            Report.Message(id: "private-root", message: "the root of your authority, which no device knows by itself")
        case .otherRoot:
            Report.Message(
                id: "other-root",
                message:
                    "the other root of your authority: one has signed the other's key, and chains may come to either")
        case .nextRoot:
            Report.Message(
                id: "next-root",
                message: "the next root of your authority. Apps go on working when it issues below this one")
        }
    }

    /// Since when or until when it holds, in words; `nil` where nothing says so.
    var dateNote: String? {
        guard let until else { return nil }
        switch reason {
        case .serverKey, .serverKeyOfType: return "Renew with this key by \(until.date)"
        default: return "It lasts until \(until.date)"
        }
    }
}

extension Recommendation.Rotation {
    /// What happens, as something that pins hold after.
    var words: String {
        switch self {
        case .sameKey: "a renewal with the same key"
        case .newKey: "a renewal with another key"
        case .keyInReserve: "a move to what is in reserve"
        case .newIntermediate: "a new intermediate"
        case .crossCertificateDropped: "a cross-certificate that is no longer sent"
        case .siblingRoot: "a move to another root of the authority"
        case .anotherAuthority: "a change of authority"
        }
    }
}

extension Recommendation.Risk {
    /// What is risked.
    var message: Report.Message {
        switch self {
        case .trustsAuthority(let name):
            Report.Message(
                id: "trusts-authority",
                message: "every certificate that \(name) issues for this host is accepted, whoever got it")
        case .otherAuthority(let name):
            Report.Message(
                id: "other-authority",
                message:
                    "a certificate of another authority than \(name) is rejected. Ship that one's roots before you change; or pin "
                    + "two keys of your own (--key), which outlast a change")
        case .unlistedRoots(let names):
            Report.Message(
                id: "unlisted-roots",
                message:
                    "\(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") announced, and on no device's list yet. Ask "
                    + "again when there is a newer pincheck")
        case .otherKey:
            Report.Message(
                id: "other-key",
                message:
                    "a renewal with a key that is not pinned is rejected. Many tools make a new key each time: have yours keep it "
                    + "(certbot: --reuse-key)")
        case .bothKeysLost:
            Report.Message(
                id: "both-keys-lost", message: "when both keys are lost, every app is locked out until it is updated")
        case .bothRootsLost:
            Report.Message(
                id: "both-roots-lost",
                message: "when the keys of both roots are lost, every app is locked out until it is updated")
        case .unknownOwner(let doubt): Report.Message(id: "unverified-root", message: doubt.message)
        case .untrusted(let devices):
            Report.Message(
                id: "untrusted-on-devices",
                message: "whatever is pinned, the server's chain leads to no root of \(devices.words)")
        case .unknownAuthority(let name):
            Report.Message(
                id: "unknown-authority",
                message: "the authority of \(name) is in no table here, so no root of it is recommended")
        }
    }
}
