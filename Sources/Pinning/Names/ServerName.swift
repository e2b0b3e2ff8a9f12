internal import Base

/// A reference name: the name the certificate must be valid for, in the one form that is safe to compare.
///
/// OpenSSL skips the check for an empty name, stops at a NUL, reads a leading dot as "any subdomain", never matches a trailing
/// dot and takes an address for a name. A value of this type has none of those problems.
public enum ServerName: Sendable, Hashable {
    /// A host name: lower-case ASCII labels joined by dots, without a trailing dot.
    case dns(String)
    /// An address, which only an iPAddress entry of a certificate can match.
    case ip(IPAddress)

    /// Reads a host name or an address (an IPv6 address may be in brackets).
    ///
    /// - Throws: ``ServerNameError``, which quotes the text and says what to write.
    public init(_ text: some StringProtocol) throws(ServerNameError) {
        let text = String(text)
        // Whatever else it may be, text of that length is not gone through character by character.
        guard text.utf8.count <= Self.longestText else { throw ServerNameError(text: text, problem: .tooLong) }
        // Byte by byte: a list has a million names, and a character costs many times as much.
        let bytes = Array(text.utf8)
        let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        if let address = IPAddress(isBracketed ? Substring(text.utf8.dropFirst().dropLast()) : text[...]),
            !isBracketed || address.isIPv6
        {
            self = .ip(address)
            return
        }
        func refuse(_ problem: ServerNameError.Problem) -> ServerNameError {
            ServerNameError(text: text, problem: problem)
        }
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes[...]
        guard !name.isEmpty else { throw refuse(.empty) }
        guard name.allSatisfy({ $0 < 0x80 }) else { throw refuse(.notASCII) }
        guard name.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw refuse(.controlCharacterOrSpace) }
        if let byte = name.first(where: { !Self.isAllowed($0) }) {
            throw refuse(.character(Character(Unicode.Scalar(byte))))
        }
        guard name.count <= 253 else { throw refuse(.tooLong) }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }) else { throw refuse(.emptyLabel) }
        guard labels.allSatisfy({ $0.count <= 63 }) else { throw refuse(.labelTooLong) }
        if let last = labels.last, Self.looksNumeric(last) { throw refuse(.numericLastLabel) }
        self = .dns(String(decoding: name.map(Self.lowercased), as: UTF8.self))
    }

    /// The length in bytes above which text is looked at no further.
    private static let longestText = 1_024

    /// The addresses and names people write hold letters, digits, hyphens and underscores only.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch lowercased(byte) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 0x20 : byte
    }

    /// Whether software could take the whole name for an IPv4 address in one of its odd notations (WHATWG URL, 3.5).
    private static func looksNumeric(_ label: ArraySlice<UInt8>) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        let label = label.map(lowercased)
        return label.allSatisfy { digits.contains($0) }
            || label.starts(with: "0x".utf8)
                && label.dropFirst(2).allSatisfy { digits.contains($0) || letters.contains($0) }
    }
}

extension ServerName: CustomStringConvertible {
    /// The name, or the address without brackets.
    public var description: String {
        switch self {
        case .dns(let name): name
        case .ip(let address): address.description
        }
    }
}

/// The name a certificate is asked to be valid for.
public enum ReferenceName: Sendable, Hashable {
    /// No name was given, so none is checked; every verdict reached this way says so.
    case unchecked
    /// The certificate must be valid for this name.
    case name(ServerName)
    /// A name was given that no certificate can be valid for, such as `.example.com` or `https://example.com`.
    case impossible(ServerNameError)

    /// Reads a name; one that is malformed can only fail the check, it never skips it.
    public init(_ text: some StringProtocol) {
        do { self = .name(try ServerName(text)) } catch { self = .impossible(error) }
    }

    /// The name that is checked, `nil` where none is, or where it is malformed.
    package var serverName: ServerName? { if case .name(let name) = self { name } else { nil } }
}

extension ReferenceName: CustomStringConvertible {
    /// The name as it was understood, `(none)` when there is none.
    public var description: String {
        switch self {
        case .unchecked: "(none)"
        case .name(let name): name.description
        // Whatever was given may be here, a line of a key as well.
        case .impossible(let error): KeyMaterial.cut(error.text)
        }
    }
}

/// Why a text is no reference name.
public struct ServerNameError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with the text.
    public enum Problem: Sendable, Hashable {
        /// There is no character, or only a dot.
        case empty
        /// A dot stands at the start or next to another one.
        case emptyLabel
        /// A label has more than 63 characters.
        case labelTooLong
        /// The name has more than 253 characters.
        case tooLong
        /// A character other than letters, digits, `-`, `_` and `.`: a wildcard, a slash, a colon.
        case character(Character)
        /// A space, a NUL or another control character.
        case controlCharacterOrSpace
        /// A character outside ASCII: the name must be given as A-labels.
        case notASCII
        /// The last label is a number: an address in a notation that is none.
        case numericLastLabel
    }

    /// The text as it was given.
    public let text: String
    /// What is wrong with it.
    public let problem: Problem

    /// Describes a refusal of `text`.
    public init(text: String, problem: Problem) {
        self.text = text
        self.problem = problem
    }

    /// The first of four decimal numbers that is too large for an address; `nil` for any other text.
    private var numberTooLarge: String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let areNumbers = parts.allSatisfy { part in
            (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard parts.count == 4, areNumbers else { return nil }
        return parts.first { Int($0).map { $0 > 255 } ?? false }.map(String.init)
    }

    /// One line that quotes the text and says what to write instead.
    public var description: String {
        let quoted = Base.quoted(text)
        return switch problem {
        case .empty: "the host name \(quoted) is empty: give a name such as api.example.com"
        case .emptyLabel: "the host name \(quoted) has an empty label: remove the leading or doubled dot"
        case .labelTooLong: "the host name \(quoted) has a label of more than 63 characters: DNS allows no such name"
        case .tooLong: "the host name \(quoted) has more than 253 characters: DNS allows no such name"
        case .character(let character):
            "the host name \(quoted) holds \(Base.quoted(String(character))): give one host name, without scheme, wildcard or path"
        case .controlCharacterOrSpace: "the host name \(quoted) holds a space or a control character: remove it"
        case .notASCII: "the host name \(quoted) is not ASCII: write it with its xn-- labels"
        case .numericLastLabel where numberTooLarge != nil:
            "\(quoted) looks like an IPv4 address and is not one: \(numberTooLarge ?? "") is more than 255"
        case .numericLastLabel:
            "the host name \(quoted) ends in a number but is not an address: write an IPv4 address as four decimal numbers"
        }
    }
}
