package import Pinning

/// Names for certificate files, made of names that anybody can have put into a certificate.
package enum CertificateFileName {
    /// The longest part that comes from the certificate, in characters.
    private static let longest = 60

    /// The name for a certificate, as in `leaf-api.example.com.cer`: letters and digits of ASCII, `.`, `-` and `_` only.
    ///
    /// `suffix` tells apart files that would have the same name.
    package static func name(of certificate: Certificate, role: PinItem.Role, suffix: String = "") -> String {
        var stem = ""
        for scalar in (certificate.commonName ?? "").unicodeScalars {
            guard stem.utf8.count < longest else { break }
            let isPlain = scalar.value < 0x80 && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isPlain || scalar == "_" {
                stem.unicodeScalars.append(scalar)
            } else if let last = stem.last, last != "-", last != "." {
                // Two points never meet, and no name begins with one.
                stem += scalar == "." ? "." : "-"
            }
        }
        while let last = stem.last, last == "-" || last == "." { stem.removeLast() }
        if stem.isEmpty { stem = String(certificate.fingerprint.hexadecimal.prefix(16)) }
        return "\(role.rawValue)-\(stem)\(suffix.isEmpty ? "" : "-" + suffix).cer"
    }
}
