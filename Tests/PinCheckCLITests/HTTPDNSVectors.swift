import LoopbackLab
import PinCheckCLI
import Pinning
import Testing
import X509

@Suite("Whole command lines end as the decision table's vectors 145 and 151 to 160 say", .endsSomeTime)
struct HTTPDNSVectors {
    private static let pki = try! StandardPKI.shared()
    private let host = StandardPKI.serverName

    /// An edge that serves another tenant to whoever does not name this one.
    private func sharedEdge() throws -> ServerBehavior {
        let tenant = try Self.pki.interA.issue(.leaf("other-tenant.example"))
        return .tls(
            TLSServerSettings(presenting: [tenant, Self.pki.interA]).with {
                $0.identitiesByName = [host: [TLSIdentity([Self.pki.leaf, Self.pki.interA])]]
            })
    }

    @Test(
        arguments: [
            (
                "151: an address with the domain as SNI and as the name to verify is accepted",
                "https://$SERVER/ --sni $HOST --verify-name $HOST --pins $LEAF", .pass, "SNI $HOST"
            ),
            (
                "152: another tenant's certificate is a mismatch for which the missing SNI is named",
                "$HOST --connect $SERVER --no-sni", .fail,
                "  hint: this address serves CN=other-tenant.example to clients that send no SNI\n"
            ),
            (
                "153: the address itself is no name of the certificate", "$SERVER", .fail,
                "is not valid for 127.0.0.1; it is valid for "
            ),
            (
                "153: nor with the domain as SNI", "$SERVER --verify-name 127.0.0.1 --sni $HOST", .fail,
                "is not valid for 127.0.0.1; it is valid for "
            ),
            (
                "159: pins that cannot be read are no verdict", "$HOST --connect $SERVER --pins @nothing", .noInput,
                "Error: "
            ), ("159: nor an empty list", "$HOST --connect $SERVER --pins @empty.txt", .data, "Error: "),
            ("159: nor missing ones", "$HOST --connect $SERVER --pins @missing.cer", .noInput, "Error: "),
        ] as [(String, String, ExitStatus, String)]) func `vectors 151 to 153 and 159`(
            _ vector: String, line: String, status: ExitStatus, words: String
        ) async throws
    {
        try await Desk.serving(sharedEdge(), ["empty.txt": ""]) { desk, _ in
            _ = try desk.files.makeDirectory("nothing")
            await desk(line + " --anchors @root.pem").expect(status, told: desk.expand(words))
        }
    }

    @Test func `vector 154: of two leaves the one for elliptic curves is shown, and the other's pin fails`()
        async throws
    {
        let rsa = try Self.pki.interA.issue(.leaf(host), key: .shared(.rsa(bits: 2_048), label: "vector 154"))
        let settings = TLSServerSettings(presenting: [Self.pki.leaf, Self.pki.interA]).with {
            $0.identities.append(TLSIdentity([rsa, Self.pki.interA]))
        }
        try await Desk.serving(.tls(settings)) { desk, _ in
            await desk("CHECK --pins $LEAF").expect(.pass)
            await desk("CHECK --pins \(rsa.pin)").expect(.fail, "no configured pin is on the chain")
        }
    }

    @Test func `vector 145: the hash of a bare key, as Node's cert.pubkey gives it, is told from a pin`() async throws {
        // The point of a P-256 key is the end of its SubjectPublicKeyInfo.
        let pin = Hashing.sha256(Array(Self.pki.leaf.key.publicKeyInfo.suffix(65))).description
        #expect(pin != Self.pki.leaf.pin)
        try await Desk.serving { desk, _ in
            await desk("CHECK --pins \(pin)").expect(
                .fail, errors: "pin 1 is the hash of the bare key of ",
                "clients hash the SubjectPublicKeyInfo: pin \(Self.pki.leaf.pin) instead")
        }
    }

    @Test func `vectors 155 to 157: each address has a verdict of its own, and a rotation ends an old leaf's pin`()
        async throws
    {
        try await Desk.serving(.presenting([Self.pki.leaf2, Self.pki.interA])) { desk, server in
            try await LoopbackServer.serving(.presenting([Self.pki.leaf, Self.pki.interA])) { old in
                let (new, old) = ("127.0.0.1:\(server.port)", "127.0.0.1:\(old.port)")
                await desk("CHECK --connect \(old) --pins $LEAF").expect(
                    .fail, "\n  \(new)  ✗ A\n  \(old)  ✓ B\n", "\n  FAIL  \(new): no configured pin is on the chain\n")
            }
            // An authority's pin holds, with a note.
            await desk("CHECK --pins $LEAF --pins $INTER").expect(.pass, "only a CA pin matched (depth 1)")
            await desk("CHECK --pins $LEAF").expect(
                .fail, ending: "no configured pin is on the chain\n", not: "trusted")
        }
    }

    @Test func `vector 158: without a chain there is neither acceptance nor rejection`() async throws {
        _ = try await RefusingPort.scoped { port in
            await pincheck("127.0.0.1:\(port.port)", "--timeout", "5").expect(.unreachable)
        }
        try await Desk.serving(.alert(112)) { desk, _ in
            let outcome = await desk("$HOST --connect $SERVER").expect(.unreachable)
            #expect(("\n" + outcome.output).contains("\nUNREACHABLE  "))
        }
        _ = try await UnresponsivePort.scoped { port in
            await pincheck("127.0.0.1:\(port.port)", "--timeout", "0.1").expect(.unreachable)
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
