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

    /// Addresses, one or several a line, bare, in brackets or with a port; the aliases that `dig +short` prints before them are passed over.
    private static func list(_ lines: [(number: Int, text: Substring)]) throws(AnswerError) -> AddressAnswer {
        var places: [AddressAnswer.Place] = []
        for line in lines where !(line.text.hasSuffix(".") && (try? ServerName(line.text)) != nil) {
            for word in words(of: line.text) { places.append(try place(word, at: "line \(line.number)")) }
        }
        return AddressAnswer(list: places)
    }

    /// `192.0.2.1`, `192.0.2.1:8443`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:8443`.
    private static func place(_ word: Substring, at line: String) throws(AnswerError) -> AddressAnswer.Place {
        if let address = IPAddress(word) { return AddressAnswer.Place(address: address, port: nil) }
        var host = word
        var port: UInt16?
        if let colon = word.lastIndex(of: ":"), let number = UInt16(word[word.index(after: colon)...]), number > 0 {
            (host, port) = (word[..<colon], number)
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard let address = IPAddress(isBracketed ? host.dropFirst().dropLast() : host), address.isIPv6 == isBracketed
        else { throw AnswerError(.notAnAddress(String(word)), at: line) }
        return AddressAnswer.Place(address: address, port: port)
    }

    /// Whether a line is a list: every word of it an address, perhaps with a port.
    private static func isList(_ line: Substring) -> Bool {
        let places = words(of: line).map { try? place($0, at: "") }
        // Without a port it is Tencent's, which has none.
        guard !line.contains(";") || places.contains(where: { $0?.port != nil }) else { return false }
        return places.allSatisfy { $0 != nil }
    }

    private static func words(of line: Substring) -> [Substring] {
        line.split { $0.isWhitespace || $0 == "," || $0 == ";" }
    }

    // MARK: Tencent

    private static func isTencent(_ line: Substring) -> Bool {
        guard !isList(line) else { return false }
        return line == "0" || line.contains { ";,|".contains($0) } || line.firstRange(of: ".:") != nil
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
