import LoopbackLab
import PinCheckCLI
import Pinning
import Testing
import X509

@Suite("Whole command lines end as the decision table's vectors 145 and 151 to 160 say", .endsSomeTime)
struct HTTPDNSVectors {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Runs with a server on loopback and a file with the root of the standard world.
    private func serving<Value: Sendable>(
        _ settings: TLSServerSettings, _ body: (_ place: String, _ anchors: String) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            return try await LoopbackServer.serving(.tls(settings)) { server in
                try await body("127.0.0.1:\(server.port)", anchors)
            }
        }
    }

    /// An edge that serves another tenant to whoever does not name this one.
    private func sharedEdge() throws -> TLSServerSettings {
        let tenant = try pki.interA.issue(.leaf("other-tenant.example"))
        return TLSServerSettings(presenting: [tenant, pki.interA]).with {
            $0.identitiesByName = [host: [TLSIdentity([pki.leaf, pki.interA])]]
        }
    }

    @Test func `vector 151: an address with the domain as SNI and as the name to verify is accepted`() async throws {
        _ = try await serving(try sharedEdge()) { place, anchors in
            await pincheck(
                "https://\(place)/", "--sni", host, "--verify-name", host, "--anchors", anchors, "--pins", pki.leaf.pin
            ).expect(.pass, "SNI \(host)")
        }
    }

    @Test func `vector 152: another tenant's certificate is a mismatch for which the missing SNI is named`()
        async throws
    {
        _ = try await serving(try sharedEdge()) { place, anchors in
            await pincheck(host, "--connect", place, "--no-sni", "--anchors", anchors).expect(
                .fail,
                "is not valid for \(host); it is valid for other-tenant.example; this address serves "
                    + "CN=other-tenant.example to clients that send no SNI\n")
        }
    }

    @Test func `vector 153: the address itself is no name of the certificate`() async throws {
        try await serving(try sharedEdge()) { place, anchors in
            for names in [[], ["--verify-name", "127.0.0.1", "--sni", host]] {
                await pincheck([place, "--anchors", anchors] + names).expect(
                    .fail, "is not valid for 127.0.0.1; it is valid for ")
            }
        }
    }

    @Test func `vector 154: of two leaves the one for elliptic curves is shown, and the other's pin fails`()
        async throws
    {
        let key = try LabKey.shared(.rsa(bits: 2_048), label: "vector 154")
        let rsa = try pki.interA.issue(.leaf(host), key: key)
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
            $0.identities.append(TLSIdentity([rsa, pki.interA]))
        }
        try await serving(settings) { place, anchors in
            let base = [host, "--connect", place, "--anchors", anchors, "--pins"]
            #expect(await pincheck(base + [pki.leaf.pin]).status == .pass)
            await pincheck(base + [rsa.pin]).expect(.fail, "no configured pin is on the chain")
        }
    }

    @Test func `vector 145: the hash of a bare key, as Node's cert.pubkey gives it, is told from a pin`() async throws {
        // The point of a P-256 key is the end of its SubjectPublicKeyInfo.
        let pin = Hashing.sha256(Array(pki.leaf.key.publicKeyInfo.suffix(65))).description
        #expect(pin != pki.leaf.pin)
        _ = try await serving(TLSServerSettings(presenting: [pki.leaf, pki.interA])) { place, anchors in
            await pincheck(host, "--connect", place, "--anchors", anchors, "--pins", pin).expect(
                .fail, errors: "pin 1 is the hash of the bare key of ",
                "clients hash the SubjectPublicKeyInfo: pin \(pki.leaf.pin) instead")
        }
    }

    @Test func `vector 155: each address has a verdict of its own and one failure is the whole call's`() async throws {
        _ = try await serving(TLSServerSettings(presenting: [pki.leaf2, pki.interA])) { new, anchors in
            try await serving(TLSServerSettings(presenting: [pki.leaf, pki.interA])) { old, _ in
                await pincheck(host, "--connect", new, "--connect", old, "--anchors", anchors, "--pins", pki.leaf.pin)
                    .expect(
                        .fail, "\n  \(new)  ✗ A\n  \(old)  ✓ B\n",
                        "\n  FAIL  \(new): no configured pin is on the chain\n")
            }
        }
    }

    @Test
    func `vectors 156 and 157: after a rotation an authority's pin holds, with a note, and an old leaf's does not`()
        async throws
    {
        try await serving(TLSServerSettings(presenting: [pki.leaf2, pki.interA])) { place, anchors in
            let base = [host, "--connect", place, "--anchors", anchors, "--pins", pki.leaf.pin]
            await pincheck(base + ["--pins", pki.interA.pin]).expect(.pass, "only a CA pin matched (depth 1)")
            await pincheck(base).expect(.fail, ending: "no configured pin is on the chain\n", not: "trusted")
        }
    }

    @Test func `vector 158: without a chain there is neither acceptance nor rejection`() async throws {
        try await RefusingPort.scoped { port in
            #expect(await pincheck("127.0.0.1:\(port.port)", "--timeout", "5").status == .unreachable)
        }
        try await LoopbackServer.serving(.alert(112)) { server in
            let outcome = await pincheck(host, "--connect", "127.0.0.1:\(server.port)").expect(.unreachable)
            #expect(outcome.output.contains("\nUNREACHABLE  ") || outcome.output.hasPrefix("UNREACHABLE  "))
        }
        try await UnresponsivePort.scoped { port in
            #expect(await pincheck("127.0.0.1:\(port.port)", "--timeout", "0.1").status == .unreachable)
        }
    }

    @Test func `vector 159: pins that cannot be read are no verdict`() async throws {
        try await serving(try sharedEdge()) { place, anchors in
            try await TemporaryDirectory.scoped { files in
                let empty = try files.write("", to: "empty.txt")
                for (source, status) in [
                    (files.path, ExitStatus.noInput), (empty, .data), (files.path + "/missing.cer", .noInput),
                ] {
                    let outcome = await pincheck(host, "--connect", place, "--anchors", anchors, "--pins", source)
                        .expect(status, "")
                    #expect(!outcome.errors.isEmpty)
                }
            }
        }
    }

    @Test(arguments: [
        ("sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", "has 31 bytes instead of 32"),
        ("sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", "has 33 bytes instead of 32"),
        ("sha256/_P3-_wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs", "is base64url (with - or _)"),
        ("sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "lacks the padding; write sha256/AAEC"),
    ]) func `vector 160: a pin with the wrong length or alphabet is an error that says what to write`(
        _ pin: String, hint: String
    ) async { await pincheck(host, "--connect", "127.0.0.1:9", "--pins", pin).expect(.data, errors: hint) }
}
