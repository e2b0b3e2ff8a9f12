import Base
package import Pinning

/// A hash that no key in use has, in place of a pin to come: a pattern, or a sample of a client's documentation.
package struct Placeholder {
    package let words: String

    /// Recognizes a sample, or a pattern that a key's hash has with a chance below 10⁻¹²; `nil` if it is neither.
    package init?(_ digest: SHA256Digest) {
        if let owner = Self.samples[digest.base64] {
            words = "is the sample of \(owner) documentation"
        } else if let pattern = Self.pattern(of: digest) {
            words = "is a placeholder (\(pattern)): no key has this hash"
        } else {
            return nil
        }
    }

    private static func pattern(of digest: SHA256Digest) -> String? {
        let bytes = digest.bytes
        if bytes.allSatisfy({ $0 == bytes[0] }) { return bytes[0] == 0 ? "one letter repeated" : "one byte repeated" }
        let step = bytes[1] &- bytes[0]
        // A pair of sequences is a type made at run time, which costs a check 0.2 M instructions.
        if step == 1 || step == 255, bytes.indices.dropFirst().allSatisfy({ bytes[$0] &- bytes[$0 - 1] == step }) {
            return "bytes that count"
        }
        // The 43rd letter of base64 has only four bits.
        let letters = (0..<42).map { index in
            let (first, shift) = (index * 6 / 8, index * 6 % 8)
            let pair = UInt16(bytes[first]) << 8 | UInt16(first < 31 ? bytes[first + 1] : 0)
            return UInt8(pair >> (10 - UInt16(shift)) & 63)
        }
        let kinds = letters.reduce(into: UInt64(0)) { $0 |= 1 << UInt64($1) }.nonzeroBitCount
        if kinds < 12 { return kinds == 1 ? "one letter repeated" : "few letters repeated" }
        let isAlphabet = letters.indices.dropFirst().allSatisfy { (letters[$0] &- letters[$0 - 1]) & 63 == 1 }
        return isAlphabet ? "the letters of the alphabet" : nil
    }

    /// Sample pins of the clients' documentation, read on 2026-11-28; OkHttp's `HXXQgxue…` is a public root's key.
    private static let samples = [
        "7HIpactkIAq2Y49orFOOQKurWxmmSFZhBCoQYcRhJ3Y=": "Android's",
        "fwza0LRMXouZHRC8Ei+4PyuldPDcf3UKgO/04cDM1oE=": "Android's",
        "afwiKY3RxoMmLkuRW1l7QsPZTJPwDS2pdDROQjXw8ig=": "OkHttp's",
        "i9HaIScvf6T/skE3/A7QOq5n5cTYs8UHNOEFCnkguSI=": "Apple's",
        "TQEtdMbmwFgYUifM4LDF+xgEtd0z69mPGmkp014d6ZY=": "TrustKit's",
        "rFjc3wG7lTZe43zeYTvPq8k4xdDEutCmIhI5dn4oCeE=": "TrustKit's",
        "0SDf3cRToyZJaMsoS17oF72VMavLxj/N7WBNasNuiR8=": "TrustKit's",
    ]
}
