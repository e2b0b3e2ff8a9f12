internal import Pinning

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Answers in JSON: Aliyun's, and those of DNS over HTTPS services.
enum JSONAnswer {
    /// An object of any known kind: all of its keys may be missing.
    private struct Document: Decodable {
        let host: String?
        let ips: [String]?
        let ipsv6: [String]?
        let ttl: Int?
        let code: String?
        let results: [Document]?
        let dns: [Document]?
        let status: Int?
        let records: [Record]?
        let question: Question?

        private enum CodingKeys: String, CodingKey {
            case host, ips, ipsv6, ttl, code, results, dns
            case status = "Status"
            case records = "Answer"
            case question = "Question"
        }
    }

    private struct Record: Decodable {
        let type: Int
        let data: String
        let secondsToLive: Int?

        private enum CodingKeys: String, CodingKey {
            case type, data
            case secondsToLive = "TTL"
        }
    }

    /// The question, of which most services send a list and some only the one.
    private struct Question: Decodable {
        let name: String?

        private struct Entry: Decodable { let name: String? }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            name = (try? container.decode([Entry].self))?.first?.name ?? (try? container.decode(Entry.self))?.name
        }
    }

    /// Reads `text`, which begins as a JSON object or array does.
    static func read(_ text: String) throws(AnswerError) -> [AddressAnswer] {
        let data = Data(text.utf8)
        if text.first(where: { !$0.isWhitespace }) == "[" {
            let texts = try decoded([String].self, from: data)
            return [AddressAnswer(.list, host: nil, addresses: try addresses(texts, at: ""))]
        }
        let document = try decoded(Document.self, from: data)
        if let code = document.code { throw AnswerError(.refused(code), at: "code") }
        for (key, batch) in [("results", document.results), ("dns", document.dns)] {
            guard let batch, !batch.isEmpty else { continue }
            return try aliyun(batch, at: key)
        }
        if document.ips != nil || document.ipsv6 != nil { return [try aliyun(document, at: "")] }
        guard let status = document.status else { throw AnswerError(.unknownJSON) }
        guard status == 0 else { throw AnswerError(.responseCode(status), at: "Status") }
        return [try dnsJSON(document)]
    }

    /// One answer for each host: Aliyun's batches have an entry for each family of it.
    private static func aliyun(_ batch: [Document], at key: String) throws(AnswerError) -> [AddressAnswer] {
        var answers: [AddressAnswer] = []
        var indices: [String?: Int] = [:]
        for (index, document) in batch.enumerated() {
            let answer = try aliyun(document, at: "\(key)[\(index)].")
            guard let earlier = indices[answer.host] else {
                indices[answer.host] = answers.count
                answers.append(answer)
                continue
            }
            answers[earlier] = AddressAnswer(
                .aliyun, host: answer.host, addresses: answers[earlier].addresses + answer.addresses,
                secondsToLive: [answers[earlier].secondsToLive, answer.secondsToLive].compactMap(\.self).min())
            // With each entry the addresses are gone through again.
            let count = answers[earlier].addresses.count
            guard count <= AddressAnswer.addressLimit else {
                throw AnswerError(.tooManyAddresses(count, limit: AddressAnswer.addressLimit), at: "\(key)[\(index)]")
            }
        }
        return answers
    }

    private static func aliyun(_ document: Document, at prefix: String) throws(AnswerError) -> AddressAnswer {
        let ipv4 = try addresses(document.ips ?? [], at: prefix + "ips")
        let ipv6 = try addresses(document.ipsv6 ?? [], at: prefix + "ipsv6")
        return AddressAnswer(.aliyun, host: document.host, addresses: ipv4 + ipv6, secondsToLive: document.ttl)
    }

    /// The records for addresses (A is type 1, AAAA type 28); aliases and signatures are passed over.
    private static func dnsJSON(_ document: Document) throws(AnswerError) -> AddressAnswer {
        var found: [IPAddress] = []
        var secondsToLive: Int?
        for (index, record) in (document.records ?? []).enumerated() where record.type == 1 || record.type == 28 {
            guard let address = IPAddress(record.data), address.isIPv6 == (record.type == 28) else {
                throw AnswerError(.notAnAddress(record.data), at: "Answer[\(index)].data")
            }
            found.append(address)
            if let seconds = record.secondsToLive { secondsToLive = min(secondsToLive ?? seconds, seconds) }
        }
        return AddressAnswer(.dnsJSON, host: document.question?.name, addresses: found, secondsToLive: secondsToLive)
    }

    private static func addresses(_ texts: [String], at key: String) throws(AnswerError) -> [IPAddress] {
        var addresses: [IPAddress] = []
        for (index, text) in texts.enumerated() {
            guard let address = IPAddress(text) else { throw AnswerError(.notAnAddress(text), at: "\(key)[\(index)]") }
            addresses.append(address)
        }
        return addresses
    }

    // MARK: Decoding

    private static func decoded<Value: Decodable>(_ type: Value.Type, from data: Data) throws(AnswerError) -> Value {
        do { return try JSONDecoder().decode(type, from: data) } catch DecodingError.dataCorrupted(let context) {
            throw AnswerError(.brokenJSON(nil), at: place(context.codingPath))
        } catch DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context) {
            throw AnswerError(.wrongValue(expected: word(for: type)), at: place(context.codingPath))
        } catch DecodingError.keyNotFound(let key, let context) {
            throw AnswerError(.wrongValue(expected: "there"), at: place(context.codingPath + [key]))
        } catch { throw AnswerError(.brokenJSON(nil)) }
    }

    private static func place(_ path: [any CodingKey]) -> String? {
        let text = path.reduce("") { text, key in
            if let index = key.intValue { return "\(text)[\(index)]" }
            return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
        }
        return text.isEmpty ? nil : text
    }

    private static func word(for type: Any.Type) -> String {
        if type == String.self { return "a text" }
        if type == Int.self { return "a whole number" }
        return type is any Sequence.Type ? "a list" : "an object"
    }
}
