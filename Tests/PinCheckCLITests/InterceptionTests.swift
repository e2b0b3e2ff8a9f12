import LoopbackLab
import PinCheckCLI
import Testing

/// Chains that programs make which read along: the report says so, and no verdict changes for it.
@Suite(.endsSomeTime) struct InterceptionTests {
    private let host = StandardPKI.serverName

    /// Where the root of a chain is: in the store of this machine, given as an anchor, or nowhere.
    private enum Root { case installed, given, unknown }

    private func verify(_ chain: [LabCertificate], root: LabCertificate, _ place: Root, _ arguments: String = "-f json")
        async throws -> Outcome
    {
        try await Desk.open(["chain.pem": chain.map(\.pem).joined(), "root.pem": root.pem]) { desk in
            await desk(
                "verify @chain.pem --host $HOST \(place == .given ? "--anchors @root.pem" : "") \(arguments)",
                environment: place == .installed ? ["SSL_CERT_FILE": "$DIR/root.pem"] : [:])
        }
    }

    private func proxy(_ name: String) throws -> (root: LabCertificate, leaf: LabCertificate) {
        let root = try LabCertificate.selfSigned(.authority(DistinguishedName(commonName: name)))
        return (root, try root.issue(.leaf(host)))
    }

    private func found(_ outcome: Outcome) throws -> [String] {
        let report = try JSONValue(outcome.output)
        return ["warning", "note"].flatMap { kind in
            report[kind + "s"].array.compactMap { $0["id"].text }.filter {
                ["interceptor", "private-root"].contains($0)
            }.map { "\(kind) \($0)" }
        }
    }

    @Test(arguments: [
        ("Charles Proxy CA (2 Jan 2026, studio.local)", "Charles"), ("mitmproxy", "mitmproxy"),
        ("PortSwigger CA", "Burp Suite"), ("DO_NOT_TRUST_FiddlerRoot", "Fiddler"),
        ("Proxyman CA (2 Jan 2026, studio)", "Proxyman"), ("HTTP Toolkit CA", "HTTP Toolkit"),
        ("Zscaler Root CA", "Zscaler"), ("caadmin.netskope.com", "Netskope"), ("FortiGate CA", "Fortinet"),
        ("Cisco Umbrella Root CA", "Cisco Umbrella"), ("ESET SSL Filter CA", "ESET"),
    ]) func aProxyIsCalledByTheNameOfItsRoot(name: String, program: String) async throws {
        let (root, leaf) = try proxy(name)
        let installed = try await verify([leaf], root: root, .installed).expect("pass trusted-without-pins")
        #expect(try found(installed) == ["warning interceptor"])
        try await verify([leaf], root: root, .installed, "").says(
            errors:
                ": this looks like \(program), a TLS-intercepting proxy: the issuer has its name; pin nothing that is served here"
        )
        // Where it is trusted by nobody, the name of the issuer is all there is, and nothing else is advised.
        #expect(try found(await verify([leaf], root: root, .unknown).expect(.fail)) == ["warning interceptor"])
        try await verify([leaf], root: root, .unknown, "").says(not: "--anchors", "intermediate", "--extra-root")
        // Whoever gives a root knows whose it is.
        #expect(try found(await verify([leaf], root: root, .given).expect(.pass)) == ["note interceptor"])
    }

    @Test func aPrivateRootIsNoInterceptorsForThat() async throws {
        let pki = try StandardPKI.shared()
        let chain = [pki.leaf, pki.interA, pki.rootA]
        // A certificate that signed itself is nobody's authority.
        let own = try LabCertificate.selfSigned(.leaf(host))
        for (chain, root, place, expected) in [
            (chain, pki.rootA, .installed, ["warning private-root"]),
            (chain, pki.rootA, .unknown, ["note private-root"]), (chain, pki.rootA, .given, []),
            ([own], own, .unknown, []),
            // Of a chain without its root nothing is known.
            ([pki.leaf, pki.interA], pki.rootA, .unknown, []),
        ] as [([LabCertificate], LabCertificate, Root, [String])] {
            #expect(try found(await verify(chain, root: root, place)) == expected, "\(place)")
        }
    }

    @Test func aNoteAboutAGivenRootIsNoReasonToFailOnWarnings() async throws {
        let (root, leaf) = try proxy("Charles Proxy CA")
        try await verify([leaf], root: root, .given, "--fail-on warn -f json --warn-before 1d").expect(.pass)
    }

    @Test func namesOfCertificatesAreEscaped() async throws {
        let (root, leaf) = try proxy("\u{1B}[2JCharles Proxy CA\n\u{202E}PASS")
        let outcome = try await verify([leaf, root], root: root, .installed, "").says(
            errors: "this looks like Charles, a TLS-intercepting proxy", not: "\nPASS\n")
        #expect(isPlain(outcome.output) && isPlain(outcome.errors))
    }

    @Test func aServerBehindAProxyIsSaidToBe() async throws {
        let (root, leaf) = try proxy("Charles Proxy CA (studio.local)")
        try await Desk.serving(.presenting([leaf, root]), ["root.pem": root.pem]) { desk, _ in
            let outcome = await desk(
                "$HOST --connect $SERVER --pins $LEAF -f json", environment: ["SSL_CERT_FILE": "$DIR/root.pem"]
            ).expect("fail pin-mismatch")
            let found = try found(outcome)
            #expect(found == ["warning interceptor"])
        }
    }
}
