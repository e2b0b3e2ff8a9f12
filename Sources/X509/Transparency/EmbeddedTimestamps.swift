internal import COpenSSL
package import Pinning

extension TimestampListReader {
    /// The timestamps in a certificate (extension 1.3.6.1.4.1.11129.2.4.2, `X509_get_ext_by_NID`); `nil` when it has none.
    ///
    /// - Throws: ``TransparencyError`` for an extension that is damaged or there twice.
    package static func embedded(in certificate: Certificate) throws(TransparencyError) -> TimestampList? {
        guard let handle = HandleCache.shared.handle(for: certificate) else { return nil }
        let index = X509_get_ext_by_NID(handle.pointer, NID_ct_precert_scts, -1)
        guard index >= 0, let found = X509_get_ext(handle.pointer, index) else { return nil }
        guard X509_get_ext_by_NID(handle.pointer, NID_ct_precert_scts, index) < 0 else {
            throw TransparencyError(.repeatedExtension)
        }
        return try read(extension: found, from: .certificate)
    }

    /// The timestamps in an `X509_EXTENSION`: an OCTET STRING inside of the extension's own.
    static func read(
        extension found: OpaquePointer, from source: SignedCertificateTimestamp.Source
    ) throws(TransparencyError) -> TimestampList {
        let value = Extensions.bytes(X509_EXTENSION_get_data(found)) ?? []
        guard let list = DER.octetString(value) else { throw TransparencyError(.brokenExtension) }
        return try read(list, from: source)
    }
}
