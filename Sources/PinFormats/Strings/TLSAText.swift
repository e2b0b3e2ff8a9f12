internal import Base
internal import Pinning

/// TLSA records, as zone files, `dig` and people write them: no app compares them.
enum TLSAText {
    /// What there is to say of a line with such a record, `nil` for any other.
    static func refusal(_ line: Substring, at place: PinPlace) -> Problem? {
        let words = line.split { $0.isWhitespace || $0 == "(" || $0 == ")" }
        let type = words.firstIndex { ["TLSA", "TYPE52"].contains($0.uppercased()) }
        let data = words[(type.map { $0 + 1 } ?? 0)...]
        let isNumbered = data.prefix(3).allSatisfy {
            $0.utf8.count < 4 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        let digits = data.dropFirst(3).reduce("") { $0 + $1 }
        if type == nil {
            guard isNumbered, !digits.isEmpty, digits.utf8.allSatisfy(PinString.isHexDigit) else { return nil }
        } else {
            guard isNumbered || data.first == "\\#" else { return nil }
        }
        return Problem(
            .notation, at: place, "a TLSA record is no pin that an app compares",
            remedy: "give the key's hash, " + (pin(data.prefix(3).map { Int($0) }, digits) ?? "sha256/…"))
    }

    /// The pin of a record with the SHA-256 of a key.
    private static func pin(_ numbers: [Int?], _ digits: String) -> String? {
        let values = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard numbers.count == 3, numbers[1...] == [1, 1], values.count == digits.utf8.count, values.count == 64 else {
            return nil
        }
        let bytes = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
        return SHA256Digest(bytes: bytes).map { "sha256/\($0.base64)" }
    }
}
