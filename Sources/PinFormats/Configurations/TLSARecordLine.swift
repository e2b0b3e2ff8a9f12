internal import Base
internal import Pinning
internal import X509

/// One record as zone files have it: `host. 3600 IN TXT …`, of whatever type.
struct ZoneRecord {
    /// The name before the record, as it is written; `nil` without one.
    let owner: Substring?
    /// Whether it is of class IN, which goes without saying.
    let isOfInternet: Bool
    /// The type in capital letters, TLSA for its number, too.
    let type: String
    /// What follows the type.
    let data: ArraySlice<Substring>

    /// Types that are known where neither a class nor a time to live says that one stands there.
    private static let types: Set = [
        "A", "AAAA", "AFSDB", "ALIAS", "ANAME", "APL", "CAA", "CDNSKEY", "CDS", "CERT", "CNAME", "CSYNC", "DHCID",
        "DLV", "DNAME", "DNSKEY", "DS", "EUI48", "EUI64", "HINFO", "HIP", "HTTPS", "IPSECKEY", "KEY", "KX", "LOC",
        "LUA", "MX", "NAPTR", "NS", "NSEC", "NSEC3", "NSEC3PARAM", "OPENPGPKEY", "PTR", "RP", "RRSIG", "SIG", "SMIMEA",
        "SOA", "SPF", "SRV", "SSHFP", "SVCB", "TA", "TLSA", "TXT", "URI", "ZONEMD",
    ]

    /// Takes the line apart: behind the owner, if there is one, a time to live and a class in any order, and the type
    /// (RFC 1035, 5.1); `nil` for what is no record.
    ///
    /// The name of a type may be a host's, or one of the types that another record is about.
    init?(_ line: some StringProtocol) {
        let words = Substring(line).split(whereSeparator: \.isWhitespace)
        guard let first = words.first else { return nil }
        let hasOwner = line.first?.isWhitespace == false && !Self.leavesOwnerOut(words)
        var rest = hasOwner ? words.dropFirst() : words[...]
        var isOfInternet = true
        var isTold = false
        while let word = rest.first, Self.isClass(word) || Self.isTime(word) {
            if Self.isClass(word) { isOfInternet = ["IN", "CLASS1"].contains(word.uppercased()) }
            isTold = true
            rest = rest.dropFirst()
        }
        guard let word = rest.first else { return nil }
        let name = word.uppercased()
        guard isTold && Self.isType(name) || Self.types.contains(name) || Self.number(name, "TYPE") != nil else {
            return nil
        }
        owner = hasOwner ? first : nil
        self.isOfInternet = isOfInternet
        type = Self.isTLSA(word) ? "TLSA" : name
        data = rest.dropFirst()
    }

    /// Whether the line begins without an owner and without a blank for it, as people write one record.
    private static func leavesOwnerOut(_ words: [Substring]) -> Bool {
        guard words.count > 1 else { return false }
        if isClass(words[0]) { return isTLSA(words[1]) }
        guard isTLSA(words[0]), words[1].allSatisfy(\.isNumber) else { return false }
        // A host may be called as the type is: the number is a time to live then.
        return words.count < 3 || !isClass(words[2]) && !types.contains(words[2].uppercased())
    }

    static func isTLSA(_ word: Substring) -> Bool {
        let word = word.uppercased()
        return word == "TLSA" || number(word, "TYPE") == 52
    }

    private static func number(_ word: String, _ prefix: String) -> UInt16? {
        word.hasPrefix(prefix) ? UInt16(word.dropFirst(prefix.count)) : nil
    }

    private static func isType(_ name: String) -> Bool {
        name.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isClass(_ word: Substring) -> Bool {
        let word = word.uppercased()
        return ["IN", "CH", "HS", "CS"].contains(word) || number(word, "CLASS") != nil
    }

    /// Seconds, or as in `1h30m`.
    private static func isTime(_ word: Substring) -> Bool {
        word.utf8.first.map { (0x30...0x39).contains($0) } == true
            && word.utf8.allSatisfy { (0x30...0x39).contains($0) || "smhdwSMHDW".utf8.contains($0) }
    }
}

/// One TLSA record as zone files, `dig` and people write it: `_443._tcp.host. 3600 IN TLSA 3 1 1 HEX`, or `3 1 1 HEX` alone.
struct TLSARecordLine {
    /// The name before the record, as it is written; `nil` without one.
    let owner: Substring?
    /// Whether it is of class IN, which goes without saying.
    let isOfInternet: Bool
    /// Whether nothing but the data is there.
    let isBare: Bool
    private let numbers: [Substring]
    private let data: String
    /// How many bytes an unknown type's data is said to have (RFC 3597, 5), all of it in ``data``.
    private let length: Substring?

    /// Takes the line apart, `nil` when it is no such record, well made or not.
    init?(_ line: some StringProtocol) {
        var rest = Substring(line).split(whereSeparator: \.isWhitespace)[...]
        // Nobody is called as a number, and no type as what follows it here.
        isBare =
            rest.count >= 4 && rest.prefix(3).allSatisfy { $0.utf8.count <= 3 && $0.allSatisfy(\.isNumber) }
            && rest.dropFirst(3).allSatisfy { $0.utf8.allSatisfy(PinNotation.isHexDigit) }
        let record = isBare ? nil : ZoneRecord(line)
        guard isBare || record?.type == "TLSA" else { return nil }
        owner = record?.owner
        isOfInternet = record?.isOfInternet ?? true
        if let record { rest = record.data }
        guard rest.first == "\\#" else {
            numbers = Array(rest.prefix(3))
            data = rest.dropFirst(3).joined()
            length = nil
            return
        }
        rest = rest.dropFirst()
        length = rest.first ?? ""
        let digits = rest.dropFirst().joined()
        let front = Array(digits.utf8.prefix(6)).map { Character(Unicode.Scalar($0)) }
        numbers = stride(from: 0, to: front.count / 2 * 2, by: 2).map { index in
            UInt8(String(front[index...index + 1]), radix: 16).map { Substring(String($0)) } ?? "?"
        }
        data = String(decoding: digits.utf8.dropFirst(6), as: UTF8.self)
    }

    /// Whether a line has the type TLSA in any place.
    static func isMentioned(in line: Substring) -> Bool {
        line.split(whereSeparator: \.isWhitespace).contains(where: ZoneRecord.isTLSA)
    }

    /// What of the record no client knows, `nil` for one that they use: they pass over others (RFC 6698, 4.1).
    var unknown: String? {
        let values = numbers.map { UInt8($0) }
        guard values.count == 3, !data.isEmpty else { return nil }
        if let usage = values[0], TLSARecord.Usage(rawValue: usage) == nil { return "'\(usage)' is not a TLSA usage" }
        if let selector = values[1], TLSARecord.Selector(rawValue: selector) == nil {
            return "'\(selector)' is not a TLSA selector"
        }
        if let matching = values[2], TLSARecord.Matching(rawValue: matching) == nil {
            return "'\(matching)' is not a TLSA matching type"
        }
        return nil
    }

    /// The record.
    func record(at place: PinPlace) throws(PinFormatError) -> TLSARecord {
        func refuse(_ reason: String, _ remedy: String) -> PinFormatError {
            PinFormatError(.badRecord, at: place, reason, remedy: remedy)
        }
        guard numbers.count == 3, !data.isEmpty else {
            throw refuse("the TLSA record is cut off", "it has three numbers and hexadecimal data, as in 3 1 1 0B9F…")
        }
        guard let usage = UInt8(numbers[0]).flatMap(TLSARecord.Usage.init) else {
            throw refuse("'\(shortened(numbers[0], to: 20))' is not a TLSA usage", "it is 0, 1, 2 or 3")
        }
        guard let selector = UInt8(numbers[1]).flatMap(TLSARecord.Selector.init) else {
            throw refuse("'\(shortened(numbers[1], to: 20))' is not a TLSA selector", "it is 0 or 1")
        }
        guard let matching = UInt8(numbers[2]).flatMap(TLSARecord.Matching.init) else {
            throw refuse("'\(shortened(numbers[2], to: 20))' is not a TLSA matching type", "it is 0, 1 or 2")
        }
        let digits = data.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == data.utf8.count, digits.count.isMultiple(of: 2) else {
            throw refuse("the data of the TLSA record is not hexadecimal", "it is an even number of digits 0 to f")
        }
        if let length, Int(length) != digits.count / 2 + numbers.count {
            throw refuse(
                "the data of the TLSA record is not as long as it says", "behind \\# stands the number of its bytes")
        }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        guard let record = TLSARecord(usage: usage, selector: selector, matching: matching, data: bytes) else {
            let length = matching == .sha256 ? "SHA-256 has 32" : "SHA-512 has 64"
            throw refuse("the data of the TLSA record has \(bytes.count) bytes", length)
        }
        guard Self.isUsable(record) else {
            let what = selector == .certificate ? "certificate" : "public key"
            throw refuse(
                "the data of the TLSA record is not exactly one \(what), and clients pass over it as unusable",
                "matching type 0 has the whole \(what) in DER; 1 and 2 have its hash")
        }
        return record
    }

    /// Whether what a record holds whole is what it says, as OpenSSL asks of it (`SSL_dane_tlsa_add`).
    private static func isUsable(_ record: TLSARecord) -> Bool {
        guard record.matching == .full else { return true }
        return switch record.selector {
        case .certificate: (try? CertificateReader.certificate(der: record.data)) != nil
        case .publicKey: (try? CertificateReader.publicKey(subjectPublicKeyInfo: record.data)) != nil
        }
    }

    /// The record as an entry for the hosts of its owner, with the pin it is where a pin can say that.
    func entry(for hosts: HostPattern?, at place: PinPlace) throws(PinFormatError) -> HostEntry {
        let record = try record(at: place)
        var pins: [Pin] = []
        if let material = Self.material(record) { pins = [Pin(material, origin: place.description)] }
        return HostEntry(hosts: hosts, origin: place.description, identities: .records([record], pins: pins))
    }

    private static func material(_ record: TLSARecord) -> Pin.Material? {
        switch (record.selector, record.matching) {
        case (.publicKey, .sha256): SHA256Digest(bytes: record.data).map { .publicKey($0) }
        case (.publicKey, .full):
            (try? CertificateReader.publicKey(subjectPublicKeyInfo: record.data)).map { .publicKey($0.spkiSHA256) }
        case (.certificate, .full): (try? CertificateReader.certificate(der: record.data)).map { .certificate($0) }
        default: nil
        }
    }
}
