internal import Pinning
internal import X509

/// The relatives of certificates that hold a key or certificates to pin.
extension PinCollector {
    /// Adds the key of a PKCS #10 request, and says that it is no certificate's.
    mutating func addRequest(_ der: [UInt8], at place: PinPlace) throws(PinFormatError) {
        do { add(try KeyReader.request(der: der).publicKey, at: place) } catch {
            throw .brokenRequest(at: place, der, detail: error.detail)
        }
        note(.request, at: place, "a certificate request: its public key is pinned, for there is no certificate yet")
    }

    /// Adds the certificates of a PKCS #7 message.
    mutating func addSignedData(_ der: [UInt8], at place: PinPlace) throws(PinFormatError) {
        do {
            for certificate in try SignedDataReader.certificates(der: der) { add(.certificate(certificate), at: place) }
        } catch { throw .brokenSignedData(at: place, der, detail: error.detail) }
    }
}
