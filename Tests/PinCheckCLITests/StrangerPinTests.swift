import LoopbackLab
import PinCheckCLI
import Testing

/// Chains that programs make which read along: whoever takes pins of one, or records it, is told.
@Suite(.endsSomeTime) struct StrangerPinTests {
    private static let forms = ["text", "json", "okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"]
    private let host = StandardPKI.serverName
    private let words = "this looks like Charles, a TLS-intercepting proxy: the issuer has its name"
    private let installed = ["SSL_CERT_FILE": "$DIR/store.pem"]

    /// Runs with a server behind Charles, whose root can be in the store of this machine.
    private func serving(root name: String = "Charles Proxy CA (studio.local)", _ body: (Desk) async throws -> Void)
        async throws
    {
        let root = try LabCertificate.selfSigned(.authority(DistinguishedName(commonName: name)))
        let leaf = try root.issue(.leaf(host))
        let texts = ["store.pem": root.pem, "chain.pem": leaf.pem + root.pem]
        try await Desk.serving(.presenting([leaf, root]), texts) { desk, _ in try await body(desk) }
    }

    private func warnings(_ outcome: Outcome) throws -> [String] {
        try JSONValue(outcome.output)["results"][0]["warnings"].array.compactMap { $0["id"].text }
    }

    @Test func aBlockOfAnInterceptorsPinsSaysSo() async throws {
        try await serving { desk in
            for form in Self.forms {
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
                // A recommendation has none of an interceptor's pins.
                let advice = await desk("pins $HOST --connect $SERVER --recommend -f \(form)", environment: installed)
                    .expect(.fail, errors: words)
                if form != "text", form != "json" { advice.says("") }
            }
            let found = try await warnings(desk("pins $HOST --connect $SERVER -f json", environment: installed))
            #expect(found == ["interceptor"])
            // Whoever gives the root is told in a note.
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
            // And whoever records it.
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

    @Test func aSnapshotIsNotWrittenOverWhatAConfigurationNames() async throws {
        let root = try StandardPKI.shared().rootA.pem
        let texts = [
            "res/raw/own.pem": root,
            "res/xml/network_security_config.xml": """
            <network-security-config><domain-config><domain>a.example</domain>
            <trust-anchors><certificates src="@raw/own"/></trust-anchors></domain-config></network-security-config>
            """,
            "pins.json5":
                "{ hosts: { 'a.example': { pins: 'res/xml/network_security_config.xml', connect: ['127.0.0.1:1'] } } }",
        ]
        try await Desk.open(texts) { desk in
            await desk("snapshot --policy @pins.json5 -o @res/raw/own.pem").expect(
                .usage, errors: "is read in this run: what is written would destroy what is there")
            let kept = try contents(ofFile: desk.files.path + "/res/raw/own.pem")
            #expect(kept == root)
        }
    }
}
