import LoopbackLab
import PinCheckCLI
import Testing

/// The two ways an app with HTTPDNS connects: to an address for a name, and with the address in the URL.
@Suite struct AddressInURLTests {
    private let host = StandardPKI.serverName

    /// Runs with an edge that serves another tenant to whoever does not name this one.
    private func serving(_ body: (Desk, LoopbackServer) async throws -> Void) async throws {
        let pki = try StandardPKI.shared()
        let tenant = try pki.interA.issue(.leaf("other-tenant.example"))
        let settings = TLSServerSettings(presenting: [tenant, pki.interA]).with {
            $0.identitiesByName = [host: [TLSIdentity([pki.leaf, pki.interA])]]
        }
        try await Desk.serving(.tls(settings), [:], body)
    }

    private var mismatch: String {
        "CN=other-tenant.example (depth 0) is not valid for \(host); it is valid for other-tenant.example"
    }

    // MARK: What is sent

    @Test(
        arguments: [
            ("https://$SERVER/ --host $HOST", nil), ("https://$SERVER/path --header 'Host: $HOST'", nil),
            ("$SERVER --verify-name $HOST", nil), ("192.0.2.1 --connect $SERVER --host $HOST", nil),
            ("https://$SERVER/ --host $HOST --no-sni", nil), ("https://$SERVER/ --host $HOST --sni $HOST", "$HOST"),
            ("$HOST --connect $SERVER", "$HOST"), ("$HOST --connect-to $HOST:443:$SERVER", "$HOST"),
            ("$HOST --connect $SERVER --host other-tenant.example", "$HOST"),
            ("$HOST --connect $SERVER --verify-name other-tenant.example", "$HOST"),
            ("$HOST --connect $SERVER --sni b.example", "b.example"), ("$HOST --connect $SERVER --no-sni", nil),
        ] as [(String, String?)]) func theServerNameIsTheTargetsHostAndNeverThatOfTheHostHeader(
            arguments: String, sent: String?
        ) async throws
    {
        try await serving { desk, server in
            let outcome = await desk(arguments + " --anchors @root.pem -f json")
            let expected = sent.map(desk.expand)
            #expect(await server.connections(ended: 1).map(\.serverName) == [expected])
            let endpoint = try JSONValue(outcome.output)["endpoint"]
            #expect(endpoint["sni"].text == expected)
        }
    }

    @Test func aListAndAPolicyDecideTheServerNameToo() async throws {
        try await serving { desk, server in
            let list = "$SERVER host=$HOST\n$SERVER host=$HOST sni=$HOST\n$HOST connect=$SERVER no-sni\n"
            await desk("--targets - --jobs 1 -f jsonl --anchors @root.pem", input: list).expect(.fail)
            #expect(await server.connections(ended: 3).map(\.serverName) == [nil, host, nil])
            try desk.write("{ hosts: { '$SERVER': { host: '$HOST', sni: '$HOST' } } }", to: "pins.json5")
            await desk("--policy @pins.json5 --anchors @root.pem").expect(.pass)
            #expect(await server.connections(ended: 4).last?.serverName == host)
        }
    }

    // MARK: What is said

    @Test func aCertificateForAnotherNameIsSaidToBeWhatClientsWithoutSNIGet() async throws {
        try await serving { desk, _ in
            let served = "  hint: this address serves CN=other-tenant.example to clients that send no SNI: "
            for (line, hint) in [
                ("https://$SERVER/ --host $HOST", served + "--sni \(host) judges clients that send it\n"),
                ("https://$SERVER/", served + "give --host or --sni\n"),
                // A name was sent: the default certificate has nothing to do with it.
                ("b.example --connect $SERVER", "  hint: the SNI was b.example\n"),
            ] { await desk(line + " --anchors @root.pem").expect(.fail, hint) }
        }
    }

    @Test func bothWaysAreComparedFromEitherForm() async throws {
        try await serving { desk, server in
            let byAddress = "https://$SERVER/ --host $HOST --thorough --anchors @root.pem"
            await desk(byAddress).expect(
                .fail, "\n  127.0.0.1  ✗ A       ✗ A    ✓ B\n",
                "\n  warning: with SNI the server serves CN=leaf: apps that connect to the address by the name get that\n",
                ending: desk.expand("\nFAIL  $SERVER  1 address, rejected; another certificate without SNI\n"))
            #expect(await server.connections(ended: 2).compactMap(\.serverName) == [host])
            let accepted = "1 address, accepted; another certificate without SNI\n"
            await desk("CHECK --thorough").expect(.pass, ending: accepted)
            await desk("CHECK --thorough --explain").says(", no SNI  \(mismatch)\n")
            // Where the name to send is given, the form says nothing of it any more.
            await desk(byAddress + " --sni $HOST").says(ending: accepted)
        }
        try await serving { desk, server in
            await desk("snapshot https://$SERVER/ --host $HOST --thorough -o @api.json").expect(.pass)
            // It is asked again as it was recorded.
            await desk("diff @api.json").expect(.pass)
            #expect(await server.connections(ended: 4).compactMap(\.serverName) == [host, host])
        }
    }
}
