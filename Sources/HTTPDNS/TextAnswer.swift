internal import Pinning

/// Answers in plain text: Tencent's, and lists of addresses.
enum TextAnswer {
    /// Reads `text`, which has something besides white space.
    static func read(_ text: String) throws(AnswerError) -> [AddressAnswer] {
        var lines: [(number: Int, text: Substring)] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = trimmed(line.prefix { $0 != "#" })
            if !content.isEmpty { lines.append((index + 1, content)) }
        }
        guard let first = lines.first else { throw AnswerError(.empty) }
        if lines.count == 1, looksEncrypted(first.text) { throw AnswerError(.encrypted) }
        guard isTencent(first.text) else { return [try list(lines)] }
        var answers: [AddressAnswer] = []
        for line in lines { answers.append(try tencent(line.text, at: "line \(line.number)")) }
        return answers
    }

    // MARK: Lists

    /// Addresses one a line; the aliases that `dig +short` prints before them are passed over.
    private static func list(_ lines: [(number: Int, text: Substring)]) throws(AnswerError) -> AddressAnswer {
        var addresses: [IPAddress] = []
        for line in lines where !(line.text.hasSuffix(".") && (try? ServerName(line.text)) != nil) {
            addresses.append(try address(line.text, at: "line \(line.number)"))
        }
        return AddressAnswer(.list, host: nil, addresses: addresses)
    }

    // MARK: Tencent

    private static func isTencent(_ line: Substring) -> Bool {
        line == "0" || line.contains { ";,|".contains($0) } || line.firstRange(of: ".:") != nil
            || line.contains("-") && !line.hasSuffix(".")
    }

    /// `[HOST.:]IPV4;IPV4[,TTL][-IPV6;IPV6[,TTL]][|CLIENT]`, in which `0` stands for no address of a family.
    private static func tencent(_ line: Substring, at place: String) throws(AnswerError) -> AddressAnswer {
        var rest = line
        var host: String?
        if let mark = rest.firstRange(of: ".:") {
            host = String(rest[..<mark.lowerBound])
            rest = rest[mark.upperBound...]
        }
        // What follows is the address the service saw its client come from.
        rest = rest.prefix { $0 != "|" }
        var addresses: [IPAddress] = []
        var secondsToLive: Int?
        for family in rest.split(separator: "-", omittingEmptySubsequences: false) {
            let parts = family.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 {
                let text = trimmed(parts[1])
                guard let seconds = Int(text), seconds >= 0 else {
                    throw AnswerError(.notATimeToLive(String(text)), at: place)
                }
                secondsToLive = min(secondsToLive ?? seconds, seconds)
            }
            let list = trimmed(parts.first ?? "")
            guard list != "0" else { continue }
            for text in list.split(separator: ";", omittingEmptySubsequences: false) {
                addresses.append(try address(trimmed(text), at: place))
            }
        }
        return AddressAnswer(.tencent, host: host, addresses: addresses, secondsToLive: secondsToLive)
    }

    /// Tencent's services with a key answer in hexadecimal digits.
    private static func looksEncrypted(_ line: Substring) -> Bool {
        line.utf8.count >= 16 && line.utf8.count.isMultiple(of: 16) && line.allSatisfy(\.isHexDigit)
    }

    // MARK: Text

    private static func address(_ text: Substring, at place: String) throws(AnswerError) -> IPAddress {
        guard let address = IPAddress(text) else { throw AnswerError(.notAnAddress(String(text)), at: place) }
        return address
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
