import LoopbackLab
import PinCheckCLI
import Testing

/// What is misspelt in an app's configuration, which the device passes over without a word, is said.
@Suite(.endsSomeTime) struct ConfigurationTypoTests {
    private func lint(_ text: String, _ name: String) async throws -> String {
        try await TemporaryDirectory.scoped { files in
            await pincheck("lint", try files.write(text, to: name), "-f", "json").output
        }
    }

    @Test(arguments: [
        ("<pinset><pin digest=\"SHA-256\">x</pin></pinset>", "<pinset> in <domain-config>"),
        ("<trust-anchor/>", "<trust-anchor> in <domain-config>"),
        ("<pin-set expires=\"2030-01-01\"/>", "the attribute 'expires' of <pin-set>"),
        ("<trust-anchors><certificate src=\"system\"/></trust-anchors>", "<certificate> in <trust-anchors>"),
        (
            "<trust-anchors><certificates src=\"system\" overridePin=\"true\"/></trust-anchors>",
            "the attribute 'overridePin' of <certificates>"
        ), ("<domain includeSubdomain=\"true\">b.example</domain>", "'includeSubdomain' of <domain>"),
        ("<domain android:includeSubdomains=\"true\">b.example</domain>", "'android:includeSubdomains' of <domain>"),
        ("<certificateTransparancy enabled=\"true\"/>", "<certificateTransparancy> in <domain-config>"),
    ]) func whatAndroidPassesOverIsNamed(content: String, words: String) async throws {
        let output = try await lint(
            """
            <network-security-config xmlns:android="a"><domain-config><domain>a.example</domain>
            \(content)
            </domain-config></network-security-config>
            """, "network_security_config.xml")
        let found = try JSONValue(output)["findings"].array.filter { $0["id"].text == "unknown-key" }
        #expect(found.count == 1 && found[0]["line"].number == 2, "\(output)")
        #expect(found.first?["message"].text?.contains(words) == true, "\(output)")
    }

    @Test func whatAndroidReadsIsNotNamed() async throws {
        let output = try await lint(
            """
            <network-security-config xmlns:tools="http://schemas.android.com/tools" tools:ignore="x">
            <base-config cleartextTrafficPermitted="false"><trust-anchors><certificates src="system"/></trust-anchors>
            <certificateTransparency enabled="true"/></base-config>
            <domain-config><domain includeSubdomains="true">a.example</domain><pin-set expiration="2099-01-01">
            <pin digest="SHA-256">AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=</pin></pin-set>
            <trustkit-config enforcePinning="true"><report-uri>https://a.example</report-uri></trustkit-config>
            </domain-config><debug-overrides><trust-anchors><certificates src="user"/></trust-anchors></debug-overrides>
            </network-security-config>
            """, "network_security_config.xml")
        let ids = try JSONValue(output)["findings"].array.compactMap { $0["id"].text }
        #expect(!ids.isEmpty && !ids.contains("unknown-key"), "\(output)")
    }

    @Test func oneUnknownElementIsNotedOnce() async throws {
        for text in [
            "<network-security-config><domain-confg/></network-security-config>",
            "<network-security-config><base-config><trust-anchors><pin-set/></trust-anchors></base-config>"
                + "</network-security-config>",
        ] {
            let output = try await lint(text, "network_security_config.xml")
            let ids = try JSONValue(output)["findings"].array.compactMap { $0["id"].text }
            #expect(ids.filter { ["unknown-key", "not-followed"].contains($0) } == ["unknown-key"], "\(output)")
        }
    }
}
