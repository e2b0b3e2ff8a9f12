/// How many logs' signed certificate timestamps a platform wants to see in a leaf.
///
/// Those in the certificate are counted, by their logs. Which logs they are from, whether those are usable and what a server sends beside
/// the certificate is not judged.
public enum TransparencyRule: Sendable, Hashable, CaseIterable {
    /// Apple's, for leaves from 2018-10-16 on (support.apple.com/103214; CertificateTransparency.m of macOS 26).
    case apple
    /// Android's and Chrome's (Conscrypt's PolicyImpl; Chrome's policy).
    case chrome

    /// Apple asks for timestamps with leaves from this moment on: 2018-10-16T00:00:00Z ("issued after October 15").
    static let appleStart = Timestamp(secondsSinceEpoch: 1_539_648_000)
    /// Until this moment Apple counted a leaf's months: 2021-04-21T00:00:00Z.
    static let appleMonthsEnd = Timestamp(secondsSinceEpoch: 1_618_963_200)

    /// How many logs' timestamps a leaf has to hold.
    ///
    /// Whether the platform asks for any at all, for this root and by this app's configuration, is for the caller to know.
    ///
    /// - Parameters:
    ///   - notBefore: the first second of the leaf's validity.
    ///   - notAfter: the last second of the leaf's validity.
    /// - Returns: the number, `nil` for a leaf that is older than the rule.
    public func needed(notBefore: Timestamp, notAfter: Timestamp) -> Int? {
        if self == .apple, notBefore < Self.appleStart { return nil }
        let lifetime = Threshold.seconds(from: notBefore, to: notAfter)
        let day: Int64 = 86_400
        switch self {
        case .chrome: return lifetime / day <= 180 ? 2 : 3
        case .apple:
            // No leaf of a public root lives longer; below others the strictest counts.
            let more = lifetime > 825 * day ? 1 : 0
            // The shortest fifteen months have 454 days.
            if notBefore < Self.appleMonthsEnd { return (lifetime < 454 * day ? 2 : 4) + more }
            return (lifetime <= 180 * day ? 2 : 3) + more
        }
    }
}
