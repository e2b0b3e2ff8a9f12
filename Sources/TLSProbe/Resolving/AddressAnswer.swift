import Base
package import Pinning

/// The addresses of one host, from a service that resolves names over HTTP.
package struct AddressAnswer: Hashable {
    /// The largest answer that is read, in bytes.
    static let sizeLimit = 256 * 1024
    /// The most addresses of one host, more than any service gives.
    package static let addressLimit = 256

    /// The name that the answer is for, in lower case without a trailing dot; `nil` if the answer lacks it.
    package let host: String?
    /// The addresses in their order, each once; none if the name has none.
    package let addresses: [IPAddress]

    private init(host: String?, _ addresses: [IPAddress]) throws(AnswerError) {
        guard addresses.count <= Self.addressLimit else {
            throw AnswerError("it gives one host more than \(Self.addressLimit) addresses")
        }
        self.host = host.map { ($0.hasSuffix(".") ? String($0.dropLast()) : $0).lowercased() }
        self.addresses = addresses.distinct
    }

    /// Reads Tencent's text, lines of addresses, or the JSON of Aliyun or of DNS over HTTPS (`application/dns-json`).
    package static func read(_ bytes: [UInt8]) throws(AnswerError) -> Self {
        guard bytes.count <= sizeLimit else {
            throw AnswerError("it is larger than \(sizeLimit / 1024) KiB, and no answer is that long")
        }
        guard var text = String(validating: bytes, as: UTF8.self) else { throw AnswerError("it is not text") }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        switch text.first(where: { !$0.isWhitespace }) {
        case "{": return try json(bytes)
        case "<": throw AnswerError("it is a web page: check the address of the service")
        default: return try lines(text)
        }
    }

    /// Reads lines of `IP;IP[,TTL]`, and skips the aliases of `dig +short`; `0` means that there is no address.
    private static func lines(_ text: String) throws(AnswerError) -> Self {
        var found: [IPAddress]?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.prefix { $0 != "#" }.trimmingWhitespace()
            guard !line.isEmpty, !(line.hasSuffix(".") && (try? ServerName(line)) != nil) else { continue }
            // Tencent's services with a key answer in hexadecimal digits, which have to be decrypted.
            if line.utf8.count >= 16, line.utf8.count.isMultiple(of: 16), line.allSatisfy(\.isHexDigit) {
                throw AnswerError("it looks encrypted: give the answer as it is after decryption")
            }
            found = (found ?? []) + (try addresses(line, at: "line \(index + 1)"))
        }
        guard let found else {
            throw AnswerError("there is no answer in it: expected addresses, as in 192.0.2.1;192.0.2.2", .empty)
        }
        return try Self(host: nil, found)
    }

    private static func addresses(_ line: Substring, at place: String) throws(AnswerError) -> [IPAddress] {
        guard !line.contains("-"), !line.contains("|"), !line.contains(".:") else {
            let words = "an answer for several hosts or for both families is not read"
            throw AnswerError(words + ": give the addresses alone, as in 192.0.2.1;192.0.2.2", at: place)
        }
        let parts = line.parts(at: ",", atMost: 2)
        if parts.count == 2, Int(parts[1].trimmingWhitespace()) == nil {
            // Only the number of characters is shown, as for an address.
            let words = "\(parts[1].count) characters that are not a TTL in seconds"
            throw AnswerError(words + "; addresses are joined by ';'", at: place)
        }
        let list = parts[0].trimmingWhitespace()
        guard list != "0" else { return [] }
        return try list.parts(at: ";").map {
            (text) throws(AnswerError) in try address(text.trimmingWhitespace(), at: place)
        }
    }

    private static func address(_ text: some StringProtocol, at place: String) throws(AnswerError) -> IPAddress {
        guard let address = IPAddress(String(text)) else { throw AnswerError(notAnAddress: String(text), at: place) }
        return address
    }

    /// Reads Aliyun's answer or that of DNS over HTTPS, in which every key may be missing.
    private static func json(_ bytes: [UInt8]) throws(AnswerError) -> Self {
        let noAnswer = AnswerError("it is broken JSON, or not the answer of Aliyun or of DNS over HTTPS")
        guard let document = try? JSONReader.tree(of: bytes) else { throw noAnswer }
        func value<Value>(_ key: String, _ read: (DocumentTree) -> Value?) throws(AnswerError) -> Value? {
            guard let member = document[key], !member.isNull else { return nil }
            guard let value = read(member) else { throw noAnswer }
            return value
        }
        let integer = { (tree: DocumentTree) in tree.number.flatMap { Int($0) } }
        if let code = try value("code", \.text) {
            throw AnswerError("the service refuses: \(quoted(code, to: 60))", at: "code")
        }
        var found: [IPAddress] = []
        let families = [("ips", try value("ips", \.elements)), ("ipsv6", try value("ipsv6", \.elements))]
        if families.contains(where: { $0.1 != nil }) {
            for (key, texts) in families {
                for (index, text) in (texts ?? []).enumerated() {
                    guard let text = text.text else { throw noAnswer }
                    found.append(try address(text, at: "\(key)[\(index)]"))
                }
            }
            return try Self(host: try value("host", \.text), found)
        }
        guard let status = try value("Status", integer) else {
            throw AnswerError("it has neither 'ips' (Aliyun, for one host) nor 'Answer' (DNS over HTTPS)")
        }
        guard status == 0 else { throw AnswerError(responseCode: status) }
        if case .flag(true)? = document["TC"]?.content { throw AnswerError("it is cut off", at: "TC") }
        // The types of records with addresses are 1 (A) and 28 (AAAA); aliases and signatures are skipped.
        for (index, record) in (try value("Answer", \.elements) ?? []).enumerated() {
            guard let type = record["type"].flatMap(integer), let data = record["data"]?.text else { throw noAnswer }
            guard type == 1 || type == 28 else { continue }
            let address = try address(data, at: "Answer[\(index)].data")
            guard address.isIPv6 == (type == 28) else {
                throw AnswerError(notAnAddress: data, at: "Answer[\(index)].data")
            }
            found.append(address)
        }
        // Most services send a list of questions, some a single one.
        let question = document["Question"]
        return try Self(host: (question?.elements?.first ?? question)?["name"]?.text, found)
    }
}

package struct AnswerError: Error, Hashable, CustomStringConvertible {
    /// The fact with its place, in one line without the name of the file or service; text of the answer is escaped.
    package let description: String
    package enum Kind { case empty, nameUnknown, other }

    package let kind: Kind

    /// `place` is a line of text or the keys of JSON, as in `line 2` and `Answer[0].data`.
    init(_ problem: String, at place: String? = nil, _ kind: Kind = .other) {
        description = TerminalText.escaped((place.map { "\($0): " } ?? "") + problem)
        self.kind = kind
    }

    fileprivate init(notAnAddress text: String, at place: String) {
        let hasPort = text.hasPrefix("[") || text.contains(".") && text.contains(":")
        // Only the number of characters is shown: a file that was named by mistake may contain secrets.
        let remedy = hasPort ? ": leave the port out" : ""
        self.init("\(text.count) characters that are not an address" + remedy, at: place)
    }

    fileprivate init(responseCode code: Int) {
        let meanings = [
            1: " (FORMERR, the service did not understand the question)",
            2: " (SERVFAIL, the name's servers did not answer)", 3: " (NXDOMAIN, there is no such name)",
            5: " (REFUSED, the service does not answer this question)",
        ]
        let words = "the DNS response code is \(code)\(meanings[code] ?? "")"
        self.init(words, at: "Status", code == 3 ? .nameUnknown : .other)
    }
}
