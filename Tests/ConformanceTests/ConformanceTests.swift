import Foundation
import LoopbackLab
import Pinning
import Testing
import X509

@Suite(
    "Third-party suites find no disagreement that is not known",
    .enabled(if: ConformanceData.isAvailable, "\(ConformanceData.missing ?? "")")) struct ConformanceTests
{
    /// A suite, and how many of its core cases must agree at least.
    struct Mark: Sendable, CustomTestStringConvertible {
        let suite: String
        let way: ConformanceRun.Way
        let agreeing: Int

        init(_ suite: String, _ way: ConformanceRun.Way, agreeing: Int) {
            self.suite = suite
            self.way = way
            self.agreeing = agreeing
        }

        var testDescription: String { suite }
    }

    @Test(arguments: [
        Mark("limbo", .verifier, agreeing: 122), Mark("pkits", .verifier, agreeing: 87),
        Mark("bettertls-pathbuilding", .verifier, agreeing: 81), Mark("names", .commandLine, agreeing: 173),
    ]) func `the verdicts agree`(mark: Mark) async throws {
        let run = try await ConformanceRun(mark.suite, mark.way)
        print("conformance:", run.summary)
        #expect(run.unexpected.isEmpty)
        #expect(run.count(.agree) >= mark.agreeing)
    }

    @Test func `the pins a browser shipped are those of the roots they were made from`() async throws {
        struct Pins: Decodable, Sendable {
            struct Pin: Decodable, Sendable {
                let name: String
                let pin: String
                let certificate: Data

                private enum CodingKeys: String, CodingKey {
                    case name
                    case pin = "pin_sha256"
                    case certificate = "cert"
                }
            }
            let format: String
            let pins: [Pin]
        }
        let file = try await ConformanceData.decode(Pins.self, from: "spki-pins")
        #expect(file.format == "spki-pins/1")
        var agreeing = 0
        for pin in file.pins {
            let certificate = try CertificateReader.certificate(der: Array(pin.certificate))
            #expect(certificate.publicKey.spkiSHA256.base64 == pin.pin, "\(pin.name)")
            if certificate.publicKey.spkiSHA256.base64 == pin.pin { agreeing += 1 }
        }
        print("conformance: spki-pins: \(agreeing) of \(file.pins.count) agree")
        #expect(file.pins.count >= 29)
    }

    @Test(
        .enabled(if: ConformanceTests.python != nil, "there is no python3 to run the suites' own runner"),
        .enabled(if: ConformanceTests.binary != nil, "the pincheck binary is not beside the tests"))
    func `the suites' own runner agrees about the built binary`() async throws {
        let folder = ConformanceData.folder.path
        let outcome = try await Program.run(
            try #require(Self.python),
            [
                "\(folder)/pinconf.py", "run", "\(folder)/data/pkits.json.xz", "--known", "\(folder)/known/pkits.json",
                "--cmd",
                "'\(try #require(Self.binary))' verify {chain} --client generic --anchors {anchors} [--verify-name {host}] --at {at}",
            ])
        print("conformance: pinconf.py with the binary:", outcome.text.prefix { $0 != "\n" })
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    private static let python = Program.path(of: "python3")

    /// The program is built into the directory of the test runner.
    private static let binary: String? = [Bundle.main.bundlePath, ProcessInfo.processInfo.arguments[0]].flatMap {
        path in [path + "/pincheck", (path as NSString).deletingLastPathComponent + "/pincheck"]
    }.first { FileManager.default.isExecutableFile(atPath: $0) }
}
