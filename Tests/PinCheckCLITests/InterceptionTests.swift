import LoopbackLab
import PinCheckCLI
import Testing

/// Chains that programs make which read along: the report says so, and no verdict changes for it.
@Suite(.endsSomeTime) struct InterceptionTests {
    /// Where the root of a chain is: in the store of this machine, given as an anchor, or nowhere.
    private enum Root { case installed, given, unknown }

    private func verify(_ chain: [LabCertificate], root: LabCertificate, _ place: Root, _ arguments: String = "-f json")
        async throws -> Outcome
    {
        let desk = try Desk(["chain.pem": chain.map(\.pem).joined(), "root.pem": root.pem])
        return await desk(
            "verify @chain.pem --host $HOST \(place == .given ? "--anchors @root.pem" : "") \(arguments)",
            environment: place == .installed ? ["SSL_CERT_FILE": "$DIR/root.pem"] : [:])
    }

    private func proxy(_ name: String) throws -> (root: LabCertificate, leaf: LabCertificate) {
        let root = try LabCertificate.selfSigned(.authority(DistinguishedName(commonName: name)))
        return (root, try root.issue(.leaf(host)))
    }

    private func found(_ outcome: Outcome) throws -> [String] {
        let report = try outcome.json
        return ["warning", "note"].flatMap { kind in
            report[kind + "s"].ids.filter { ["interceptor", "private-root"].contains($0) }.map { "\(kind) \($0)" }
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
        // The user who gives a root knows its owner.
        #expect(try found(await verify([leaf], root: root, .given).expect(.pass)) == ["note interceptor"])
    }

    @Test func aPrivateRootIsNoInterceptorsForThat() async throws {
        let chain = [pki.leaf, pki.interA, pki.rootA]
        // A certificate that signed itself is nobody's authority.
        let own = try LabCertificate.selfSigned(.leaf(host))
        for (chain, root, place, expected) in [
            (chain, pki.rootA, .installed, ["warning private-root"]),
            (chain, pki.rootA, .unknown, ["note private-root"]), (chain, pki.rootA, .given, []),
            ([own], own, .unknown, []),
            // Of a chain without its root nothing is known.
            (served, pki.rootA, .unknown, []),
        ] as [([LabCertificate], LabCertificate, Root, [String])] {
            #expect(try found(await verify(chain, root: root, place)) == expected, "\(place)")
        }
    }
}

@Suite(.endsSomeTime) struct StrangerPinTests {
    private let words = "this looks like Charles, a TLS-intercepting proxy: the issuer has its name"
    private let installed = ["SSL_CERT_FILE": "$DIR/store.pem"]

    private func serving(root name: String = "Charles Proxy CA (studio.local)", _ body: (Desk) async throws -> Void)
        async throws
    {
        let root = try LabCertificate.selfSigned(.authority(DistinguishedName(commonName: name)))
        let leaf = try root.issue(.leaf(host))
        let texts = ["store.pem": root.pem, "chain.pem": leaf.pem + root.pem]
        try await Desk.serving(.presenting([leaf, root]), texts) { desk, _ in try await body(desk) }
    }

    private func warnings(_ outcome: Outcome) throws -> [String] { try outcome.json["results"][0]["warnings"].ids }

    @Test func aBlockOfAnInterceptorsPinsSaysSo() async throws {
        try await serving { desk in
            for form in ["text", "json"] + PinsCommandTests.blocks {
                let outcome = await desk("pins $HOST --connect $SERVER -f \(form)", environment: installed).expect(
                    .pass, errors: "Warning: \(host):443: \(words)")
                // Nobody vouches for a chain in a file.
                let file = await desk("pins @chain.pem --host $HOST -f \(form)").says(errors: words)
                if form != "text" { for block in [outcome, file] { block.says(words) } }
                // No line of a block is in force, and nothing is saved.
                if form != "text", form != "json" {
                    let saving = await desk(
                        "pins $HOST --connect $SERVER -f \(form) --save @saved", environment: installed)
                    let lines = saving.says(not: "saved: ").output.split(separator: "\n")
                    let isComment = lines.first == "<!--" && lines.last == "-->" && !lines.dropLast().contains("-->")
                    #expect(isComment || saving.output.contains("sha256/"), "\(saving)")
                    #expect(isComment || lines.allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("//") }, "\(saving)")
                }
                let advice = await desk("pins $HOST --connect $SERVER --recommend -f \(form)", environment: installed)
                    .expect(.fail, errors: words)
                if form != "text", form != "json" { advice.says("") }
            }
            let found = try await warnings(desk("pins $HOST --connect $SERVER -f json", environment: installed))
            #expect(found == ["interceptor"])
            let given = "pins $HOST --connect $SERVER --anchors @store.pem -f "
            await desk(given + "okhttp").says("// Note: \(words)", errors: "Note: \(host):443: \(words)")
            #expect(try await warnings(desk(given + "json")).isEmpty)
        }
    }

    @Test func aRootOfThisMachineAloneIsToldOf() async throws {
        try await serving(root: "Some Root") { desk in
            let line = "pins $HOST --connect $SERVER -f "
            await desk(line + "okhttp", environment: installed).expect(
                .pass, "// WARNING: root Some Root is on no public list",
                errors: "Warning: \(host):443: root Some Root is on no public list")
            let found = try await warnings(desk(line + "json", environment: installed))
            #expect(found == ["private-root"])
            await desk(line + "okhttp --anchors @store.pem").says(errors: "", not: "WARNING")
            await desk("snapshot $HOST --connect $SERVER").says(errors: "")
            await desk("snapshot $HOST --connect $SERVER", environment: installed).says(
                errors: "root Some Root is on no public list", not: "--anchors")
        }
    }

    @Test func aSnapshotOfAnInterceptorsChainIsWarnedOf() async throws {
        try await serving { desk in
            let unknown = await desk("snapshot $HOST --connect $SERVER -o @api.json").expect(.pass)
            #expect(unknown.errors.hasPrefix("Warning: \(host): \(words)"), "\(unknown.errors)")
            try desk.write("{ hosts: { '$HOST': { connect: ['$SERVER'], anchors: 'store.pem' } } }", to: "pins.json5")
            await desk("snapshot --policy @pins.json5 -o @api.json").expect(.pass, errors: "")
        }
    }
}
