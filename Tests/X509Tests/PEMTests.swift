import LoopbackLab
import Testing
import X509

@Suite("PEM is read alike in every form it is written in") struct PEMTests {
    private static func blocks(_ text: String) throws -> [[UInt8]] { try PEM.blocks(in: Array(text.utf8)).map(\.der) }

    @Test(
        "a block of any length reads the same in lines of 64, with CRLF, in short lines, without a last line break",
        arguments: [1, 2, 3, 47, 48, 49, 95, 96, 97, 144, 1_000]) func lineForms(length: Int) throws
    {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37) }
        let text = pem(bytes, label: "CERTIFICATE")
        #expect(try Self.blocks(text) == [bytes])
        #expect(try Self.blocks(text + text) == [bytes, bytes])
        #expect(try Self.blocks("note\n" + text + "note\n" + text + "note") == [bytes, bytes])
        #expect(try Self.blocks(text.split(separator: "\n").joined(separator: "\r\n") + "\r\n") == [bytes])
        #expect(try Self.blocks(String(text.dropLast())) == [bytes])
        let lines = text.split(separator: "\n")
        let body = Array(lines.dropFirst().dropLast().joined())
        let short = stride(from: 0, to: body.count, by: 32).map { String(body[$0..<min($0 + 32, body.count)]) }
        #expect(
            try Self.blocks(
                ([String(lines[0])] + short + [String(lines[lines.count - 1])]).joined(separator: "\n") + "\n") == [
                    bytes
                ])
    }

    @Test(
        "a block that is cut off, ends otherwise than it began or holds other characters is an error with its line",
        arguments: [
            ("-----END CERTIFICATE-----", ""), ("-----END CERTIFICATE-----", "-----END CERTIFICATES-----"),
            ("-----END CERTIFICATE-----", "-----END X509 CRL-----"), ("AAAA", "AA!A"), ("AAAA", "A=AA"),
        ]) func damage(part: String, replacement: String) throws
    {
        let text = pem([UInt8](repeating: 0, count: 100), label: "CERTIFICATE")
        let start = try #require(text.firstRange(of: part))
        let damaged = text.replacingCharacters(in: start, with: replacement)
        let error = #expect(throws: X509Error.self) { try Self.blocks("\n" + damaged) }
        #expect(error?.problem == .brokenPEM)
        #expect(error?.line == 2)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
