import Devices
import PinChecking
import Pinning

// What a recommendation says to somebody who has never pinned. Names in it may be a stranger's: whoever shows a sentence escapes it.

extension Recommendation {
    /// What is pinned, and why that.
    var advice: String {
        switch strategy {
        case .authorityRoots:
            choices.count == 1
                ? "the authority's root: everything below it changes without notice"
                : "the authority's roots: everything below them changes without notice"
        case .ownKeys: "the server's own key and one in reserve: they outlast whoever issues the certificate"
        case .ownRoot: "the root of your own authority and a key in reserve: whatever is below may change"
        }
    }

    /// What a key in reserve is for that is not there, `nil` where there is one or none is needed.
    var missing: String? {
        guard lacksReserve else { return nil }
        let loss = strategy == .ownRoot ? "your authority needs a new root" : "the server gets another key"
        return
            "a key in reserve is missing, and when \(loss), every app is locked out: make one, keep its private half away from "
            + "the server, and ask again with it"
    }

    /// How to make a key in reserve.
    static let waysToReserve = [
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out backup.key",
        "pincheck pins … --recommend --key backup.key",
    ]
}

extension Recommendation.Choice {
    /// What the key belongs to, in a few words.
    var owner: String {
        if let root { return root.name + ", " + root.algorithm }
        if let certificate {
            return "\(certificate.commonName ?? certificate.description), \(certificate.publicKey.algorithm)"
        }
        return origin ?? ""
    }

    /// Why it is pinned.
    func reason(of authority: String?) -> Report.Message {
        let name = authority ?? "the authority"
        return switch reason {
        case .rootInUse: Report.Message(id: "root-in-use", message: "the server's certificates come from it today")
        case .siblingRoot:
            Report.Message(
                id: "sibling-root",
                message: "another root of \(name), to which any renewal may move the server"
            )
        case .rootBeingLeft:
            Report.Message(
                id: "root-being-left",
                message: "the server's certificates come from it until \(name) moves them to the others; then drop it"
            )
        case .rootOfDevices(let devices):
            Report.Message(id: "root-of-devices", message: "what \(devices.words) get to the server by")
        case .serverKey:
            Report.Message(id: "server-key", message: "the server's own key: renew with it, and it holds")
        case .keyInReserve:
            Report.Message(
                id: "key-in-reserve",
                message: "yours in reserve, for when the other key is lost or replaced"
            )
        case .privateRoot:
            Report.Message(id: "private-root", message: "the root of an authority that no device knows by itself")
        }
    }

    /// Since when or until when it holds, in words; `nil` where nothing says so.
    var dateNote: String? {
        guard let until else { return nil }
        switch reason {
        case .serverKey: return "to be renewed with this key by \(until.date)"
        default: return "until \(until.date)"
        }
    }
}

extension Recommendation.Rotation {
    /// What happens, as something that pins hold after.
    var words: String {
        switch self {
        case .sameKey: "a renewal with the same key"
        case .newKey: "a renewal with another key"
        case .keyInReserve: "a move to the key in reserve"
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
                message: "every certificate that \(name) issues for this host is accepted, whoever got it"
            )
        case .otherAuthority(let name):
            Report.Message(
                id: "other-authority",
                message:
                    "a certificate of another authority than \(name) is rejected: ship its roots before you change; two keys of "
                    + "your own (--key) would outlast that too"
            )
        case .unlistedRoots(let names):
            Report.Message(
                id: "unlisted-roots",
                message:
                    "\(names.joined(separator: ", ")): announced, and on no device's list yet. Ask again when there is a newer "
                    + "pincheck"
            )
        case .otherKey:
            Report.Message(
                id: "other-key",
                message:
                    "a renewal with a key that is not pinned is rejected, and many tools make a new key each time: have yours "
                    + "reuse it (certbot: --reuse-key)"
            )
        case .bothKeysLost:
            Report.Message(
                id: "both-keys-lost",
                message: "when both keys are lost, every app is locked out until it is updated"
            )
        case .unverifiedRoot(let name, let program):
            Report.Message(
                id: "unverified-root",
                message: (program.map {
                    "\(name) is called as \($0) calls its own, and would be pinned for the server's"
                }
                    ?? "\(name) is no device's, and an interceptor's would be pinned just so")
                    + ": give it with --anchors when it is yours"
            )
        case .untrusted(let devices):
            Report.Message(
                id: "untrusted-on-devices",
                message: "whatever is pinned, the server's chain leads to no root of \(devices.words)"
            )
        case .unknownAuthority(let name):
            Report.Message(
                id: "unknown-authority",
                message: "of the roots beside \(name) nothing is known here, so none of them is recommended"
            )
        }
    }
}

extension PinConcern {
    /// What is wrong with a pin of today, and what to do.
    var message: Report.Message {
        let text =
            switch self {
            case .matchesNothing: "none of them is on the path to this server: the app rejects it already"
            case .leafWithoutReserve(let key):
                "\(key) is the server's own key, and none is in reserve: the next certificate with another key locks every app out"
            case .intermediate(let key, let name):
                "\(key) is the intermediate \(name): authorities change those without notice, at any renewal"
            case .crossSigner(let key, let name, let root):
                "\(key) is \(name), an older root that the path reaches by a cross-certificate of \(root)'s key: once that is no "
                    + "longer sent, nothing matches; \(root) itself is on the path either way"
            case .rootBeingLeft(let key, let name, let until):
                "\(key) is \(name), which its authority leaves"
                    + (until.map { ": browsers trust it until \($0.date)" } ?? " for other roots")
            case .missingRoots(let names):
                "the authority may move the server to \(names.joined(separator: ", ")) at any renewal, and "
                    + (names.count == 1 ? "that root is not pinned" : "those are not pinned")
            case .otherPath(let devices):
                "\(devices.words) get to the server by another root, and none of the pins is on that path: the app rejects it there"
            }
        return Report.Message(id: id, message: text)
    }
}
