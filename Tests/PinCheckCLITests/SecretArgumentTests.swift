import LoopbackLab
import PinCheckCLI
import Testing

@Suite(.endsSomeTime) struct SecretArgumentTests {
    /// A key whose text the parser would take for an option, and the ways a shell hands it over.
    @Test func aPrivateKeyAmongTheArgumentsIsRefusedAndNeverShown() async throws {
        let key = try LabKey.shared(.p256, label: "arguments").privateKeyPEM()
        let body = key.split(separator: "\n").dropFirst().dropLast().joined()
        for text in [
            key, key.replacing("\n", with: ""), key.replacing("\n", with: "\r\n"), key.replacing("\n", with: "\n  "),
            key.lowercased(), try StandardPKI.shared().leaf.pem + key,
            key.replacing("PRIVATE KEY", with: "EC PRIVATE KEY"),
        ] {
            for arguments in [["host", "--pins", text], ["host", "--pins=" + text], [text], ["host", "--sni", text]] {
                let outcome = await pincheck(arguments)
                #expect(outcome.status == .data)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.hasPrefix("Error: an argument is a private key; it was not used"))
                #expect(!outcome.errors.lowercased().contains(body.prefix(8).lowercased()))
                #expect(!outcome.errors.lowercased().contains(body.suffix(8).lowercased()))
            }
        }
    }

    @Test func aNameThatSpeaksOfPrivateKeysIsNoKey() async {
        let name = "/nonexistent/directory/with/a-private-key--and-more.pem"
        let outcome = await pincheck("host", "--pins", name)
        #expect(outcome.status == .noInput)
        #expect(outcome.errors.contains(name))
    }

    @Test func whatTheParserQuotesIsCutShort() async {
        let outcome = await pincheck("host", "--pins", "--" + String(repeating: "QUJD", count: 1_000))
        #expect(outcome.status == .usage)
        #expect(outcome.errors.count < 1_000)
    }

    @Test func aLineOfAPrivateKeyWithoutItsArmourIsNeverShown() async throws {
        let key = try LabKey.shared(.p256, label: "arguments").privateKeyPEM()
        let line = String(key.split(separator: "\n")[1])
        try await TemporaryDirectory.scoped { files in
            let list = try files.write(line + "\n", to: "list")
            let policy = try files.write("{ hosts: { '\(line)': {} } }", to: "policy.json5")
            for arguments in [
                [line], ["https://\(line)"], ["\(line):443"], ["--targets", list], ["--policy", policy],
                ["pins", line],
                ["snapshot", line], ["diff", line], ["verify", line], ["lint", line], ["schema", line],
                ["127.0.0.1:1", "--timeout", "1", "--sni", line], ["127.0.0.1:1", "--timeout", "1", "--host", line],
                ["127.0.0.1:1", "--timeout", "1", "--connect", line], ["127.0.0.1:1", "--client", line],
                ["127.0.0.1:1", "--anchors", line], ["127.0.0.1:1", "--timeout", line], ["127.0.0.1:1", "--at", line],
                ["127.0.0.1:1", "--verify-name", line, "--timeout", line], ["clients", line],
            ] {
                for form in [[], ["-f", "nagios"]] {
                    let outcome = await pincheck(arguments + form)
                    #expect(outcome.status != .pass)
                    let text = (outcome.output + outcome.errors).lowercased()
                    #expect(!text.contains(line.prefix(24).lowercased()), "\(arguments)")
                    #expect(!text.contains(line.suffix(24).lowercased()), "\(arguments)")
                }
            }
            #expect(await pincheck(line).status == .usage)
            #expect(await pincheck("--targets", list).status == .data)
        }
    }
}
