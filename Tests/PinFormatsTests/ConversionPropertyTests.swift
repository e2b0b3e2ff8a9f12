import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Whatever hosts a configuration names, another format pins them to the same keys, or says whose are others.
@Suite struct ConversionPropertyTests {
    static let formats: [PinBlockFormat] = [.okhttp, .trustkit, .nspinned, .android]
    private static let names = [
        "example.com", "sub.example.com", "api.example.com", "x.sub.example.com", "y.x.sub.example.com",
    ]

    private struct Suffixes: PublicSuffixList { func publicSuffix(of host: String) -> String? { "com" } }

    private func read(_ text: String) throws -> PinReading {
        try TemporaryDirectory.scoped { try PinSource($0.write(text, to: "source")).read() }
    }

    private func converted(_ reading: PinReading, to format: PinBlockFormat) throws -> (PinReading, [String]) {
        let conversion = PinConversion(PinGroup.groups(of: reading, host: nil), to: format, suffixes: Suffixes())
        // What it says of rules that are TrustKit's own is no word on pins.
        let hosts = conversion.losses.filter { !$0.text.hasPrefix("TrustKit throws") }.map { $0.host ?? "com" }
        return (try read(format.block(conversion.groups)), hosts)
    }

    private func pins(_ reading: PinReading, of name: String) throws -> Set<SHA256Digest> {
        let host = try ServerName(name)
        let found = reading.configurations.compactMap { $0.policy(for: host, suffixes: Suffixes())?.pins }
        return Set(found.flatMap(\.pins).map(\.spkiSHA256))
    }

    private func source(_ generator: inout SeededGenerator) -> String {
        var lines: [String] = []
        for (index, name) in Self.names.dropLast().enumerated() where Bool.random(using: &generator) || index == 0 {
            let prefix = ["", "*.", "**."].randomElement(using: &generator) ?? ""
            let own = digest(from: UInt8(index * 40 + 1)).base64
            lines.append("\(prefix)\(name) sha256/\(own) sha256/\(digest(from: UInt8(index * 40 + 2)).base64)")
        }
        return lines.joined(separator: "\n")
    }

    @Test(arguments: Seeds.sample(4)) func noHostGainsOrLosesAPinWithoutAWord(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for from in Self.formats {
            for to in Self.formats { for _ in 0..<2 { try convert(source(&generator), from: from, to: to) } }
        }
    }

    private func convert(_ text: String, from: PinBlockFormat, to: PinBlockFormat) throws {
        let (start, _) = try converted(try read(text), to: from)
        let (end, warned) = try converted(start, to: to)
        for name in Self.names where !warned.contains(where: { name == $0 || name.hasSuffix("." + $0) }) {
            #expect(try pins(start, of: name) == pins(end, of: name), "\(name) of \(text), from \(from) to \(to)")
        }
    }

    @Test func aPinForASubdomainItselfIsNotGivenToTheNamesBelowIt() throws {
        let list = """
            *.example.com sha256/\(digest(from: 1).base64) sha256/\(digest(from: 2).base64)
            *.sub.example.com sha256/\(digest(from: 3).base64) sha256/\(digest(from: 4).base64)
            """
        let (end, warned) = try converted(try read(list), to: .android)
        #expect(try pins(end, of: "x.sub.example.com") == [digest(from: 3), digest(from: 4)])
        #expect(warned.contains("sub.example.com"))
    }
}
