internal import COpenSSL
internal import Pinning

/// The validity dates of a certificate as timestamps; `nil` for a malformed date.
enum Validity {
    /// The first moment of 1970, which dates are measured from.
    ///
    /// Its type is left to the compiler: OpenSSL 4 makes `ASN1_TIME` opaque. Unsafe only to the compiler: it never changes.
    nonisolated(unsafe) static let epoch = ASN1_TIME_set(nil, 0)

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

    /// The dates that an OpenSSL function hands out by three pointers, in their order.
    ///
    /// The type of a date is left to the compiler here too.
    static func dates<Date>(
        _ read: (
            _ first: UnsafeMutablePointer<Date?>, _ second: UnsafeMutablePointer<Date?>,
            _ third: UnsafeMutablePointer<Date?>
        ) -> Void, difference: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, Date) -> Int32
    ) -> [OptionalDate] {
        var dates: (Date?, Date?, Date?) = (nil, nil, nil)
        read(&dates.0, &dates.1, &dates.2)
        return [dates.0, dates.1, dates.2].map { date in
            guard let date else { return .absent }
            var days: Int32 = 0
            var seconds: Int32 = 0
            return timestamp(difference(&days, &seconds, date), days, seconds).map(OptionalDate.at) ?? .broken
        }
    }

    private static func timestamp(_ status: Int32, _ days: Int32, _ seconds: Int32) -> Timestamp? {
        status == 1 ? Timestamp(secondsSinceEpoch: Int64(days) * 86_400 + Int64(seconds)) : nil
    }
}

/// A date that may be left out.
enum OptionalDate {
    case absent
    case at(Timestamp)
    case broken

    var date: Timestamp? { if case .at(let date) = self { date } else { nil } }
    var isBroken: Bool { if case .broken = self { true } else { false } }
}
