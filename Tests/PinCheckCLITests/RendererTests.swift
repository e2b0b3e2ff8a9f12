import Base
import LoopbackLab
import PinFormats
public import Pinning
import Testing
import X509

@testable import PinCheckCLI
@testable import PinChecking
@testable import TLSProbe

extension Timestamp: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self = try! TimeText.read(text) }
}

extension Report {
    mutating func change(_ edit: (inout CheckResult) -> Void) {
        edit(&result)
        result = result.withEnding()
    }

    mutating func end(_ outcome: PinChecking.Outcome, _ reason: Reason) {
        change { $0.verdict = Ending(outcome, reason) }
    }
}

@Suite(.endsSomeTime) struct RendererTests {
    static func certificate(
        _ index: Int = 0, _ subject: String = "CN=api.example.com", key: String = "EC P-256",
        from start: Timestamp = "2026-01-01T00:00:00Z", to end: Timestamp = "2027-01-01T00:00:00Z",
        pin: String = leafPin, fingerprint: UInt8? = nil
    ) -> Report.Link {
        let key = PublicKey(
            subjectPublicKeyInfo: [], spkiSHA256: try! HashText.okHttp(pin, at: .option).spkiSHA256,
            algorithm: .unknown(name: key))
        let certificate = Certificate(
            der: [], fingerprint: SHA256Digest(bytes: Array(repeating: fingerprint ?? UInt8(index), count: 32))!,
            publicKey: key, subject: subject, issuer: "CN=Example Root",
            commonName: subject.hasPrefix("CN=") ? String(subject.dropFirst(3)) : nil, serialNumber: "0A",
            notBefore: start, notAfter: end, names: index == 0 ? [.dns("api.example.com"), .dns("203.0.113.7")] : [],
            signatureAlgorithm: "")
        return Report.Link(
            certificate: certificate, index: index, role: ["leaf", "root", "root"][index], time: "2026-10-04T00:00:00Z")
    }

    static let leafPin = "sha256/NSQoeTIWAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQGfk="
    static let rootPin = "sha256/hIEayVYDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAw/M="
    private static let otherPin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// A pinned pass: the example of the manual.
    static func passing() -> Report {
        var leaf = certificate()
        var root = certificate(1, "CN=Example Root", key: "EC P-384", to: "2036-10-01T00:00:00Z", pin: rootPin)
        (leaf.source, leaf.pins, root.source) = ("presented", [0], "system")
        let reason = Reason("pin-matched", "public key pin matched at depth 0")
        let result = CheckResult(
            target: "api.example.com:443", endpoint: endpoint(), referenceName: ReferenceName("api.example.com"),
            time: "2026-10-04T00:00:00Z", policy: nil, verdict: Ending(.accepted, reason),
            findings: [.warning(.leafOnly, "take care")]
        ).withEnding()
        return Report(
            result: result, tls: handshake(), isOfAnotherTime: false, presented: [certificate()], built: [leaf, root],
            builtIsValid: true, otherPaths: [],
            pins: [pin(leafPin, from: "--pins"), pin(otherPin, from: "Pins/next.txt")],
            matches: [MatchedPin(pinIndex: 0, depth: 0, clients: ["afnetworking"])],
            clients: [
                Report.Client(
                    name: "afnetworking", verdict: .accept, reason: reason, disposition: "useCredential",
                    settings: [
                        ("mode", .text("public-key")), ("allowInvalidCertificates", .flag(false)),
                        ("validatesDomainName", .flag(true)),
                    ], trace: [TraceStep(number: 1, id: "pins", status: .pass, detail: "pin 1 matches the leaf")])
            ])
    }

    static func endpoint(
        _ address: String = "203.0.113.7", sni: String = "api.example.com", resolved: String? = "api.example.com"
    ) -> EndpointFacts {
        EndpointFacts(
            address: IPAddress(address).map(ServerName.ip), port: 443, resolvedName: resolved, serverName: sni,
            host: "api.example.com")
    }

    static func handshake(_ cipher: String = "TLS_AES_256_GCM_SHA384") -> Handshake {
        let leaf = try! CertificateReader.certificate(der: pki.leaf.der)
        return Handshake(
            facts: ConnectionFacts(
                .tls13, (0x1302, cipher), group: (0x001D, "X25519"), signature: (0x0403, "ecdsa_secp256r1_sha256")),
            presented: PresentedChain([leaf])!,
            timings: ProbeTimings(
                resolve: nil, connect: .microseconds(1_250), proxy: nil, handshake: .microseconds(3_500)))
    }

    static func answer(_ statusLine: String) throws -> CheckedAnswer {
        let request = HTTPRequest(try HTTPLocation("https://api.example.com/health"))
        return CheckedAnswer(
            exchange: CheckExchange(request, expecting: nil),
            result: .success(HTTPResponse(status: 200, statusLine: statusLine, time: .microseconds(1_500))))
    }

    static func pin(_ text: String, from origin: String) -> Pin {
        Pin(.publicKey(try! HashText.okHttp(text, at: .option).spkiSHA256), at: .named(origin))
    }

    static func failing() -> Report {
        var report = passing()
        report.built[0].pins = []
        report.matches = []
        report.end(.rejected, Reason("pin-mismatch", "no configured pin is on the chain"))
        return report
    }

    private func text(_ report: Report, explains: Bool = false, colored: Bool = false) -> String {
        let style = TextStyle(colored ? .always : .never, isTerminal: false, environment: [:])
        return TextRenderer(style: style, explains: explains).block(report)
    }

    @Test func daysAreCountedBetweenAnyMoments() {
        let ends = [Int64.min, -1, 0, 1, 86_399, 86_400, .max].map { Timestamp(secondsSinceEpoch: $0) }
        for start in ends {
            for end in ends {
                let days = start.wholeDays(to: end)
                #expect((days < 0) == (end < start))
            }
        }
        #expect(ends[5].wholeDays(to: ends[1]) == -2)
        #expect(Self.certificate(from: "2026-10-05T00:00:01Z").daysUntilValid == 2)
    }

    @Test func datesThatDoNotHoldAreWords() throws {
        var report = Self.passing()
        report.built[0].certificate = Self.certificate(to: "2026-10-03T00:00:00Z").certificate
        let root = Self.certificate(1, "", key: "EC P-384", from: "2026-10-07T00:00:00Z", pin: Self.rootPin)
        report.built[1].certificate = root.certificate
        let lines = text(report).split(separator: "\n")
        try #require(lines.count > 2)
        #expect(lines[1].contains("EC P-256 expired  NSQo"))
        #expect(lines[2].contains("(no subject, serial 0A) (system)  EC P-384 not yet  hIEa"))
    }

    @Test func coloursTheTokenAndTheArrowOnly() {
        let colored = text(Self.passing(), colored: true)
        #expect(colored.contains("\u{1B}[1;32mPASS\u{1B}[0m  api.example.com:443"))
        #expect(colored.contains("\u{1B}[32m← pin 1\u{1B}[0m"))
        let plain = ["32", "1;32", "0"].reduce(colored) { $0.replacing("\u{1B}[\($1)m", with: "") }
        #expect(plain == text(Self.passing()))
    }

    @Test func hostileTextIsShortenedAndEscapedEverywhere() {
        let evil = "\u{1B}[2J\u{202E}\n\0" + String(repeating: "x", count: 5_000)
        var report = MachineFormatTests.hostile(evil)
        report.presented[0] = Self.certificate(fingerprint: 9)
        let shown = text(report, explains: true)
        #expect(isPlain(shown))
        #expect(shown.split(separator: "\n").allSatisfy { $0.count < 1_200 })
    }
}
