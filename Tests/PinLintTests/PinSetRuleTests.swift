import Base
import LoopbackLab
import PinFormats
import PinLint
import Pinning
import Testing

enum Hashes {
    static let a = base64(0)
    static let b = base64(32)
    static let c = base64(64)

    private static func base64(_ start: UInt8) -> String {
        SHA256Digest(bytes: (0..<32).map { start &+ 7 &* $0 })!.base64
    }
}

struct Files {
    private let contents: [(name: String, bytes: [UInt8])]
    private let directory = try! TemporaryDirectory()

    init(_ contents: (String, String)...) { self.contents = contents.map { ($0.0, Array($0.1.utf8)) } }

    init(_ contents: [(String, [UInt8])]) { self.contents = contents.map { ($0.0, $0.1) } }

    /// The findings in each file as a source of its own, or in the directory as one.
    func findings(
        asDirectory: Bool = false, at time: Int64 = LabClock.now, warningDays: Int64 = 30, clients: [LintClient] = []
    ) throws -> [Finding] {
        let paths = try contents.map { try directory.write($0.bytes, to: $0.name) }
        let linter = Linter(
            now: Timestamp(secondsSinceEpoch: time), warnBefore: .seconds(warningDays * LabClock.day), clients: clients)
        return linter.findings(in: (asDirectory ? [directory.path] : paths).map { PinSource($0).inspect() })
    }

    /// The findings as `severity id place`, with places relative to the directory.
    func lint(
        asDirectory: Bool = false, at time: Int64 = LabClock.now, warningDays: Int64 = 30, clients: [LintClient] = []
    ) throws -> [String] {
        try findings(asDirectory: asDirectory, at: time, warningDays: warningDays, clients: clients).map { finding in
            let place = "\(finding.place ?? .option)".replacing(directory.path + "/", with: "")
            return "\(finding.level) \(finding.id) \(place.replacing(directory.path, with: "."))"
        }
    }
}

extension LintClient {
    static let afnetworking = LintClient(.file(.afNetworking4), .apple)
    static let alamofire = LintClient(.file(.alamofire), .apple)
    static let trustkit = LintClient(.hash(.base64), .apple, kinds: [.trustKit])
    static let okhttp = LintClient(.hash(.okhttp), .android)
    static let curl = LintClient(.leafKey(.curl), .openssl)
}

extension LabCertificate { var hash: String { SHA256Digest(bytes: publicKeySHA256)!.base64 } }

/// What is found of pins that stand in for each other.
@Suite struct PinSetRuleTests {
    /// A file and what is found in it, `$A` and `$B` for hashes.
    @Test(arguments: [
        ("pins.txt", "sha256/$A\n", ["warning no-backup-pin pins.txt:1"]), ("pins.txt", "sha256/$A\nsha256/$B\n", []),
        ("hosts", "a.example.com sha256/$A\nb.example.com sha256/$A,sha256/$B\n", ["warning no-backup-pin hosts:1"]),
        // What another entry pins for the same host is a backup where the client takes both.
        ("hosts", "**.example.com sha256/$A\napi.example.com sha256/$B\n", ["warning no-backup-pin hosts:1"]),
        // A pin that could not be read is no pin too few, and every malformed place is named.
        ("pins.txt", "sha256/$A\nsha256/x\n", ["error wrong-length pins.txt:2"]),
        ("hosts", "a.example.com sha256/$A,sha256/x\n", ["error wrong-length hosts:1"]),
        (
            "pins.txt", "sha256/x\nsha256/$A\nsha1/QQQQQQQQQQQQQQQQQQQQQQQQQQQ=\nsha256/$A\n",
            ["error wrong-length pins.txt:1", "error wrong-algorithm pins.txt:3", "warning duplicate-pin pins.txt:4"]
        ),
        (
            "pins.txt", "sha256/$A\nsha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=\n",
            ["error placeholder-pin pins.txt:2"]
        ),
    ]) func aSetNeedsASecondKey(name: String, text: String, expected: [String]) throws {
        let pins = text.replacing("$A", with: Hashes.a).replacing("$B", with: Hashes.b).replacing("/x", with: "/AAAA")
        let files = Files((name, pins))
        #expect(try files.lint() == expected)
        let findings = try files.findings()
        #expect(findings.map { $0.isObstacle } == expected.map { $0.hasPrefix("error") && !$0.contains("placeholder") })
        if text.hasPrefix("a.example.com"), !text.contains("x\n") {
            #expect(findings.first?.subject == "a.example.com")
        }
    }

    @Test func oneKeyInTwoFormsIsOnePin() throws {
        let files = Files([
            ("a.cer", pki.interA.der), ("b.cer", pki.interAxB.der),
            ("c.txt", Array("sha256/\(pki.interA.hash)\n".utf8)),
        ])
        let expected = [
            "warning no-backup-pin .", "note certificate-mode-ends a.cer", "note same-key-twice b.cer",
            "note same-key-twice c.txt:1",
        ]
        #expect(try files.lint(asDirectory: true).sorted() == expected.sorted())
        // Named one by one they are one set as well, but for the list.
        let loose = Files([("a.cer", pki.interA.der), ("b.cer", pki.interAxB.der)])
        #expect(
            try loose.lint() == [
                "note certificate-mode-ends a.cer", "warning no-backup-pin a.cer", "note same-key-twice b.cer",
            ])
    }

    @Test func aDirectorySaysWhatItDidNotTake() throws {
        let files = Files(
            ("a.txt", "sha256/\(Hashes.a)\nsha256/\(Hashes.b)\n"), ("prose.txt", "Nothing."), ("broken.cer", "Nothing.")
        )
        #expect(try files.lint(asDirectory: true) == ["error not-a-pin broken.cer", "note not-a-pin-file prose.txt"])
    }

    @Test func aMissingSourceIsNamed() throws {
        let findings = Linter(now: .init(secondsSinceEpoch: 0), warnBefore: .seconds(0)).findings(in: [
            PinSource("/gone").inspect()
        ])
        #expect(findings.map(\.id) == ["missing-file"])
        #expect(findings.map { $0.isObstacle && $0.kind.isMissing } == [true])
        #expect(findings.map(\.place?.path) == [nil])
    }

    @Test func pinsAsArgumentsAreOneSet() throws {
        let sources = [Hashes.a, Hashes.b, Hashes.a].map { PinSource("sha256/\($0)").inspect() }
        let linter = Linter(now: .init(secondsSinceEpoch: 0), warnBefore: .seconds(0))
        #expect(
            linter.findings(in: sources).map { "\($0.id) \($0.place ?? .option)" } == ["duplicate-pin command line"])
        #expect(
            linter.findings(in: Array(sources.prefix(1))).map { "\($0.id) \($0.place ?? .option)" } == [
                "no-backup-pin command line"
            ])
    }
}
