import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Phones end the handshake for a key usage that does not fit it, seen with real servers of each kind.
@Suite(.endsSomeTime) struct KeyUsageCommandTests {
    private static let host = StandardPKI.serverName
    private static let ecdhe = "ECDHE-RSA-AES128-GCM-SHA256"
    private static let staticRSA = "AES128-GCM-SHA256"

    /// What the RSA key may be used for, the cipher suite of TLS 1.2 (TLS 1.3 without one), and what phones and curl decide.
    private static let rows: [(usage: [CertificateTemplate.KeyUsage], suite: String?, phones: String)] = [
        ([.digitalSignature], nil, "pass pin-matched"), ([.keyEncipherment], nil, "fail key-usage"),
        ([.digitalSignature], ecdhe, "pass pin-matched"), ([.keyEncipherment], ecdhe, "fail key-usage"),
        ([.digitalSignature], staticRSA, "fail key-usage"), ([.keyEncipherment], staticRSA, "pass pin-matched"),
    ]

    @Test func aKeyUsageThatDoesNotFitTheHandshakeIsNoServerForPhones() async throws {
        let pki = try StandardPKI.shared()
        let key = try LabKey.shared(.rsa(bits: 2_048), label: "usage")
        for row in Self.rows {
            let leaf = try pki.interA.issue(
                CertificateTemplate.leaf(Self.host).with { $0.keyUsage = row.usage }, key: key)
            let settings = TLSServerSettings(presenting: [leaf, pki.interA]).with { settings in
                guard let suite = row.suite else { return }
                settings.maximumVersion = .tls12
                settings.cipherList = suite
            }
            try await TemporaryDirectory.scoped { files in
                let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
                try await LoopbackServer.serving(.tls(settings)) { server in
                    let base = [
                        Self.host, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors, "--pins", leaf.pin,
                        "--client",
                    ]
                    for client in ["okhttp", "afnetworking", "alamofire"] {
                        #expect(await decision(base + [client]) == row.phones, "\(client) \(row)")
                        // All phones end it: no other platform is advised.
                        await pincheck(base + [client]).says(not: "another platform")
                    }
                    for client in ["curl", "generic"] {
                        #expect(await decision(base + [client]) == "pass pin-matched", "\(client) \(row)")
                    }
                    let warned = await pincheck(base + ["generic"])
                    #expect(warned.errors.contains("Android refuses this server") == (row.phones != "pass pin-matched"))
                }
            }
        }
    }
}
