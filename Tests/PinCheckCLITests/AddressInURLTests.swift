import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// The two ways an app with HTTPDNS connects: to an address for a name, and with the address in the URL.
@Suite struct AddressInURLTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Runs with an edge that serves another tenant to whoever does not name this one, and a file with the root.
    private func serving(_ body: (_ server: LoopbackServer, _ place: String, _ base: [String]) async throws -> Void)
        async throws
    {
        let tenant = try pki.interA.issue(.leaf("other-tenant.example"))
        let settings = TLSServerSettings(presenting: [tenant, pki.interA]).with {
            $0.identitiesByName = [host: [TLSIdentity([pki.leaf, pki.interA])]]
        }
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.tls(settings)) { server in
                try await body(server, "127.0.0.1:\(server.port)", ["--anchors", anchors])
            }
        }
    }

    private var mismatch: String {
        "CN=other-tenant.example (depth 0) is not valid for \(host); it is valid for other-tenant.example"
    }

    private let served = "this address serves CN=other-tenant.example to clients that send no SNI"

    /// The ids of a result's own notes.
    private func notes(_ document: JSONValue) -> [String] {
        document["notes"].array.compactMap { $0["id"].text }.filter { !$0.hasPrefix("no-") }
    }

    private func lines(of outcome: Outcome, with words: String) -> [Substring] {
        outcome.output.split(separator: "\n").filter { $0.contains(words) }
    }

    // MARK: What is sent

    @Test(
        arguments: [
            (["https://PLACE/", "--host", "HOST"], nil), (["https://PLACE/path", "--header", "Host: HOST"], nil),
            (["PLACE", "--verify-name", "HOST"], nil), (["192.0.2.1", "--connect", "PLACE", "--host", "HOST"], nil),
            (["https://PLACE/", "--host", "HOST", "--no-sni"], nil),
            (["https://PLACE/", "--host", "HOST", "--sni", "HOST"], "HOST"), (["HOST", "--connect", "PLACE"], "HOST"),
            (["HOST", "--connect", "PLACE", "--host", "other-tenant.example"], "HOST"),
            (["HOST", "--connect", "PLACE", "--verify-name", "other-tenant.example"], "HOST"),
            (["HOST", "--connect", "PLACE", "--sni", "b.example"], "b.example"),
            (["HOST", "--connect", "PLACE", "--no-sni"], nil),
        ] as [([String], String?)]) func theServerNameIsTheTargetsHostAndNeverThatOfTheHostHeader(
            arguments: [String], sent: String?
        ) async throws
    {
        try await serving { server, place, base in
            let words = arguments.map { $0.replacing("PLACE", with: place).replacing("HOST", with: host) }
            let outcome = await pincheck(words + base + ["--format", "json"])
            let expected = sent?.replacing("HOST", with: host)
            #expect(await server.connections(ended: 1).map(\.serverName) == [expected])
            let endpoint = try JSONValue(outcome.output)["endpoint"]
            #expect(endpoint["sni"].text == expected)
        }
    }

    @Test func aListAndAPolicyDecideTheServerNameToo() async throws {
        try await serving { server, place, base in
            try await TemporaryDirectory.scoped { files in
                let list = try files.write(
                    "\(place) host=\(host)\n\(place) host=\(host) sni=\(host)\n\(host) connect=\(place) no-sni\n",
                    to: "hosts.txt")
                await pincheck(["--targets", list, "--jobs", "1", "-f", "jsonl"] + base).expect(.fail)
                #expect(await server.connections(ended: 3).map(\.serverName) == [nil, host, nil])
                let policy = try files.write(
                    "{ hosts: { '\(place)': { host: '\(host)', sni: '\(host)' } } }", to: "pins.json5")
                #expect(await pincheck(["--policy", policy] + base).status == .pass)
                #expect(await server.connections(ended: 4).last?.serverName == host)
            }
        }
    }

    // MARK: What is said

    @Test func aCertificateForAnotherNameIsSaidToBeWhatClientsWithoutSNIGet() async throws {
        try await serving { _, place, base in
            await pincheck(["https://\(place)/", "--host", host] + base).expect(
                .fail, ending: "  \(mismatch): --sni \(host) judges clients that send it\n")
            await pincheck(["https://\(place)/"] + base).says(
                ending: " to clients that send no SNI: give --host or --sni\n")
            // A name was sent: the default certificate has nothing to do with it.
            await pincheck(["b.example", "--connect", place] + base).says(ending: "; the SNI was b.example\n")
        }
    }

    // MARK: Both ways

    @Test func bothWaysAreComparedFromEitherForm() async throws {
        try await serving { server, place, base in
            let outcome = await pincheck(["https://\(place)/", "--host", host, "--thorough"] + base).expect(.fail)
            #expect(await server.connections(ended: 2).compactMap(\.serverName) == [host])
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.contains("  127.0.0.1  ✗ A       ✗ A    ✓ B"), "\(outcome.output)")
            #expect(lines.last == "FAIL  \(place)  1 address, rejected; another certificate without SNI")
            let difference = "with SNI the server serves CN=leaf: apps that connect to the address by the name get that"
            #expect(lines.contains("  warning: \(difference)"))
            let byName = await pincheck([host, "--connect", place, "--thorough"] + base).expect(.pass)
            await pincheck([host, "--connect", place, "--thorough", "--explain"] + base).says(", no SNI  \(mismatch)\n")
            #expect(byName.output.hasSuffix("1 address, accepted; another certificate without SNI\n"))
            // Where the name to send is given, the form says nothing of it any more.
            await pincheck(["https://\(place)/", "--host", host, "--sni", host, "--thorough"] + base).says(
                ending: "1 address, accepted; another certificate without SNI\n")
        }
    }

    @Test func aSnapshotOfBothWaysIsAskedAgainAsItWasRecorded() async throws {
        try await serving { server, place, base in
            try await TemporaryDirectory.scoped { files in
                let path = files.path + "/api.json"
                let target = ["https://\(place)/", "--host", host]
                await pincheck(["snapshot"] + target + ["--thorough", "-o", path]).expect(.pass)
                await pincheck("diff", path).expect(.pass)
                #expect(await server.connections(ended: 4).compactMap(\.serverName) == [host, host])
            }
        }
    }
}
