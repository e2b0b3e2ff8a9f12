internal import COpenSSL

extension LabCertificate {
    /// The name `openssl rehash` gives the certificate's file in a directory of anchors: its subject's hash and `.0`.
    public var hashedFileName: String {
        let hash = der.withUnsafeBufferPointer { bytes -> UInt in
            var cursor = bytes.baseAddress
            guard let certificate = d2i_X509(nil, &cursor, bytes.count) else { return 0 }
            defer { X509_free(certificate) }
            return X509_subject_name_hash(certificate)
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".0"
    }
}
