import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Chains that programs make which read along: whoever takes pins of one, or records it, is told.
@Suite(.endsSomeTime) struct StrangerPinTests {
    private static let forms = ["text", "json", "okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"]

    let host = StandardPKI.serverName
    private let words = "this looks like Charles, a TLS-intercepting proxy: the issuer has its name"

    /// Runs with a server behind Charles, whose root is in the store of this machine.
    private func serving<Value: Sendable>(
        root name: String = "Charles Proxy CA (studio.local)",
        _ body: (_ place: String, _ store: String, _ files: TemporaryDirectory) async throws -> Value
    ) async throws -> Value {
        let root = try LabCertificate.selfSigned(.authority(DistinguishedName(commonName: name)))
        let leaf = try root.issue(.leaf(host))
        return try await TemporaryDirectory.scoped { files in
            let store = try files.write(root.pem, to: "store.pem")
            _ = try files.write(leaf.pem + root.pem, to: "chain.pem")
            return try await LoopbackServer.serving(.presenting([leaf, root])) { server in
                try await body("127.0.0.1:\(server.port)", store, files)
            }
        }
    }

    @Test func aBlockOfAnInterceptorsPinsSaysSo() async throws {
        try await serving { place, store, files in
            for form in Self.forms {
                let arguments = ["pins", host, "--connect", place, "--format", form]
                let outcome = await pincheck(arguments, environment: ["SSL_CERT_FILE": store]).expect(
                    .pass, errors: "Warning: \(host):443: \(words)")
                if form != "text" { #expect(outcome.output.contains(words), "\(form): \(outcome.output)") }
                // Nobody vouches for a chain in a file.
                let file = await pincheck("pins", files.path + "/chain.pem", "--host", host, "--format", form).says(
                    errors: words)
                if form != "text" { #expect(file.output.contains(words), "\(form): \(file.output)") }
            }
            let json = await pincheck(
                ["pins", host, "--connect", place, "--format", "json"], environment: ["SSL_CERT_FILE": store])
            let warnings = try JSONValue(json.output)["results"].array[0]["warnings"].array
            #expect(warnings.compactMap { $0["id"].text } == ["interceptor"])
        }
    }

    @Test func noBlockOfAnInterceptorsPinsIsInForce() async throws {
        try await serving { place, store, files in
            for form in Self.forms where form != "text" && form != "json" {
                let arguments = ["pins", host, "--connect", place, "--format", form, "--save", files.path + "/saved"]
                let outcome = await pincheck(arguments, environment: ["SSL_CERT_FILE": store])
                let lines = outcome.output.split(separator: "\n")
                let isComment = lines.first == "<!--" && lines.last == "-->" && !lines.dropLast().contains("-->")
                #expect(isComment || lines.allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("//") }, "\(outcome.output)")
                #expect(outcome.output.contains("sha256/") || isComment)
                #expect(!outcome.errors.contains("saved: "))
            }
        }
    }

    @Test func whoeverGivesTheRootIsToldInANote() async throws {
        try await serving { place, store, _ in
            let arguments = ["pins", host, "--connect", place, "--anchors", store, "--format"]
            await pincheck(arguments + ["okhttp"]).says("// Note: \(words)", errors: "Note: \(host):443: \(words)")
            let json = await pincheck(arguments + ["json"])
            let warnings = try JSONValue(json.output)["results"].array[0]["warnings"].array
            #expect(warnings.isEmpty)
        }
    }

    @Test func aRootOfThisMachineAloneIsToldOf() async throws {
        try await serving(root: "Some Root") { place, store, _ in
            let arguments = ["pins", host, "--connect", place, "--format"]
            await pincheck(arguments + ["okhttp"], environment: ["SSL_CERT_FILE": store]).expect(
                .pass, "// WARNING: root Some Root is on no public list",
                errors: "Warning: \(host):443: root Some Root is on no public list")
            let json = await pincheck(arguments + ["json"], environment: ["SSL_CERT_FILE": store])
            let warnings = try JSONValue(json.output)["results"].array[0]["warnings"].array
            #expect(warnings.compactMap { $0["id"].text } == ["private-root"])
            await pincheck(arguments + ["okhttp", "--anchors", store]).says(errors: "", not: "WARNING")
        }
    }

    @Test func aRecommendationHasNoneOfAnInterceptorsPins() async throws {
        try await serving { place, store, _ in
            for form in Self.forms {
                let outcome = await pincheck(
                    ["pins", host, "--connect", place, "--recommend", "--format", form],
                    environment: ["SSL_CERT_FILE": store]
                ).expect(.fail, errors: words)
                if form != "text", form != "json" { #expect(outcome.output.isEmpty, "\(form): \(outcome.output)") }
            }
        }
    }

    @Test func aSnapshotOfAnInterceptorsChainIsWarnedOf() async throws {
        try await serving { place, store, files in
            let output = files.path + "/api.json"
            let unknown = await pincheck("snapshot", host, "--connect", place, "-o", output).expect(.pass)
            #expect(unknown.errors.hasPrefix("Warning: \(host): \(words)"), "\(unknown.errors)")
            let policy = try files.write(
                "{ hosts: { '\(host)': { connect: ['\(place)'], anchors: 'store.pem' } } }", to: "pins.json5")
            await pincheck("snapshot", "--policy", policy, "-o", output).expect(.pass, errors: "")
        }
        try await serving(root: "Some Root") { place, store, _ in
            await pincheck("snapshot", host, "--connect", place).says(errors: "")
            await pincheck(["snapshot", host, "--connect", place], environment: ["SSL_CERT_FILE": store]).says(
                errors: "root Some Root is on no public list", not: "--anchors")
        }
    }

    @Test func aSnapshotIsNotWrittenOverWhatAConfigurationNames() async throws {
        try await TemporaryDirectory.scoped { files in
            let root = try StandardPKI.shared().rootA.pem
            _ = try files.makeDirectory("res")
            _ = try files.makeDirectory("res/xml")
            _ = try files.makeDirectory("res/raw")
            let resource = try files.write(root, to: "res/raw/own.pem")
            _ = try files.write(
                """
                <network-security-config><domain-config><domain>a.example</domain>
                <trust-anchors><certificates src="@raw/own"/></trust-anchors></domain-config></network-security-config>
                """, to: "res/xml/network_security_config.xml")
            let policy = try files.write(
                "{ hosts: { 'a.example': { pins: 'res/xml/network_security_config.xml', connect: ['127.0.0.1:1'] } } }",
                to: "pins.json5")
            await pincheck("snapshot", "--policy", policy, "-o", resource).expect(
                .usage, errors: "is read in this run: what is written would destroy what is there")
            #expect(try String(contentsOfFile: resource, encoding: .utf8) == root)
        }
    }
}
