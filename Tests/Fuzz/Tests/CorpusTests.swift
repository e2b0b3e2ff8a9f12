import Foundation
import LoopbackLab
import Testing

/// What the fuzzer starts from and what it found to fail once, without the fuzzer.
@Suite(.timeLimit(.minutes(5))) struct CorpusTests {
    @Test("What is read holds together, and what is not is refused in one line", arguments: FuzzTarget.allCases)
    func everyFileKeepsTheProperties(target: FuzzTarget) throws {
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

    @Test("The same of each file with random damage", arguments: FuzzTarget.allCases, Seeds.sample(2))
    func everyDamagedFileKeepsTheProperties(target: FuzzTarget, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let files = try Self.files(of: target).map { Array(try Data(contentsOf: $0)) }
        let directory = try TemporaryDirectory()
        for round in 0..<50 {
            let bytes = Self.damaged(try #require(files.randomElement(using: &random)), &random)
            do throws(Violation) { try target.run(bytes, in: directory.path) } catch {
                Issue.record("seed \(seed), round \(round): \(error)")
            }
        }
    }

    /// One to four changes: a bit, a byte, a piece cut out or doubled, a piece of a notation, the rest cut off.
    private static func damaged(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let tokens = [
            "sha256/", "sha256//", "pin-sha256=\"", "\"", ";", ",", "=", "-----BEGIN ", "\u{1F512}", "\0", "\n#",
        ]
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let start = Int.random(in: bytes.indices, using: &random)
            let piece = bytes[start..<min(bytes.count, start + Int.random(in: 1...40, using: &random))]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[start] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(piece.indices)
            case 3: bytes.insert(contentsOf: piece, at: start)
            case 4: bytes.insert(contentsOf: tokens[Int.random(in: tokens.indices, using: &random)].utf8, at: start)
            default: bytes.removeSubrange(start...)
            }
        }
        return bytes
    }

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
