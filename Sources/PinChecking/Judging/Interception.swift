import Base
package import Pinning
import X509

/// CA names of TLS-intercepting proxies, in small letters, from their documentation: a hint, not a proof.
private let interceptors = [
    ("charles proxy", "Charles"), ("mitmproxy", "mitmproxy"), ("portswigger", "Burp Suite"),
    ("do_not_trust_fiddler", "Fiddler"), ("fiddler root certificate authority", "Fiddler"), ("proxyman ca", "Proxyman"),
    ("http toolkit ca", "HTTP Toolkit"), ("zed attack proxy", "ZAP"), ("zap root ca", "ZAP"), ("zscaler", "Zscaler"),
    ("netskope", "Netskope"), ("goskope.com", "Netskope"), ("fortinet", "Fortinet"), ("fortigate", "Fortinet"),
    ("cisco umbrella", "Cisco Umbrella"), ("kaspersky anti-virus personal root", "Kaspersky"),
    ("eset ssl filter ca", "ESET"),
]

extension HostPolicy {
    /// The finding on an interceptor or a root that is on no public list; a note if the root is given or rejected.
    func interceptionFinding(on clients: [ClientVerdict]) -> Finding? {
        guard let shown = clients.shown, let path = shown.decided?.builtChain.certificates, let top = path.last,
            !isPublic(top)
        else { return privateRootWarning(on: clients) }
        let device = shown.judgedDevice
        let isKnown =
            isNamed(top)
            || device.verifierWithInstalledRoots.trustStore.holds(top) && !device.verifier.trustStore.holds(top)
        if let finding = Finding.interceptor(making: path, isKnown: isKnown) { return finding }
        if let warning = privateRootWarning(on: clients) { return warning }
        guard shown.isAccepted == false, top.isSelfIssued, path.count > 1, !isKnown else { return nil }
        return .privateRoot(top, .note)
    }

    /// Warns if a client other than curl accepts a path to a root of this machine that is on no public list.
    private func privateRootWarning(on clients: [ClientVerdict]) -> Finding? {
        for one in clients where [.system, .both].contains(one.judgedDevice.trust) {
            guard one.client.client.platform != .openssl, let own = one.decided, own.isAccepted else { continue }
            let root = own.restsOn.lazy.compactMap(\.certificates.last).first {
                !isPublic($0) && !isNamed($0) && one.judgedDevice.verifier.trustStore.holds($0)
            }
            if let root { return .privateRoot(root) }
        }
        return nil
    }

    private func isPublic(_ root: Certificate) -> Bool {
        DeviceData.builtIn.lists(root.der) || settings.publicRoots.contains(root.der)
    }

    private func isNamed(_ root: Certificate) -> Bool {
        pins?.certificates.contains(root) == true || givenRoots?.holds(root) == true
    }
}

extension Finding {
    /// Warns of a path with an interceptor's name; a note if its root `isKnown` to the user.
    static func interceptor(making path: [Certificate], isKnown: Bool = false) -> Finding? {
        // Hostile names may be long: the rest is not searched.
        let names = path.map { String($0.issuer.prefix(1_000)) }.joined(separator: "\n").lowercased()
        let known = interceptors.first { mark, _ in names.holds(mark) }
        guard let program = known?.1 else { return nil }
        let message = "this looks like \(program), a TLS-intercepting proxy: the issuer has its name"
        return isKnown ? Finding(.interceptor, .note, message) : .warning(.interceptor, message, remedy: .distrust)
    }

    static func privateRoot(_ root: Certificate, _ level: Level = .warning) -> Finding {
        let message = "root \(root.shownName) is on no public list: a private CA or a TLS-intercepting proxy"
        let remedy: Remedy? = level == .warning ? .nameRootOrDistrust : nil
        return Finding(.privateRoot, level, message, remedy: remedy)
    }
}

extension Certificate { package var shownName: String { commonName ?? description } }
