import Base

/// A reference name: the name that a certificate must be valid for, in a form that is safe to compare.
///
/// OpenSSL skips the check for an empty name, stops at a NUL, reads a leading dot as "any subdomain", never matches a
/// trailing dot and takes an address for a name. No value of this type has these problems.
public enum ServerName: Sendable, Hashable, CustomStringConvertible {
    /// A host name: lower-case ASCII labels joined by dots, without a trailing dot.
    case dns(String)
    /// An address; only an iPAddress entry of a certificate matches it.
    case ip(IPAddress)

    private static let longestText = 1_024

    /// Reads a host name or an address (an IPv6 address may be in brackets).
    package init(_ text: some StringProtocol) throws(ServerNameError) {
        let text = String(text)
        func refuse(_ reason: String) -> ServerNameError { ServerNameError(text: text, reason: reason) }
        guard text.utf8.count <= Self.longestText else { throw refuse(ServerNameError.tooLong) }
        // Bytes cost far less than characters, and a list can have a million names.
        let bytes = text.bytes
        let isBracketed = bytes.first == "[" && bytes.last == "]"
        if let address = IPAddress(isBracketed ? Substring(text.utf8.dropFirst().dropLast()) : text[...]),
            !isBracketed || address.isIPv6
        {
            self = .ip(address)
            return
        }
        let name = bytes.last == "." ? bytes.dropLast() : bytes[...]
        guard !name.isEmpty else { throw refuse("is empty: give a name such as api.example.com") }
        guard name.allSatisfy({ $0 < 0x80 }) else { throw refuse("is not ASCII: write it with its xn-- labels") }
        guard name.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw refuse("holds a space or a control character: remove it")
        }
        if let byte = name.first(where: { !Self.isAllowed($0) }) {
            let character = quoted(String(Unicode.Scalar(byte)))
            throw refuse("holds \(character): give one host name, without scheme, port, wildcard or path")
        }
        guard name.count <= 253 else { throw refuse(ServerNameError.tooLong) }
        let labels = name.split(omittingEmptySubsequences: false) { $0 == "." }
        guard labels.allSatisfy({ !$0.isEmpty }) else {
            throw refuse("has an empty label: remove the leading or doubled dot")
        }
        guard labels.allSatisfy({ $0.count <= 63 }) else {
            throw refuse("has a label of more than 63 characters: DNS allows no such name")
        }
        if let last = labels.last, Self.looksNumeric(last) {
            throw refuse("ends in a number but is not an address: write an IPv4 address as four numbers from 0 to 255")
        }
        self = .dns(String(utf8: name.map(Self.lowercased)))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "-_.".utf8.contains(byte) }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 0x20 : byte
    }

    /// `true` if software could take the whole name for an IPv4 address in an odd notation (WHATWG URL, 3.5).
    private static func looksNumeric(_ label: ArraySlice<UInt8>) -> Bool {
        let label = label.map(lowercased)
        let digits = label.starts(with: "0x".utf8) ? label.dropFirst(2) : label[...]
        let letters = digits.count < label.count ? UInt8(ascii: "a")...UInt8(ascii: "f") : nil
        return digits.allSatisfy { $0.isDigit || letters?.contains($0) == true }
    }

    /// The name; `nil` for an address.
    package var hostName: String? { if case .dns(let name) = self { name } else { nil } }

    /// The name, or the address without brackets.
    public var description: String {
        switch self {
        case .dns(let name): name
        case .ip(let address): address.description
        }
    }
}

package enum ReferenceName: Hashable, CustomStringConvertible {
    /// The user gave no name, so none is checked; every verdict without a name warns of it.
    case unchecked
    case name(ServerName)
    /// A name that no certificate can be valid for, such as `.example.com` or `https://example.com`.
    case impossible(ServerNameError)

    /// Reads a name; a malformed one fails the check and never skips it.
    package init(_ text: some StringProtocol) {
        do { self = .name(try ServerName(text)) } catch { self = .impossible(error) }
    }

    package var serverName: ServerName? { if case .name(let name) = self { name } else { nil } }
    /// The name as text; `nil` if none is checked.
    package var text: String? { self == .unchecked ? nil : description }

    package var description: String {
        switch self {
        case .unchecked: "(none)"
        case .name(let name): name.description
        // The text may be anything, even a line of a private key.
        case .impossible(let error): KeyMaterial.cut(error.text)
        }
    }
}

/// The reason why a text is not a reference name.
public struct ServerNameError: Error, Hashable, CustomStringConvertible {
    /// The text as it was given.
    public let text: String
    let reason: String

    static let tooLong = "has more than 253 characters: DNS allows no such name"

    /// One line: the quoted text, the fault, and the right form.
    public var description: String { "the host name \(quoted(text)) \(reason)" }
}
