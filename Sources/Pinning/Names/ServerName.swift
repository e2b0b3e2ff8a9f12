internal import Text

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
        let unbracketed = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        if let address = IPAddress(unbracketed), unbracketed.count == text.count || address.isIPv6 {
            self = .ip(address)
            return
        }
        func refuse(_ problem: ServerNameError.Problem) -> ServerNameError {
            ServerNameError(text: text, problem: problem)
        }
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        guard !name.isEmpty else { throw refuse(.empty) }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { throw refuse(.notASCII) }
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw refuse(.controlCharacterOrSpace) }
        if let character = name.first(where: { !Self.isAllowed($0) }) { throw refuse(.character(character)) }
        guard name.utf8.count <= 253 else { throw refuse(.tooLong) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }) else { throw refuse(.emptyLabel) }
        guard labels.allSatisfy({ $0.utf8.count <= 63 }) else { throw refuse(.labelTooLong) }
        if let last = labels.last, Self.looksNumeric(last) { throw refuse(.numericLastLabel) }
        self = .dns(name.lowercased())
    }

    /// The length in bytes above which text is looked at no further.
    private static let longestText = 1_024

    /// The addresses and names people write hold letters, digits, hyphens and underscores only.
    private static func isAllowed(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "-" || character == "_" || character == "."
    }

    /// Whether software could take the whole name for an IPv4 address in one of its odd notations (WHATWG URL, 3.5).
    private static func looksNumeric(_ label: Substring) -> Bool {
        label.allSatisfy(\.isNumber)
            || label.lowercased().hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)
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
        do {
            self = .name(try ServerName(text))
        } catch {
            self = .impossible(error)
        }
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
        case .impossible(let error): error.text
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
        let quoted = Text.quoted(text)
        return switch problem {
        case .empty: "the host name \(quoted) is empty: give a name such as api.example.com"
        case .emptyLabel: "the host name \(quoted) has an empty label: remove the leading or doubled dot"
        case .labelTooLong: "the host name \(quoted) has a label of more than 63 characters: DNS allows no such name"
        case .tooLong: "the host name \(quoted) has more than 253 characters: DNS allows no such name"
        case .character(let character):
            "the host name \(quoted) holds \(Text.quoted(String(character))): give one host name, without scheme, wildcard or path"
        case .controlCharacterOrSpace: "the host name \(quoted) holds a space or a control character: remove it"
        case .notASCII: "the host name \(quoted) is not ASCII: write it with its xn-- labels"
        case .numericLastLabel where numberTooLarge != nil:
            "\(quoted) looks like an IPv4 address and is not one: \(numberTooLarge ?? "") is more than 255"
        case .numericLastLabel:
            "the host name \(quoted) ends in a number but is not an address: write an IPv4 address as four decimal numbers"
        }
    }
}
