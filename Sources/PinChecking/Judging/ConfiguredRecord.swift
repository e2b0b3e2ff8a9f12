package import Pinning
import X509

/// A TLSA record that is configured and that no pin can express, as one of a certificate's hash.
package struct ConfiguredRecord: Sendable {
    /// The record.
    package let record: TLSARecord
    /// Where it was read.
    package let origin: String
}

/// Pins by what records may say of them, so that many records are looked up among many pins.
struct RecordedPins {
    private struct Content: Hashable {
        let selector: TLSARecord.Selector
        let matching: TLSARecord.Matching
        let data: [UInt8]
    }

    private var positions: [Content: [Int]] = [:]

    init(_ pins: [Pin], _ verifier: some PathVerifier) {
        for (position, pin) in pins.enumerated() {
            add(position, .publicKey, .sha256, pin.spkiSHA256.bytes)
            guard let certificate = pin.certificate else { continue }
            add(position, .publicKey, .sha512, verifier.sha512(of: certificate.publicKey.subjectPublicKeyInfo))
            add(position, .certificate, .full, certificate.der)
            add(position, .certificate, .sha256, certificate.fingerprint.bytes)
            add(position, .certificate, .sha512, verifier.sha512(of: certificate.der))
        }
    }

    private mutating func add(
        _ position: Int, _ selector: TLSARecord.Selector, _ matching: TLSARecord.Matching, _ data: [UInt8]
    ) { positions[Content(selector: selector, matching: matching, data: data), default: []].append(position) }

    /// The positions of the pins that say the same as a record, apart from where on the path it has to be.
    func positions(saying record: TLSARecord) -> [Int] {
        let isKey = record.selector == .publicKey && record.matching == .full
        let content = Content(
            selector: record.selector, matching: isKey ? .sha256 : record.matching,
            data: isKey ? Hashing.sha256(record.data).bytes : record.data)
        return positions[content] ?? []
    }
}
