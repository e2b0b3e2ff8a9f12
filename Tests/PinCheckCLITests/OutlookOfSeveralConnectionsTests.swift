import LoopbackLab
import PinCheckCLI
import Testing

/// How long the verdicts on several connections to one target last: the server has the keys of all of them.
@Suite(.endsSomeTime) struct OutlookOfSeveralConnectionsTests {
    private let host = "api.example.com"
    private let authority: LabCertificate
    private let ecdsa: LabCertificate
    private let rsa: LabCertificate
    private let spare: LabCertificate

    init() throws {
        let now = LabClock.now
        authority = try .selfSigned(.authority("Root"))
        let leaf = CertificateTemplate.leaf(host).valid(from: now - LabClock.day, to: now + 80 * LabClock.day)
        ecdsa = try authority.issue(leaf)
        rsa = try authority.issue(leaf, key: try LabKey.shared(.rsa(bits: 2_048), label: "several outlooks"))
        spare = try authority.issue(leaf)
    }

    /// Checks a server that has both certificates, with each.
    private func check(_ arguments: [String]) async throws -> Outcome {
        var settings = TLSServerSettings([TLSIdentity([ecdsa]), TLSIdentity([rsa])])
        settings.application = .answers(Array("HTTP/1.1 204 Done\r\n\r\n".utf8))
        return try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(authority.pem, to: "anchors.pem")
            return try await LoopbackServer.serving(.tls(settings), address: "127.0.0.1", port: 0) { server in
                await pincheck(
                    [
                        "\(host):\(server.port)", "--connect", "127.0.0.1", "--anchors", anchors, "--pins", ecdsa.pin,
                        "--pins", rsa.pin, "--key-types", "rsa,ecdsa", "--min-pin-life", "100d",
                    ] + arguments)
            }
        }
    }

    @Test func theKeyOfAnotherConnectionIsNoBackup() async throws {
        for arguments in [[], ["--client", "okhttp,afnetworking"], ["--request", "/"]] {
            try await check(arguments).expect(
                .fail, "no configured pin is sure to match after",
                "  1 address, accepted for too short a time; consistent\n")
        }
        try await check(["--format", "json"]).says("\"id\" : \"pin-life-short\"", not: "\"backup\" : true")
    }

    @Test func aKeyThatNoConnectionShowsIsOne() async throws {
        for arguments in [[], ["--request", "/"]] {
            try await check(["--pins", spare.pin, "--format", "json"] + arguments).expect(
                .pass, "backup: pin 3\"", not: "\"has_backup\" : false")
        }
    }
}
