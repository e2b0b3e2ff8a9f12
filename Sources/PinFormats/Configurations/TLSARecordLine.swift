internal import Pinning
internal import Text
internal import X509

/// One TLSA record as zone files, `dig` and people write it: `_443._tcp.host. 3600 IN TLSA 3 1 1 HEX`, or `3 1 1 HEX` alone.
struct TLSARecordLine {
    /// The name before the record, as it is written; `nil` without one.
    let owner: Substring?
    /// Whether it is of class IN, which goes without saying.
    let isOfInternet: Bool
    private let numbers: [Substring]
    private let data: String

    /// Takes the line apart, `nil` when it is no such record, well made or not.
    init?(_ line: some StringProtocol) {
        let words = Substring(line).split(whereSeparator: \.isWhitespace)
        let rest: ArraySlice<Substring>
        if let type = Self.type(in: words, hasOwner: line.first?.isWhitespace == false) {
            rest = words[(type.index + 1)...]
            owner = type.hasOwner ? words[0] : nil
            isOfInternet = type.isOfInternet
        } else {
            rest = words[...]
            owner = nil
            isOfInternet = true
            guard words.count >= 4, words.prefix(3).allSatisfy({ $0.utf8.count <= 3 && $0.allSatisfy(\.isNumber) }),
                words.dropFirst(3).allSatisfy({ $0.utf8.allSatisfy(PinNotation.isHexDigit) })
            else { return nil }
        }
        numbers = Array(rest.prefix(3))
        data = rest.dropFirst(3).joined()
    }

    /// Where the type TLSA stands: behind the owner, if there is one, a time to live and a class (RFC 1035, 5.1).
    ///
    /// The same word may be a host's name, or one of the types that another record is about.
    private static func type(
        in words: [Substring],
        hasOwner: Bool
    ) -> (index: Int, hasOwner: Bool, isOfInternet: Bool)? {
        func isType(_ index: Int) -> Bool { index < words.count && words[index].uppercased() == "TLSA" }
        func isClass(_ word: Substring) -> Bool {
            let word = word.uppercased()
            return ["IN", "CH", "HS", "CS"].contains(word) || word.hasPrefix("CLASS") && Int(word.dropFirst(5)) != nil
        }
        // Without an owner and without a blank for it, as people write one record: nobody is called as the next word is.
        let isFollowedByNumber = words.count > 1 && words[1].allSatisfy(\.isNumber)
        let leavesOwnerOut = isType(0) && isFollowedByNumber || words.first.map(isClass) == true && isType(1)
        var index = hasOwner && !leavesOwnerOut ? 1 : 0
        var isOfInternet = true
        while index < words.count {
            if isType(index) { return (index, hasOwner && !leavesOwnerOut, isOfInternet) }
            if isClass(words[index]) {
                isOfInternet = ["IN", "CLASS1"].contains(words[index].uppercased())
            } else if words[index].utf8.first.map({ (0x30...0x39).contains($0) }) != true {
                return nil
            }
            index += 1
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
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        guard let record = TLSARecord(usage: usage, selector: selector, matching: matching, data: bytes) else {
            let length = matching == .sha256 ? "SHA-256 has 32" : "SHA-512 has 64"
            throw refuse("the data of the TLSA record has \(bytes.count) bytes", length)
        }
        guard Self.isUsable(record) else {
            let what = selector == .certificate ? "certificate" : "public key"
            throw refuse(
                "the data of the TLSA record is not exactly one \(what), and clients pass over it as unusable",
                "matching type 0 has the whole \(what) in DER; 1 and 2 have its hash"
            )
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
