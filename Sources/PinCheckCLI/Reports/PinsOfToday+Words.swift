import PinChecking
import Pinning

// What is said of the pins that an app has today. Names in it may be a stranger's: whoever shows a sentence escapes it.

extension Recommendation.CurrentPin {
    /// What the pin is for.
    var message: Report.Message {
        switch standing {
        case .serverKey:
            Report.Message(id: "server-key", message: "the server's own key. It matches as long as renewals keep it")
        case .serverKeyOfType(let keyType):
            Report.Message(
                id: "server-key",
                message: "the server's own key for clients that ask for \(keyType). It is in use, and no backup")
        case .backup:
            Report.Message(
                id: "backup",
                message: "a backup: no known certificate has the key. It helps as long as you hold the private half")
        case .root(let name): Report.Message(id: "root-in-use", message: "\(name), a root on the server's chain")
        case .rootBeingLeft(let name, let until):
            Report.Message(
                id: "root-being-left",
                message: "\(name), a root that its authority leaves" + (until.map { " by \($0.date)" } ?? ""))
        case .intermediate(let name):
            Report.Message(id: "intermediate", message: "\(name), an intermediate. It may change at any renewal")
        case .onOtherPath(let devices):
            Report.Message(id: "other-path", message: "on the path of \(devices.words) only")
        case .siblingRoot(let name):
            Report.Message(
                id: "sibling-root",
                message: "\(name), another root of the authority. It matches once the server is moved there")
        case .otherAuthority(let name):
            Report.Message(id: "other-authority", message: "\(name), which is on no path to this server")
        case .unknown:
            Report.Message(
                id: "unknown",
                message:
                    "no known certificate has the key: it is an old one, or a backup without the server's own key beside it"
            )
        }
    }
}

extension PinConcern {
    /// What is wrong with a pin of today, and what to do.
    var message: Report.Message {
        let text =
            switch self {
            case .matchesNothing: "none of them is on the server's chain: the app rejects it already"
            case .leafWithoutReserve(let key):
                "\(key) is the server's own key, and none is in reserve. The next certificate with another key locks every app out"
            case .intermediate(let key, let name):
                "\(key) is the intermediate \(name). Authorities change those without notice, at any renewal"
            case .crossSigner(let key, let name, let root):
                "\(key) is \(name), an older root that the chain reaches by a cross-certificate of \(root)'s key. Once that is no "
                    + "longer sent, nothing matches; \(root) itself is on the chain either way"
            case .rootBeingLeft(let key, let name, let until):
                "\(key) is \(name), which its authority leaves"
                    + (until.map { ". Browsers trust it until \($0.date)" } ?? " for other roots")
            case .missingRoots(let names):
                "the authority may move the server to \(names.joined(separator: ", ")) at any renewal, and "
                    + (names.count == 1 ? "that root is not pinned" : "those are not pinned")
            case .otherPath(let devices):
                "\(devices.words) get to the server by another root, and none of the pins is on that path: the app rejects it there"
            case .otherKeyType(let keyType):
                "clients that ask for \(keyType) get another chain, and none of the pins is on it: the app rejects it there"
            }
        return Report.Message(id: id, message: text)
    }
}
