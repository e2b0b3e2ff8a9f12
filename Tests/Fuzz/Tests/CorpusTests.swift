import Foundation
import LoopbackLab
import Testing

/// What the fuzzer starts from and what it found to fail once, without the fuzzer.
@Suite(.timeLimit(.minutes(5))) struct CorpusTests {
    @Test(arguments: FuzzTarget.allCases) func everyFileKeepsTheProperties(target: FuzzTarget) throws {
        let files = try Self.files(of: target)
        #expect(!files.isEmpty)
        for file in files {
            let bytes = Array(try Data(contentsOf: file))
            let directory = try TemporaryDirectory()
            do throws(Violation) { try target.run(bytes, in: directory.path) } catch {
                Issue.record("\(file.lastPathComponent): \(error)")
            }
        }
    }

    @Test(arguments: FuzzTarget.allCases, Seeds.sample(2)) func everyDamagedFileKeepsTheProperties(
        target: FuzzTarget, seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let files = try Self.files(of: target).map { Array(try Data(contentsOf: $0)) }
        let directory = try TemporaryDirectory()
        for round in 0..<50 {
            let file = try #require(files.randomElement(using: &random))
            let bytes = file.damaged(texts: Self.notations, using: &random)
            do throws(Violation) { try target.run(bytes, in: directory.path) } catch {
                Issue.record("seed \(seed), round \(round): \(error)")
            }
        }
    }

    private static let notations = [
        "sha256/", "sha256//", "pin-sha256=\"", "\"", ";", ",", "=", "-----BEGIN ", "\u{1F512}", "\0", "\n#",
    ]

    private static func files(of target: FuzzTarget) throws -> [URL] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try ["Corpus", "FailCases"].flatMap { kind in
            let directory = root.appending(path: "\(kind)/\(target.rawValue)")
            guard FileManager.default.fileExists(atPath: directory.path) else { return [URL]() }
            return try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil).sorted {
                $0.path < $1.path
            }
        }
    }
}
