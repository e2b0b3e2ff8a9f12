import LoopbackLab
import Pinning
import Testing

/// Which key usages the TLS of a platform takes (platform rules, "leaf keyUsage present").
@Suite("A handshake that the platform's TLS ends is never accepted") struct HandshakeVectors {
    private static let rsa = try! LabKey.shared(.rsa(bits: 2_048), label: "usage")
    private static let everyone: Set = ["apple", "android", "openssl", "generic"]

    private static func facts(_ version: ProtocolVersion, _ cipher: String) -> ConnectionFacts {
        ConnectionFacts(version: version, cipher: cipher, hasECDHE: version == .tls13 || cipher.hasPrefix("ECDHE"))
    }

    private static let handshakes: [(name: String, facts: ConnectionFacts?)] = [
        ("none", nil), ("1.3", facts(.tls13, "TLS_AES_128_GCM_SHA256")),
        ("1.2 ECDHE", facts(.tls12, "ECDHE-RSA-AES128-GCM-SHA256")), ("1.2 RSA", facts(.tls12, "AES128-GCM-SHA256")),
    ]

    /// What the leaf may be used for, whether its key is RSA, and who accepts on which handshakes; on the others openssl and generic alone.
    static let rows: [(usage: [CertificateTemplate.KeyUsage]?, isRSA: Bool, phones: Set<String>, others: Bool)] = [
        (nil, true, ["none", "1.3", "1.2 ECDHE", "1.2 RSA"], true),
        ([.digitalSignature], true, ["none", "1.3", "1.2 ECDHE"], true),
        ([.digitalSignature], false, ["none", "1.3", "1.2 ECDHE", "1.2 RSA"], true),
        ([.keyEncipherment], true, ["1.2 RSA"], true), ([.keyAgreement], false, [], true),
        ([.digitalSignature, .keyEncipherment], true, ["none", "1.3", "1.2 ECDHE", "1.2 RSA"], true),
        ([.keyCertSign, .cRLSign], true, [], false),
    ]

    @Test(arguments: rows.indices) func `key usage is judged by the handshake, whatever the client is set to`(
        _ index: Int
    ) throws {
        let row = Self.rows[index]
        let leaf = try pki.interA.issue(
            CertificateTemplate.leaf(StandardPKI.serverName).with { $0.keyUsage = row.usage },
            key: row.isRSA ? Self.rsa : nil)
        let lenient = AFSecurityPolicy(mode: .publicKey, allowInvalidCertificates: true, validatesDomainName: false)
        let clients: [(platform: String, client: any ClientProcedure)] = [
            ("apple", AFNetworking(policy: lenient)),
            ("apple", AFNetworking(policy: lenient, validatesCertificateChain: false)),
            ("apple", Alamofire(.publicKeys())), ("apple", NSPinnedDomains()),
            ("apple", try TrustKit(pins: Scene.ordinary(pins: [leaf, pki.junk]).pinSet)), ("android", OkHttp()),
            ("android", AndroidNetworkSecurityConfig()), ("openssl", Curl()), ("generic", Generic()),
        ]
        for (name, facts) in Self.handshakes {
            var scene = Scene.ordinary(pins: [leaf, pki.junk], presented: [leaf, pki.interA])
            scene.connection = facts
            for (platform, client) in clients {
                let isPhone = platform == "apple" || platform == "android"
                let verdict = try scene.verdict(of: client)
                let isAccepted = isPhone ? row.phones.contains(name) : row.others
                #expect(verdict.isAccepted == isAccepted, "\(type(of: client)) on \(name): \(verdict.trace)")
                if isPhone, !isAccepted { #expect(verdict.reason.id == "key-usage", "\(type(of: client)) on \(name)") }
            }
        }
    }
}
