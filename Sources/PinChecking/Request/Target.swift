import Base
package import Pinning
import X509

/// What the user named: a host or an address, perhaps with a port.
package struct Target: Hashable, Sendable {
    /// The text as it was given, not escaped.
    package let text: String
    package let host: ServerName
    /// The host as the text has it: with its capitals and the dot at its end, and with A-labels.
    package let writtenHost: String
    /// The port, `nil` when the text has none.
    package let port: Int?

    /// Reads `host`, `host:port`, `[v6]:port`, a bare IPv6 address, or `https://host[:port]/path`.
    ///
    /// - Throws: ``CheckError``, which quotes the text and says what to write.
    package init(_ text: String) throws(CheckError) {
        let given = GivenText("target", text)
        guard !text.isEmpty else { throw given.wrong("is empty: name a host, as in 'api.example.com'") }
        guard text != "-" else { throw given.wrong("is no host: a list on standard input is read with '--targets -'") }
        let authority = try Self.authority(of: given)
        guard !authority.utf8.contains(UInt8(ascii: "@")) else { throw given.wrong(inPart: "") }
        try self.init(authority, of: given)
    }

    /// Reads the host of a Host header: the same without a URL.
    package init(host text: String) throws(CheckError) { try self.init(text[...], of: GivenText("host", text)) }

    init(_ part: Substring, of given: GivenText) throws(CheckError) {
        text = given.text
        let rest: Substring?
        // Byte by byte, as names are read.
        if part.utf8.first == UInt8(ascii: "[") {
            guard let end = part.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw given.wrong(inPart: "has a '[' without ']': write an IPv6 address as [2001:db8::1]:443")
            }
            let inside = part[part.utf8.index(after: part.startIndex)..<end]
            guard let address = IPAddress(inside), address.isIPv6 else {
                throw given.wrong(inPart: "has no IPv6 address in its brackets: write [2001:db8::1]:443")
            }
            host = .ip(address)
            writtenHost = address.description
            let behind = part[part.utf8.index(after: end)...]
            guard behind.isEmpty || behind.utf8.first == UInt8(ascii: ":") else {
                throw given.wrong(inPart: "has text after its ']': write [2001:db8::1]:443")
            }
            rest = behind.isEmpty ? nil : Substring(behind.utf8.dropFirst())
        } else if let address = IPAddress(part) {
            host = .ip(address)
            writtenHost = address.description
            rest = nil
        } else {
            let end = part.utf8.firstIndex(of: UInt8(ascii: ":"))
            let name = part[..<(end ?? part.endIndex)]
            rest = end.map { part[part.utf8.index(after: $0)...] }
            guard rest?.utf8.contains(UInt8(ascii: ":")) != true else {
                throw given.wrong(
                    inPart: "has more than one ':' but is not an IPv6 address: write host:port, or [2001:db8::1]:443")
            }
            guard !name.isEmpty else { throw given.wrong(inPart: "names no host: write host or host:port") }
            do { host = try ServerName(written: name) } catch { throw given.wrong(error) }
            writtenHost = host.written(as: name)
        }
        port = try rest.map { (rest) throws(CheckError) in try given.port(rest) }
    }

    /// The part of a URL that names the server, or the whole text when it is no URL.
    private static func authority(of given: GivenText) throws(CheckError) -> Substring {
        let text = given.text
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return text[...] }
        guard text[..<slash].hasSuffix(":"), text[slash...].hasPrefix("//") else {
            throw given.wrong("holds a '/': name the host alone, or write https:// before it")
        }
        guard text[..<slash].dropLast().lowercased() == "https" else {
            throw given.wrong("is not an https URL: pincheck speaks TLS only, write https:// or host:port")
        }
        return text[slash...].dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }

    package static func authority(_ address: String, _ port: Int) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}

/// A text that names a server, and what messages call it: they show nothing of it before an `@`.
struct GivenText {
    let name: SafeText
    let text: String

    init(_ name: SafeText, _ text: String) { (self.name, self.text) = (name, text) }

    func wrong(_ problem: SafeText) -> CheckError {
        .request("the \(name) \(quoted(UserInfo.hiddenBeforeHost(text))) \(problem)")
    }

    /// What is wrong with a part of the text, which may be one of a password where there is an `@`.
    func wrong(inPart problem: SafeText) -> CheckError {
        wrong(text.contains("@") ? "holds a user name: leave out everything up to the '@'" : problem)
    }

    func wrong(_ error: ServerNameError) -> CheckError { text.contains("@") ? wrong(inPart: "") : .request("\(error)") }

    /// Reads a part of the text that is a port.
    func port(_ part: Substring) throws(CheckError) -> Int {
        if part.utf8.count <= 5, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(part),
            (1...65_535).contains(port)
        {
            return port
        }
        if part.hasPrefix("//") { throw wrong(inPart: "is a URL: give the name or address alone") }
        // What is no number may be a password, behind which the host was lost.
        let shown: SafeText =
            part.allSatisfy { $0.isNumber || $0 == "-" } ? "the port \(quoted(part))" : "a port that is no number"
        throw wrong(inPart: "has \(shown): a port is a number from 1 to 65535")
    }
}

// Names as people write them: international ones become A-labels before anything else sees them. One that has no such form is left as it
// is, for the reader to refuse.

private func asciiForm(of text: some StringProtocol) -> String { InternationalName.ascii(String(text)) ?? String(text) }

extension ServerName {
    package init(written text: some StringProtocol) throws(ServerNameError) { try self.init(asciiForm(of: text)) }

    /// How a host is written in a URL that names it by `text`: with its capitals and the dot at its end, and with A-labels.
    func written(as text: some StringProtocol) -> String { isAddress ? description : asciiForm(of: text) }

    var isAddress: Bool { if case .ip = self { true } else { false } }
}

extension ReferenceName {
    /// Reads the name a certificate is asked to be valid for; one that is malformed can only fail the check.
    package init(written text: String) { self.init(asciiForm(of: text)) }
}
