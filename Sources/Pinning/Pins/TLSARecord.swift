/// A DANE TLSA record (RFC 6698, 2.1).
public struct TLSARecord: Sendable, Hashable {
    /// What the record says about the certificate.
    public enum Usage: UInt8, Sendable, Hashable, CaseIterable {
        /// PKIX-TA: an authority on a path that the system trusts.
        case authorityConstraint = 0
        /// PKIX-EE: the leaf of a path that the system trusts.
        case leafConstraint = 1
        /// DANE-TA: an anchor, whatever the system trusts.
        case trustAnchor = 2
        /// DANE-EE: the leaf, whatever else it says.
        case leaf = 3
    }

    /// What of the certificate is compared.
    public enum Selector: UInt8, Sendable, Hashable, CaseIterable {
        /// The whole certificate.
        case certificate = 0
        /// The SubjectPublicKeyInfo.
        case publicKey = 1
    }

    /// How it is compared.
    public enum Matching: UInt8, Sendable, Hashable, CaseIterable {
        /// Byte by byte.
        case full = 0
        /// By its SHA-256.
        case sha256 = 1
        /// By its SHA-512.
        case sha512 = 2
    }

    /// What the record says about the certificate.
    public let usage: Usage
    /// What of the certificate is compared.
    public let selector: Selector
    /// How it is compared.
    public let matching: Matching
    /// The bytes to compare with.
    public let data: [UInt8]

    /// A record, `nil` when a hash has the wrong length or there is nothing to compare.
    public init?(usage: Usage, selector: Selector, matching: Matching, data: [UInt8]) {
        let length: Int? =
            switch matching {
            case .full: nil
            case .sha256: 32
            case .sha512: 64
            }
        guard !data.isEmpty, length == nil || data.count == length else { return nil }
        self.usage = usage
        self.selector = selector
        self.matching = matching
        self.data = data
    }
}

extension TLSARecord: CustomStringConvertible {
    /// As in a zone file: `3 1 1` and the data in hexadecimal.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = String(decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        return "\(usage.rawValue) \(selector.rawValue) \(matching.rawValue) \(text)"
    }
}
