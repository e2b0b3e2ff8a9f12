import Dispatch
import Foundation
import Pinning
import Testing
import X509

@Suite(
    "Third-party suites find no disagreement that is not known",
    .enabled(if: ConformanceData.missing == nil, "\(ConformanceData.missing ?? "")")) struct ConformanceTests
{
    /// A suite, and how many of its core cases must agree at least.
    @Test(arguments: [("limbo", 122), ("pkits", 87), ("bettertls-pathbuilding", 81), ("names", 173)])
    func theVerdictsAgree(suite: String, agreeing: Int) async throws {
        let run = try await ConformanceRun(suite)
        print("conformance:", run.summary)
        #expect(run.unexpected.isEmpty)
        #expect(run.counts["agree", default: 0] >= agreeing)
    }

    @Test func thePinsABrowserShippedAreThoseOfTheRootsTheyWereMadeFrom() async throws {
        struct Pins: Decodable, Sendable {
            struct Pin: Decodable, Sendable {
                let name: String
                let pinSha256: String
                let cert: Data
            }
            let format: String
            let pins: [Pin]
        }
        let file = try await ConformanceData.decode(Pins.self, from: "spki-pins")
        #expect(file.format == "spki-pins/1")
        for pin in file.pins {
            let certificate = try CertificateReader.certificate(der: Array(pin.cert))
            #expect(certificate.spkiSHA256.base64 == pin.pinSha256, "\(pin.name)")
        }
        #expect(file.pins.count >= 29)
    }

    @Test(
        .enabled(if: ConformanceTests.python != nil, "there is no python3 to run the suites' own runner"),
        .enabled(if: ConformanceTests.binary != nil, "the pincheck binary is not beside the tests"))
    func theSuitesOwnRunnerAgreesAboutTheBuiltBinary() async throws {
        // Of the suites the one for which names are read as users write them.
        let folder = ConformanceData.folder.path
        let cmd = "verify {chain} --client generic --anchors {anchors} [--verify-name {host}] --at {at}"
        let outcome = try await Program.run(
            "'\(try #require(Self.python))' '\(folder)/pinconf.py' run '\(folder)/data/names.json.xz' "
                + "--known '\(folder)/known/names.json' --cmd \"'\(try #require(Self.binary))' \(cmd)\" 2>&1")
        let text = String(decoding: outcome.output, as: UTF8.self)
        print("conformance: pinconf.py with the binary:", text.prefix { $0 != "\n" })
        #expect(outcome.status == 0, "\(text)")
    }

    private static let python = Program.path(of: "python3")

    /// The program is built into the directory of the test runner.
    private static let binary: String? = [Bundle.main.bundlePath, ProcessInfo.processInfo.arguments[0]].flatMap {
        path in [path + "/pincheck", (path as NSString).deletingLastPathComponent + "/pincheck"]
    }.first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Runs lines of the shell; by popen, because Foundation's Process leaks.
enum Program {
    static func path(of name: String) -> String? {
        let directories = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return directories.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    static func run(_ line: String) async throws -> (status: Int32, output: [UInt8]) {
        // On a thread of its own, because it blocks.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        let pipe = try #require(popen(line, "r"))
                        var (output, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
                        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
                            output += buffer.prefix(count)
                        }
                        // An exit status is in the second byte.
                        return (pclose(pipe) >> 8, output)
                    })
            }
        }
    }
}
