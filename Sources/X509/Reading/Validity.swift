internal import COpenSSL
internal import Pinning

/// The validity dates of a certificate as timestamps; `nil` for a malformed date.
enum Validity {
    /// The first moment of 1970, which dates are measured from.
    ///
    /// Its type is left to the compiler: OpenSSL 4 makes `ASN1_TIME` opaque. Unsafe only to the compiler: it never changes.
    nonisolated(unsafe) private static let epoch = ASN1_TIME_set(nil, 0)

    static func notBefore(of certificate: OpaquePointer) -> Timestamp? {
        var days: Int32 = 0
        var seconds: Int32 = 0
        let status = ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notBefore(certificate))
        return timestamp(status, days, seconds)
    }

    static func notAfter(of certificate: OpaquePointer) -> Timestamp? {
        var days: Int32 = 0
        var seconds: Int32 = 0
        let status = ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate))
        return timestamp(status, days, seconds)
    }

    private static func timestamp(_ status: Int32, _ days: Int32, _ seconds: Int32) -> Timestamp? {
        status == 1 ? Timestamp(secondsSinceEpoch: Int64(days) * 86_400 + Int64(seconds)) : nil
    }
}
