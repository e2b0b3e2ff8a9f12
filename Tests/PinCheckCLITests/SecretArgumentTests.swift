import LoopbackLab
import PinCheckCLI
import Testing

@Suite struct SecretArgumentTests {
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
}
