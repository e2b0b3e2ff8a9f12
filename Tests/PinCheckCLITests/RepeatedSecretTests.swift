import PinCheckCLI
import Testing

/// What is refused is quoted without the passwords and tokens in it.
@Suite(.endsSomeTime) struct RepeatedSecretTests {
    private static let url = "https://deploy:s3cr3t@api.example.com/"

    @Test(arguments: [
        [url], ["check", url], ["pins", url], ["snapshot", url], ["fetch", url], ["verify", url], ["diff", url],
        ["deploy:s3cr3t@api.example.com"], ["s3cr3t@api.example.com"], ["https://s3cr3t@api.example.com"],
        ["http://deploy:s3cr3t@api.example.com"], ["deploy:s3cr3t@api.example.com/a"],
        ["https://deploy:x/s3cr3t@api.example.com"], ["a.example", "--doh", url],
        ["a.example", "--doh", "deploy:s3cr3t@api.example.com/r"],
        ["a.example", "--doh", "http://api.example.com:s3cr3t@api.example.com/"],
        ["a.example", "--httpdns", "http://deploy:s3cr3t@api.example.com/d?dn={name}"],
        ["a.example", "--httpdns", "http://deploy:s3cr3t@api.example.com/d"],
        ["a.example", "--proxy", "http://deploy:s3cr3t@api.example.com:x"],
        ["a.example", "--proxy", "ftp://deploy:s3cr3t@api.example.com"],
        ["a.example", "--connect", "deploy:s3cr3t@api.example.com"],
        ["a.example", "--connect", "s3cr3t@api.example.com"], ["a.example", "--host", "deploy:s3cr3t@api.example.com"],
        ["a.example", "--sni", "deploy:s3cr3t@api.example.com"],
        ["a.example", "--resolve", "a.example:443:deploy:s3cr3t@api.example.com"], ["a.example", "--timeout", url],
        ["a.example", "--format", url], ["a.example", "--client", url], ["serve", "--allow-target", url],
        ["serve", "--allow-target", "*.deploy:s3cr3t@api.example.com"], ["serve", url], ["help", url],
        ["--unknown", url], ["devices", url],
    ]) func noPasswordBeforeAHostIsShown(arguments: [String]) async {
        for form in arguments.contains("--format") ? [[]] : [[], ["-f", "nagios"]] {
            let outcome = await pincheck(arguments + form).says(not: "s3cr3t")
            #expect(outcome.status != .pass)
        }
        let errors = await pincheck(arguments).errors
        #expect(
            errors.contains("api.example.com")
                || arguments.contains { ["help", "--unknown", "--client"].contains($0) }, "\(errors)")
    }

    @Test func listsAndPoliciesShowNoneEither() async {
        let host = "https://deploy:s3cr3t@api.example.com"
        for (option, text) in [
            ("--targets", host + "/\n"), ("--targets", "deploy:s3cr3t@api.example.com\n"),
            ("--targets", "a.example connect=deploy:s3cr3t@api.example.com\n"),
            ("--targets", "a.example proxy=ftp://deploy:s3cr3t@api.example.com\n"),
            ("--policy", "{hosts: {\"\(host)\": {}}}"),
            ("--policy", "{hosts: {\"deploy:s3cr3t@api.example.com\": {}}}"),
            ("--policy", "{hosts: {\"a.example\": {connect: \"deploy:s3cr3t@api.example.com\"}}}"),
        ] {
            await pincheck([option, "-"], input: Array(text.utf8)).expect(
                .data, errors: "api.example.com", not: "s3cr3t")
        }
    }

    @Test(arguments: [
        (
            ["fetch", "https://a.example/x", "--header", "Authorization: Bearer s3cr3t\r"],
            "the header 'Authorization' is none"
        ), (["a.example", "--header", "Authorization: Bearer s3cr3t"], "the header 'Authorization' plays no part"),
        (["fetch", "https://a.example/x", "--header", "Bearer s3cr3t"], "the header (13 characters) is none"),
        (["a.example", "--header", "Bearer s3cr3t"], "the header (13 characters) plays no part"),
        (["a.example", "--header", "Bearer s3cr3t: x"], "the header (16 characters) plays no part"),
        (["fetch", "https://a.example/x", "--header", "Range: s3cr3t"], "the header 'Range' is pincheck's own"),
    ]) func aHeaderIsNamedWithoutItsValue(arguments: [String], words: String) async {
        await pincheck(arguments).expect(.usage, errors: words, not: "s3cr3t")
    }
}
