import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite(.timeLimit(.minutes(5))) struct UnreadableSourceTests {
    @Test func aPipeIntoWhichNobodyWritesIsNotWaitedForForEver() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pins.pem"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try failure(path).description == "\(path): is a pipe without a writer")
        // In a directory its name promises a pin.
        let error = try failure(directory.path)
        #expect(error.problem == .notARegularFile)
        #expect(error.kind == .missing)
        #expect(
            error.description
                == "\(path): is a pipe, a socket or a device and not a file; save what it gives to a file first")
        try #require(rename(path, directory.path + "/pipe") == 0)
        #expect(try failure(directory.path).problem == .noPinsInDirectory)
    }

    @Test func aPipeThatTheUserNamesIsRead() throws {
        // What a shell makes of <(…).
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = "sha256/\(first.base64)\n"
        try #require(write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        #expect(try hashes("/dev/fd/\(ends[0])") == [first])
    }

    @Test(arguments: ["/dev/zero", "/dev/null", "/dev/tty"]) func aDeviceIsRefused(path: String) throws {
        #expect(try failure(path).problem == .notARegularFile)
    }

    @Test func aLinkToItselfCannotBeRead() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/loop.pem"
        try #require(symlink(path, path) == 0)
        let error = try failure(path)
        #expect(error.problem == .unreadable)
        #expect(error.kind == .missing)
        #expect(error.description.hasPrefix("\(path): cannot be read: "))
        #expect(try failure(directory.path).kind == .missing)
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything")) func aFileWithoutPermissionCannotBeRead() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("sha256/", to: "pins.txt")
        try #require(chmod(path, 0) == 0)
        #expect(try failure(path).problem == .unreadable)
        #expect(try failure(directory.path).problem == .unreadable)
    }

    @Test func aFileLargerThanAnyPinFileIsRefusedWithoutReadingIt() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("sha256/", to: "pins.txt")
        try #require(truncate(path, 1 << 40) == 0)
        let error = try failure(path)
        #expect(error.problem == .tooLarge)
        #expect(error.kind == .malformed)
        #expect(error.description == "\(path): has more than 16 MiB, and nothing that is read is that large")
    }

    @Test func textTooLongForAListOfPinsIsNotSearchedForThem() throws {
        let error = try failure(ofFile: "pins.txt", [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) + 1))
        #expect(error.problem == .tooLarge)
        #expect(error.reason == "text of more than 1 MiB without a certificate, no list of pins is that large")
    }
}

/// Random damage to valid sources: whatever comes of it, it comes as pins or as an error of one line.
@Suite(.timeLimit(.minutes(5))) struct MutatedSourceTests {
    @Test(arguments: Seeds.sample(3)) func damagedSourcesAreReadOrRefused(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let originals = try Self.originals()
        let directory = try TemporaryDirectory()
        for round in 0..<250 {
            let original = originals[Int.random(in: originals.indices, using: &random)]
            let bytes = Self.damaged(original, &random)
            let path = try directory.write(bytes, to: "source")
            check(outcome(path), round)
            check(outcome(String(decoding: bytes.prefix(4096).filter { $0 != 0 }, as: UTF8.self)), round)
        }
    }

    private func check(_ outcome: Result<PinReading, PinFormatError>, _ round: Int) {
        switch outcome {
        case .success(let reading): #expect(!reading.pins.isEmpty || !reading.configurations.isEmpty)
        case .failure(let error):
            #expect(!error.description.contains { $0.isNewline }, "round \(round)")
            #expect(error.description.count < 1_000)
        }
    }

    private static func originals() throws -> [[UInt8]] {
        let pki = try StandardPKI.shared()
        let a = first.base64
        let b = second.base64
        return [
            pki.leaf.der, Array(pki.leaf.pem.utf8), Array((pki.leaf.pem + "junk\n" + pki.rootA.pem).utf8),
            pki.leaf.key.publicKeyInfo, Array(pki.leaf.key.publicKeyPEM.utf8),
            Array("# pins\nsha256/\(a)\n\(b) # bare\n".utf8), Array("sha256//\(a);sha256//\(b)".utf8),
            Array("pin-sha256=\"\(a)\"; pin-sha256=\"\(b)\"; max-age=1; includeSubDomains".utf8),
            Array(first.hexadecimal.utf8),
        ]
    }

    /// One to four changes: a bit, a byte, a piece cut out, doubled, or replaced by text of the notations.
    static func damaged(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let tokens = [
            "sha256/", "sha256//", "pin-sha256=\"", "\"", ";", ",", "=", "-----BEGIN ", "\u{1F512}", "\0", "\n#",
        ]
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let position = Int.random(in: bytes.indices, using: &random)
            let end = min(bytes.count, position + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(position..<end)
            case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 4: bytes.insert(contentsOf: tokens[Int.random(in: tokens.indices, using: &random)].utf8, at: position)
            default: bytes = Array(bytes.prefix(position))
            }
        }
        return bytes
    }
}
