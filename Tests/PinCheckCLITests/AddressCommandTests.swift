import LoopbackLab
import PinCheckCLI
import Pinning
import Testing
import X509

/// The two ways an app with HTTPDNS connects: to an address for a name, and with the address in the URL.
@Suite struct AddressInURLTests {
    /// An edge that serves another tenant to whoever does not name this one.
    static func sharedEdge() throws -> ServerBehavior {
        let tenant = try pki.interA.issue(.leaf("other-tenant.example"))
        return .tls(
            TLSServerSettings(presenting: [tenant, pki.interA]).with {
                $0.identitiesByName = [host: [TLSIdentity(served)]]
            })
    }

    private func serving(_ body: (Desk, LoopbackServer) async throws -> Void) async throws {
        try await Desk.serving(Self.sharedEdge(), [:], body)
    }

    private var mismatch: String {
        "CN=other-tenant.example (depth 0) is not valid for \(host); it is valid for other-tenant.example"
    }

    @Test func aCertificateForAnotherNameIsSaidToBeWhatClientsWithoutSNIGet() async throws {
        try await serving { desk, _ in
            let served = "  hint: this address serves CN=other-tenant.example to clients that send no SNI: "
            for (line, hint) in [
                ("https://$SERVER/ --host $HOST", served + "--sni \(host) judges clients that send it\n"),
                ("https://$SERVER/", served + "give --host or --sni\n"),
                // Vectors 152 and 153; 151 is a row of ``RequestCommandTests``, 155 in ``VariantTests``.
                ("$HOST --connect $SERVER --no-sni", served.dropLast(2) + "\n"),
                ("$SERVER --verify-name 127.0.0.1 --sni $HOST", "is not valid for 127.0.0.1; it is valid for "),
                // A name was sent: the default certificate has nothing to do with it.
                ("b.example --connect $SERVER", "  hint: the SNI was b.example\n"),
            ] { await desk.expect(line + " --anchors @root.pem", "fail name-mismatch: \(hint)") }
        }
    }

    @Test func bothWaysAreComparedFromEitherForm() async throws {
        try await serving { desk, server in
            let byAddress = "https://$SERVER/ --host $HOST --thorough --anchors @root.pem"
            await desk(byAddress).expect(
                .fail, "\n  127.0.0.1  ordinary  FAIL        EC P-256 ",
                "\n  warning: with SNI the server serves CN=leaf: apps that connect to the address by the name get that\n",
                desk.expand("\nFAIL  $SERVER  1 address, rejected; CN=other-tenant.example (depth 0) is not valid for"),
                ending: "; and 1 more: no-sni-differs\n")
            #expect(await server.connections(ended: 2).compactMap(\.serverName) == [host])
            let accepted = "1 address, accepted; another certificate without SNI\n"
            await desk("CHECK --thorough --explain").says(", no SNI  \(mismatch)\n")
            // Where the name to send is given, the form says nothing of it any more.
            await desk(byAddress + " --sni $HOST").says(ending: accepted)
        }
        try await serving { desk, server in
            await desk("snapshot https://$SERVER/ --host $HOST --thorough -o @api.json").expect(.pass)
            await desk("diff @api.json").expect(.pass)
            #expect(await server.connections(ended: 4).compactMap(\.serverName) == [host, host])
        }
    }
}

/// `pincheck check` with the addresses that a service over HTTP gives.
@Suite(.timeLimit(.minutes(5))) struct AddressServiceCommandTests {
    private func response(_ body: String) -> [UInt8] {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".bytes
    }

    private func serving(
        _ service: ServerBehavior,
        _ body: (Desk, _ service: LoopbackServer, _ edge: LoopbackServer) async throws -> Void
    ) async throws {
        let chain = served
        try await LoopbackServer.serving(.presenting(chain), address: "127.0.0.2") { edge in
            try await Desk.serving(service, [:]) { try await body($0, $1, edge) }
        }
    }

    @Test func theAddressesOfAnHTTPDNSServiceAreChecked() async throws {
        try await serving(.script(response("127.0.0.2,60"))) { desk, service, edge in
            await desk("$HOST:\(edge.port) --httpdns http://$SERVER/d?dn={name}&ttl=1 --anchors @root.pem --pins $LEAF")
                .expect(.pass, "PASS  \(host):\(edge.port) → 127.0.0.2  ", "SNI \(host)")
            let opening = try #require(await service.connections(ended: 1).first).opening
            #expect(String(decoding: opening, as: UTF8.self).hasPrefix("GET /d?dn=\(host)&ttl=1 HTTP/1.1\r\n"))
        }
    }

    @Test func aServiceThatFailsLeavesNoVerdict() async throws {
        try await Desk.serving(.script(response("0"))) { desk, _ in
            await desk("$HOST --httpdns http://$SERVER/{name}").expect(
                .unreachable, "resolve: cannot resolve '\(host)'", "the name has no usable address",
                desk.expand("the HTTPDNS service $SERVER"), not: "consistent")
        }
    }

    private static let silent = -1

    /// What DNS over HTTPS says of the IPv6 addresses, by its response code, and how the check of the IPv4 address ends.
    @Test(arguments: [
        (2, "", ExitStatus.unreachable, " (IPv6 addresses)\n"), (3, "", .unreachable, " (IPv6 addresses)\n"),
        (0, "", .pass, "1 address, accepted; IPv4 only, nothing to compare\n"),
        (2, " -4", .pass, "1 address, accepted; nothing to compare\n"),
        (2, " --pins $JUNK", .fail, "; and 1 more: addresses-incomplete\n"),
        // A family that stays silent leaves half of the time.
        (silent, " --pins $JUNK --timeout 8", .fail, "; and 1 more: addresses-incomplete\n"),
    ]) func aFamilyThatIsNotKnownIsNoVerdict(code: Int, flags: String, status: ExitStatus, words: String) async throws {
        let service = try pki.interA.issue(.leaf("127.0.0.1"))
        let settings = TLSServerSettings(presenting: [service, pki.interA]).with {
            $0.application = Responder { request in
                let answer = #"{"Status":0,"Answer":[{"type":1,"data":"127.0.0.1"}]}"#
                let body = request.contains("type=AAAA") ? #"{"Status":\#(code)}"# : answer
                guard body != #"{"Status":\#(Self.silent)}"# else { return Responder.Answer([], .silence) }
                return Responder.Answer("HTTP/1.1 200 OK\nContent-Length: \(body.utf8.count)", body.bytes)
            }
        }
        try await LoopbackServer.serving(.tls(settings)) { dns in
            try await Desk.serving { desk, _ in
                let line = "$HOST:$PORT --doh https://\(dns.place)/resolve --anchors @root.pem"
                let outcome = await desk(line + flags, environment: ["SSL_CERT_FILE": "$DIR/root.pem"]).expect(status)
                #expect(outcome.output.contains(words), "\(outcome)")
            }
        }
    }

    @Test func aServiceThatIsNotThereIsNotTakenForTheTarget() async throws {
        _ = try await DeadPort.refusing { refusing in
            await pincheck(host, "--httpdns", "http://127.0.0.1:\(refusing)/{name}").expect(
                .unreachable, "the HTTPDNS service 127.0.0.1:\(refusing): cannot connect to",
                "check the service, or give the address with --connect", not: "check the port")
        }
    }

    @Test func aServiceOverTLSIsTrustedByTheSystemAlone() async throws {
        let root = try LabCertificate.selfSigned(.authority("Resolvers"))
        let leaf = try root.issue(.leaf(subject: "resolver", names: [GeneralName("127.0.0.1")]))
        let json =
            #"{"Status":0,"Question":[{"name":"\#(host).","type":1}],"Answer":[{"type":1,"TTL":9,"data":"127.0.0.2"}]}"#
        let settings = TLSServerSettings(presenting: [leaf]).with { $0.application = .answers(response(json)) }
        let revoked = StatusResponse().with { $0.status = .revoked(at: LabClock.now - LabClock.day, reason: 1) }
        let staple = try revoked.der(about: leaf, from: root)
        try await Desk.serving(.tls(settings.with { $0.staple = staple }), ["system.pem": root.pem]) { desk, _ in
            let environment = ["SSL_CERT_FILE": "$DIR/system.pem"]
            await desk("$HOST --anchors @root.pem --doh https://$SERVER/resolve", environment: environment).expect(
                .unreachable, "its certificate is not trusted: ", "was revoked")
        }
        try await serving(.tls(settings)) { desk, service, edge in
            try desk.write(root.pem, to: "system.pem")
            let line = "$HOST:\(edge.port) -4 --anchors @root.pem --doh https://$SERVER/resolve"
            await desk(line, environment: ["SSL_CERT_FILE": "$DIR/system.pem"]).expect(.pass)
            await desk(line).expect(.unreachable, "its certificate is not trusted: ")
            let seen = await service.connections(ended: 2)
            #expect(seen.count { !$0.applicationOpening.isEmpty } == 1)
            #expect(await edge.connections(ended: 1).count == 1)
        }
    }

    @Test func aServiceIsAskedForNamesOnlyAndLeftAtTheDeadlineOfTheTarget() async throws {
        try await serving(.tarpit) { desk, service, edge in
            await desk("127.0.0.2:\(edge.port) --verify-name $HOST --httpdns http://$SERVER/{name} --anchors @root.pem")
                .expect(.pass)
            #expect(service.connections.isEmpty)
            let clock = ContinuousClock()
            let began = clock.now
            await desk("$HOST --httpdns http://$SERVER/{name} --timeout 1 --thorough").expect(
                .unreachable, desk.expand("the HTTPDNS service $SERVER took too long: check the service"))
            #expect(began.duration(to: clock.now) >= .seconds(1))
            _ = try #require(service.connections.first)
        }
    }
}

/// Hashes that are no pins, as whole command lines.
@Suite(.endsSomeTime) struct OtherHashTests {
    /// Vector 145: as Node's `cert.pubkey` gives it.
    @Test func theHashOfABareKeyIsToldFromAPin() async throws {
        // The point of a P-256 key is the end of its SubjectPublicKeyInfo.
        let pin = Hashing.sha256(Array(pki.leaf.key.publicKeyInfo.suffix(65))).description
        #expect(pin != pki.leaf.pin)
        try await Desk().expect(
            "VERIFY --pins \(pin)",
            "fail pin-mismatch: pin 1 is the hash of the bare key of  … clients hash the SubjectPublicKeyInfo: pin $LEAF "
        )
    }

    /// Hashes of a certificate, of the PEM text of a key, and of a CA's, alone and next to a pin that matches.
    @Test func aHashOfSomethingElseThanAKeyIsTold() async throws {
        let text = pki.leaf.key.publicKeyPEM.bytes
        let ca = pki.rootA.key.publicKeyPEM.bytes
        for (bytes, words, right) in [
            (pki.leaf.der, "is the hash of the certificate CN=leaf", "$LEAF"), (text, "as PEM text", "$LEAF"),
            (Array(text.dropLast()), "as PEM text", "$LEAF"), (ca, "of CN=RootA as PEM text", "$TOP"),
        ] {
            let pin = Hashing.sha256(bytes).description
            let said = "certificate-hash-pin … \(words) … not of … key: pin \(right)"
            try await Desk().expect("VERIFY --pins \(pin)", "fail pin-mismatch: \(said)")
            try await Desk().expect("VERIFY --pins \(pin) --pins $LEAF", "pass pin-matched: \(said)")
        }
    }
}
