package import Pinning

/// What a service that resolves names over HTTP answered: the addresses of one host.
package struct AddressAnswer: Sendable, Hashable {
    /// The form of an answer.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// Tencent's: `192.0.2.1;192.0.2.2,300`.
        case tencent
        /// Aliyun's JSON, with `host`, `ips` and `ipsv6`.
        case aliyun
        /// The JSON of public DNS over HTTPS services (`application/dns-json`), with `Status` and `Answer`.
        case dnsJSON = "dns-json"
        /// Addresses one a line, or in a JSON array.
        case list
    }

    /// The form it had.
    package let format: Format
    /// The name the answer is for, in lower case without a trailing dot; `nil` when it names none.
    package let host: String?
    /// An address, with the port where a list gives one.
    package struct Place: Sendable, Hashable {
        /// The address.
        package let address: IPAddress
        /// The port, `nil` for the target's.
        package let port: UInt16?
    }

    /// The addresses with their ports in the order of the answer, each once; none when the name has none.
    package let places: [Place]
    /// For how many seconds the answer holds, `nil` when it does not say.
    package let secondsToLive: Int?

    /// An answer; the host is brought into its form, and addresses that are repeated are left out.
    init(_ format: Format, host: String?, addresses: [IPAddress], secondsToLive: Int? = nil) {
        self.format = format
        self.host = host.map { ($0.hasSuffix(".") ? String($0.dropLast()) : $0).lowercased() }
        var seen: Set<IPAddress> = []
        places = addresses.filter { seen.insert($0).inserted }.map { Place(address: $0, port: nil) }
        self.secondsToLive = secondsToLive
    }

    /// A list of addresses, some with ports.
    init(list places: [Place]) {
        format = .list
        host = nil
        var seen: Set<Place> = []
        self.places = places.filter { seen.insert($0).inserted }
        secondsToLive = nil
    }

    /// The addresses in the order of the answer.
    package var addresses: [IPAddress] { places.map(\.address) }
}

extension AddressAnswer {
    /// The largest answer that is read, in bytes.
    package static let sizeLimit = 256 * 1024
    /// The most addresses of one host: no service gives a client as many.
    package static let addressLimit = 256

    /// Reads answers, recognising their form by their content.
    ///
    /// - Parameter bytes: UTF-8 text; batch answers of Tencent and Aliyun are for several hosts.
    /// - Returns: the answers in their order, at least one. They may hold no address.
    /// - Throws: ``AnswerError`` with the place of what is wrong.
    package static func read(_ bytes: [UInt8]) throws(AnswerError) -> [AddressAnswer] {
        guard bytes.count <= sizeLimit else { throw AnswerError(.tooLarge(limit: sizeLimit)) }
        guard var text = String(validating: bytes, as: UTF8.self) else { throw AnswerError(.notText) }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        let answers: [AddressAnswer]
        switch text.first(where: { !$0.isWhitespace }) {
        case nil: throw AnswerError(.empty)
        case "[" where Self.beginsWithAddress(text): answers = try TextAnswer.read(text)
        case "{", "[": answers = try JSONAnswer.read(text)
        case "<": throw AnswerError(.webPage)
        default: answers = try TextAnswer.read(text)
        }
        if let answer = answers.first(where: { $0.addresses.count > addressLimit }) {
            throw AnswerError(.tooManyAddresses(answer.addresses.count, limit: addressLimit))
        }
        return answers
    }

    /// Whether an IPv6 address in brackets comes first, which is no JSON.
    private static func beginsWithAddress(_ text: String) -> Bool {
        let start = text.drop { $0.isWhitespace }.dropFirst()
        return IPAddress(start.prefix { $0 != "]" }) != nil
    }
}
