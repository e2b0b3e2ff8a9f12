import Pinning
import TLSProbe

extension CheckedConnection {
    /// What has to be known where the target is an address, a name is judged and none is sent.
    ///
    /// Only clients of NSURLSession connect like that; the vendors of HTTPDNS services document that it takes the server name from
    /// the URL's host and offers no way to set it. The same chain judged by other clients says what they make of it, not what
    /// they would get.
    var notesOnNames: [Finding] {
        guard variant == .ordinary, let name = endpoint.nameBesideAddress,
            let clients = judgement?.clients.map(\.client.entry)
        else { return [] }
        func names(_ areOnApple: Bool) -> String? {
            var names: [String] = []
            for client in clients where (client.platform == .apple) == areOnApple && !names.contains(client.name) {
                names.append(client.name)
            }
            guard let last = names.popLast() else { return nil }
            return names.isEmpty ? last : names.joined(separator: ", ") + " and " + last
        }
        var notes: [Finding] = []
        if let clients = names(true) {
            notes.append(
                Finding(
                    .info, id: "needs-own-delegate",
                    message: "no SNI was sent, as documented by HTTPDNS vendors for a URL with an address on Apple's "
                        + "platforms; stock \(clients) would judge the address: that \(name) is judged instead takes a "
                        + "delegate of the app's own"))
        }
        if let clients = names(false) {
            notes.append(
                Finding(
                    .info, id: "would-send-sni",
                    message: "\(clients) would send \(name) as SNI when connecting to an address for it, which this "
                        + "connection did not", remedy: .connectByName(name, address: endpoint.request.target)))
        }
        return notes
    }
}
