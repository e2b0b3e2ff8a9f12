internal import COpenSSL

/// `der` as PEM (RFC 7468): base64 in lines of 64 characters between the BEGIN and END lines of `label`.
public func pem(_ der: [UInt8], label: String) -> String {
    // EVP_EncodeBlock writes one NUL after the text.
    var encoded = [UInt8](repeating: 0, count: (der.count + 2) / 3 * 4 + 1)
    let length = Int(EVP_EncodeBlock(&encoded, der, Int32(der.count)))
    var text = "-----BEGIN \(label)-----\n"
    for start in stride(from: 0, to: length, by: 64) {
        text += String(decoding: encoded[start..<min(start + 64, length)], as: UTF8.self) + "\n"
    }
    return text + "-----END \(label)-----\n"
}

/// The certificates in this order as one PEM text: what a server's chain file holds.
public func pem(of certificates: [LabCertificate]) -> String { certificates.map(\.pem).joined() }
