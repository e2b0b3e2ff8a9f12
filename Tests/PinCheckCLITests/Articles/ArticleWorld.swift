import Foundation
import LoopbackLab
import PinChecking
import PinFormats
import Pinning
import TLSProbe

/// The servers and files that the texts speak of.
///
/// | name | address | what it is |
/// |---|---|---|
/// | api.example.com | 203.0.113.7 | a server below a public authority, with another's certificate for clients that send no name |
/// | | 203.0.113.17 | the one that will replace it, with another key |
/// | | 203.0.113.27 | what was at 203.0.113.7 last month, when `api.json` was made |
/// | | 203.0.113.66 | a proxy that pretends to be the server, and whose root was installed on this machine |
/// | www.example.com | 198.51.100.6 to .9 | four edges with RSA and ECDSA certificates, the last of which was forgotten |
/// | internal.example.com | 192.0.2.20 | a server below a company's own root |
/// | legacy.example.com | 192.0.2.21 | another, with a certificate for 900 days |
/// | proxy.example.com | 192.0.2.30 | an HTTP proxy on port 3128, and one for SOCKS on 1080, that lead to the first |
struct ArticleWorld {
    static let host = "api.example.com"

    private let root: LabCertificate
    private let otherRoot: LabCertificate
    private let inter: LabCertificate
    private let leaf: LabCertificate
    private let next: LabCertificate
    private let former: LabCertificate
    private let stranger: LabCertificate
    private let old: LabCertificate
    private let new: LabCertificate
    private let newRSA: LabCertificate
    private let proxyRoot: LabCertificate
    private let proxyLeaf: LabCertificate
    private let company: LabCertificate
    private let internalLeaf: LabCertificate
    private let legacyLeaf: LabCertificate
    private let backup: LabKey

    init() throws {
        let logs = [LabLog(), LabLog()]
        let now = LabClock.now
        let root = try LabCertificate.selfSigned(.authority("Example Root"))
        let inter = try root.issue(.authority("Example CA 1"))
        func issue(_ name: String, since: Int64 = 0, until: Int64 = 90, key: LabKey? = nil) throws -> LabCertificate {
            let (from, to) = (now - since * LabClock.day - LabClock.hour, now + until * LabClock.day - LabClock.hour)
            return try inter.issue(.leaf(name).valid(from: from, to: to), key: key, loggedBy: logs)
        }
        self.root = root
        self.inter = inter
        otherRoot = try .selfSigned(.authority("Example Root 2"))
        leaf = try issue(Self.host)
        next = try issue(Self.host)
        former = try issue(Self.host, since: 60, until: 30)
        stranger = try issue("default.example.net")
        old = try issue("www.example.com", since: 86, until: 4)
        new = try issue("www.example.com")
        newRSA = try issue("www.example.com", key: .shared(.rsa(bits: 2_048), label: "articles"))
        proxyRoot = try .selfSigned(.authority("Interceptor Proxy CA"))
        proxyLeaf = try proxyRoot.issue(.leaf(Self.host))
        company = try .selfSigned(.authority("Example Corp Root"))
        internalLeaf = try company.issue(.leaf("internal.example.com"))
        legacyLeaf = try company.issue(
            .leaf("legacy.example.com").valid(from: now - LabClock.hour, to: now + 900 * LabClock.day - LabClock.hour))
        backup = try .generate()
    }

    var cas: [CARoot] {
        func root(_ certificate: LabCertificate, _ name: String) -> CARoot {
            CARoot(
                name, SHA256Digest(bytes: certificate.publicKeySHA256)!, "EC P-256", .inUse, of: "Example Trust",
                "https://authority.example/roots", "2026-01-08")
        }
        return [root(self.root, "Example Root"), root(otherRoot, "Example Root 2")]
    }

    func devices() -> DeviceData {
        let data = DeviceData.builtIn
        return DeviceData(
            source: data.source, licence: data.licence,
            lists: data.devices.map { ($0, Array(data.roots(of: $0)) + [root.der, otherRoot.der]) })
    }

    struct Server {
        let peer: PeerAddress
        let behavior: ServerBehavior

        init(_ address: String, _ settings: TLSServerSettings) {
            peer = PeerAddress(ip: IPAddress(address)!, port: 443)
            behavior = .tls(settings)
        }

        init(_ address: String, port: UInt16, _ settings: ProxySettings) {
            peer = PeerAddress(ip: IPAddress(address)!, port: port)
            behavior = .proxy(settings)
        }
    }

    var servers: [Server] {
        func api(_ leaf: LabCertificate) -> TLSServerSettings {
            TLSServerSettings(presenting: [stranger, inter]).with {
                $0.identitiesByName = [Self.host: [TLSIdentity([leaf, inter])]]
                $0.application = .answers("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".bytes)
            }
        }
        let renewed = TLSServerSettings([TLSIdentity([new, inter]), TLSIdentity([newRSA, inter])])
        let forgotten = TLSServerSettings([TLSIdentity([old, inter]), TLSIdentity([newRSA, inter])])
        return [
            Server("203.0.113.7", api(leaf)), Server("203.0.113.17", api(next)), Server("203.0.113.27", api(former)),
            Server("198.51.100.6", renewed), Server("198.51.100.7", renewed), Server("198.51.100.8", renewed),
            Server("198.51.100.9", forgotten), Server("203.0.113.66", TLSServerSettings(presenting: [proxyLeaf])),
            Server("192.0.2.20", TLSServerSettings(presenting: [internalLeaf])),
            Server("192.0.2.21", TLSServerSettings(presenting: [legacyLeaf])),
            Server("192.0.2.30", port: 3_128, ProxySettings(.http, to: api(leaf))),
            Server("192.0.2.30", port: 1_080, ProxySettings(.socks5, to: api(leaf))),
        ]
    }

    static let names = [
        host: ["203.0.113.7"], "www.example.com": (6...9).map { "198.51.100.\($0)" },
        "internal.example.com": ["192.0.2.20"], "legacy.example.com": ["192.0.2.21"],
        "proxy.example.com": ["192.0.2.30"],
    ].mapValues { $0.map { IPAddress($0)! } }

    static let systemRoots = "system-roots.pem"

    func write(to files: TemporaryDirectory) throws {
        let contents = [
            Self.systemRoots: root.pem + proxyRoot.pem, "api-pins/current.pem": leaf.key.publicKeyPEM,
            "api-pins/backup.pem": backup.publicKeyPEM, "old-pins/2024.pem": stranger.key.publicKeyPEM,
            "www-pins/ec.pem": new.key.publicKeyPEM, "www-pins/rsa.pem": newRSA.key.publicKeyPEM,
            "backup.key": try backup.privateKeyPEM(),
            "next.csr": pem(try next.key.certificationRequest(for: next.subject), label: "CERTIFICATE REQUEST"),
            "chain.pem": leaf.pem + inter.pem, "next-chain.pem": next.pem + inter.pem, "ca.pem": company.pem,
            "answer.txt": "198.51.100.6;198.51.100.9,60\n",
            "res/xml/network_security_config.xml": networkSecurityConfig, "Info.plist": infoPlist, "pins.json5": policy,
        ]
        for (name, text) in contents { try files.write(text, to: name) }
        try files.write(company.der, to: "ca.cer")
        try files.write(root.der, to: "root.cer")
    }

    func formerly(_ ports: [PeerAddress: UInt16]) -> [PeerAddress: UInt16] {
        let addresses = ["203.0.113.7", "203.0.113.27"].map { PeerAddress(ip: IPAddress($0)!, port: 443) }
        return ports.merging([addresses[0]: ports[addresses[1]]!]) { $1 }
    }

    private func pin(_ key: LabKey) -> String { String(key.pin.dropFirst("sha256/".count)) }

    private var networkSecurityConfig: String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <network-security-config>
            <domain-config>
                <domain includeSubdomains="true">api.example.com</domain>
                <pin-set expiration="2099-06-01">
                    <pin digest="SHA-256">\(pin(leaf.key))</pin>
                    <pin digest="SHA-256">\(pin(backup))</pin>
                </pin-set>
            </domain-config>
        </network-security-config>

        """
    }

    private var infoPlist: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
          <key>NSAppTransportSecurity</key>
          <dict>
            <key>NSPinnedDomains</key>
            <dict>
              <key>api.example.com</key>
              <dict>
                <key>NSPinnedLeafIdentities</key>
                <array>
                  <dict>
                    <key>SPKI-SHA256-BASE64</key>
                    <string>\(pin(leaf.key))</string>
                  </dict>
                </array>
              </dict>
            </dict>
          </dict>
        </dict>
        </plist>

        """
    }

    private var policy: String {
        """
        {
          defaults: { client: ["afnetworking", "okhttp"], retries: 2 },
          hosts: {
            "api.example.com": { pins: ["api-pins", "res/xml/network_security_config.xml"] },
            "www.example.com": { connect: ["198.51.100.6", "198.51.100.7"], pins: "www-pins" },
          },
        }

        """
    }

    func serving<Value: Sendable>(_ body: ([PeerAddress: UInt16]) async throws -> Value) async throws -> Value {
        try await LoopbackServer.serving(all: servers.map(\.behavior)) { running in
            try await body(Dictionary(zip(servers.map(\.peer), running.map(\.port))) { $1 })
        }
    }
}
