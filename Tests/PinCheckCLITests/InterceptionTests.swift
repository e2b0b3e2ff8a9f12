import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Chains that programs make which read along: the report says so, and no verdict changes for it.
@Suite(.endsSomeTime) struct InterceptionTests {
    let host = StandardPKI.serverName

    /// Where the root of a chain is.
    enum Root {
        /// In the store of this machine.
        case installed
        /// Given as an anchor.
        case given
        /// Nowhere.
        case unknown
    }

    private func verify(_ chain: [LabCertificate], root: LabCertificate, _ place: Root, _ arguments: [String] = [])
        async throws -> Outcome
    {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(chain.map(\.pem).joined(), to: "chain.pem")
            let store = try files.write(root.pem, to: "root.pem")
            return await pincheck(
                ["verify", path, "--host", host] + (place == .given ? ["--anchors", store] : []) + arguments,
                environment: place == .installed ? ["SSL_CERT_FILE": store] : [:])
        }
    }

    private func proxy(_ name: String) throws -> (root: LabCertificate, leaf: LabCertificate) {
        let root = try LabCertificate.selfSigned(.authority(DistinguishedName(commonName: name)))
        return (root, try root.issue(.leaf(host)))
    }

    private func found(_ outcome: Outcome) throws -> [String] {
        let report = try JSONValue(outcome.output)
        func ids(_ key: String) -> [String] {
            report[key].array.compactMap { $0["id"].text }.filter { ["interceptor", "private-root"].contains($0) }
        }
        return ids("warnings").map { "warning " + $0 } + ids("notes").map { "note " + $0 }
    }

    @Test(arguments: [
        ("Charles Proxy CA (2 Jan 2026, studio.local)", "Charles"), ("mitmproxy", "mitmproxy"),
        ("PortSwigger CA", "Burp Suite"), ("DO_NOT_TRUST_FiddlerRoot", "Fiddler"),
        ("Proxyman CA (2 Jan 2026, studio)", "Proxyman"), ("HTTP Toolkit CA", "HTTP Toolkit"),
        ("Zscaler Root CA", "Zscaler"), ("caadmin.netskope.com", "Netskope"), ("FortiGate CA", "Fortinet"),
        ("Cisco Umbrella Root CA", "Cisco Umbrella"), ("ESET SSL Filter CA", "ESET"),
    ]) func aProxyIsCalledByTheNameOfItsRoot(name: String, program: String) async throws {
        let (root, leaf) = try proxy(name)
        let installed = try await verify([leaf], root: root, .installed, ["--format", "json"]).expect(
            "pass trusted-without-pins")
        #expect(try found(installed) == ["warning interceptor"])
        try await verify([leaf], root: root, .installed).says(
            errors:
                ": this looks like \(program), a TLS-intercepting proxy: the issuer has its name; pin nothing that is served here"
        )
        // Where it is trusted by nobody, the name of the issuer is all there is.
        let unknown = try await verify([leaf], root: root, .unknown, ["--format", "json"]).expect(.fail)
        #expect(try found(unknown) == ["warning interceptor"])
        // Then nothing else is advised.
        let told = try await verify([leaf], root: root, .unknown)
        for advice in ["--anchors", "intermediate", "--extra-root"] {
            #expect(!(told.output + told.errors).contains(advice), "\(told)")
        }
        // Whoever gives a root knows whose it is.
        let given = try await verify([leaf], root: root, .given, ["--format", "json"]).expect(.pass)
        #expect(try found(given) == ["note interceptor"])
    }

    @Test func aPrivateRootIsNoInterceptorsForThat() async throws {
        let pki = try StandardPKI.shared()
        let chain = [pki.leaf, pki.interA, pki.rootA]
        let json = ["--format", "json"]
        #expect(try found(await verify(chain, root: pki.rootA, .installed, json)) == ["warning private-root"])
        #expect(try found(await verify(chain, root: pki.rootA, .unknown, json)) == ["note private-root"])
        #expect(try found(await verify(chain, root: pki.rootA, .given, json)) == [])
        // Of a chain without its root nothing is known.
        #expect(try found(await verify([pki.leaf, pki.interA], root: pki.rootA, .unknown, json)) == [])
        // A certificate that signed itself is nobody's authority.
        let own = try LabCertificate.selfSigned(.leaf(host))
        #expect(try found(await verify([own], root: own, .unknown, json)) == [])
    }

    @Test func aNoteAboutAGivenRootIsNoReasonToFailOnWarnings() async throws {
        let (root, leaf) = try proxy("Charles Proxy CA")
        let arguments = ["--fail-on", "warn", "--format", "json", "--warn-before", "1d"]
        try await verify([leaf], root: root, .given, arguments).expect(.pass)
    }

    @Test func namesOfCertificatesAreEscaped() async throws {
        let (root, leaf) = try proxy("\u{1B}[2JCharles Proxy CA\n\u{202E}PASS")
        let outcome = try await verify([leaf, root], root: root, .installed).says(
            errors: "this looks like Charles, a TLS-intercepting proxy", not: "\nPASS\n")
        #expect(isPlain(outcome.output) && isPlain(outcome.errors))
    }

    @Test func aServerBehindAProxyIsSaidToBe() async throws {
        let (root, leaf) = try proxy("Charles Proxy CA (studio.local)")
        try await TemporaryDirectory.scoped { files in
            let store = try files.write(root.pem, to: "root.pem")
            let settings = TLSServerSettings(presenting: [leaf, root])
            try await LoopbackServer.serving(.tls(settings)) { server in
                let outcome = await pincheck(
                    [
                        host, "--connect", "\(server.address):\(server.port)", "--pins",
                        try StandardPKI.shared().leaf.pin, "--format", "json",
                    ], environment: ["SSL_CERT_FILE": store]
                ).expect("fail pin-mismatch")
                #expect(try found(outcome) == ["warning interceptor"])
            }
        }
    }
}
