/// How many signed certificate timestamps a platform wants to see with a leaf.
///
/// Only what can be counted without a list of logs is decided: how many timestamps there are from how many logs. Which logs they
/// are from, whether those are usable and who runs them is not.
public enum TransparencyRule: String, Sendable, Hashable, CaseIterable {
    /// Apple's, for leaves from 2018-10-16 on (support.apple.com/103214; CertificateTransparency.m of macOS 26).
    case apple
    /// Android's and Chrome's (Conscrypt's PolicyImpl; Chrome's policy).
    case chrome

    /// What was counted.
    public struct Count: Sendable, Hashable {
        /// The logs whose timestamps are in the certificate.
        public let inCertificate: Int
        /// The logs whose timestamps came in the handshake or the staple.
        public let besideCertificate: Int
        /// The logs of all timestamps together.
        public let logs: Int
        /// The timestamps; a log may have given several.
        public let timestamps: Int

        /// Counts the timestamps that lie at or before `time`: a client takes none from the future (RFC 6962, 5.2).
        public init(_ timestamps: [SignedCertificateTimestamp], at time: Timestamp) {
            let past = timestamps.filter { $0.time <= time }
            inCertificate = Set(past.filter { !$0.source.isBesideCertificate }.map(\.logID)).count
            besideCertificate = Set(past.filter(\.source.isBesideCertificate).map(\.logID)).count
            logs = Set(past.map(\.logID)).count
            self.timestamps = past.count
        }
    }

    /// What the count means.
    public enum Judgement: Sendable, Hashable {
        /// The leaf is older than the rule.
        case notAsked
        /// There are enough.
        case enough(Count)
        /// There are too few: so many logs' timestamps would have to be in the certificate.
        case tooFew(Count, needed: Int)
    }

    /// Apple asks for timestamps with leaves from this moment on: 2018-10-16T00:00:00Z ("issued after October 15").
    static let appleStart = Timestamp(secondsSinceEpoch: 1_539_648_000)
    /// Until this moment Apple counted a leaf's months: 2021-04-21T00:00:00Z.
    static let appleMonthsEnd = Timestamp(secondsSinceEpoch: 1_618_963_200)
    /// How many logs' timestamps are enough without any in the certificate.
    static let besideCertificateEnough = 2

    /// Judges the timestamps that came with a leaf.
    ///
    /// Whether the platform asks for any at all, for this root and by this app's configuration, is for the caller to know.
    ///
    /// - Parameters:
    ///   - timestamps: those of the certificate, the handshake and the staple.
    ///   - notBefore: the first second of the leaf's validity.
    ///   - notAfter: the last second of the leaf's validity.
    ///   - time: the moment of the judgement.
    /// - Returns: what the count means.
    public func judge(
        _ timestamps: [SignedCertificateTimestamp], notBefore: Timestamp, notAfter: Timestamp, at time: Timestamp
    ) -> Judgement { judge(Count(timestamps, at: time), notBefore: notBefore, notAfter: notAfter) }

    /// Judges timestamps that were counted before.
    ///
    /// - Parameters:
    ///   - count: what was counted.
    ///   - notBefore: the first second of the leaf's validity.
    ///   - notAfter: the last second of the leaf's validity.
    /// - Returns: what the count means.
    public func judge(_ count: Count, notBefore: Timestamp, notAfter: Timestamp) -> Judgement {
        if self == .apple, notBefore < Self.appleStart { return .notAsked }
        let needed = neededInCertificate(notBefore: notBefore, notAfter: notAfter)
        let isEnough =
            switch self {
            // Two logs of any source, of which one came beside the certificate.
            case .apple: count.besideCertificate >= 1 && count.logs >= Self.besideCertificateEnough
            case .chrome: count.besideCertificate >= Self.besideCertificateEnough
            }
        return isEnough || count.inCertificate >= needed ? .enough(count) : .tooFew(count, needed: needed)
    }

    /// How many logs' timestamps the certificate has to hold when none come beside it.
    func neededInCertificate(notBefore: Timestamp, notAfter: Timestamp) -> Int {
        let (difference, overflow) = notAfter.secondsSinceEpoch.subtractingReportingOverflow(
            notBefore.secondsSinceEpoch)
        let lifetime = overflow ? .max : difference
        switch self {
        case .chrome: return lifetime / 86_400 <= 180 ? 2 : 3
        case .apple where notBefore < Self.appleMonthsEnd:
            return switch notBefore.wholeMonths(until: notAfter) {
            case ..<15: 2
            case 15...27: 3
            case 28...39: 4
            default: 5
            }
        case .apple: return lifetime <= 180 * 86_400 ? 2 : lifetime <= 825 * 86_400 ? 3 : 4
        }
    }
}

extension Timestamp {
    /// How many whole months of the calendar lie between this moment and a later one, in UTC.
    fileprivate func wholeMonths(until end: Timestamp) -> Int {
        let (from, to) = (calendar, end.calendar)
        let months = (to.year - from.year) * 12 + to.month - from.month
        return (to.day, to.second) < (from.day, from.second) ? months - 1 : months
    }

    private var calendar: (year: Int, month: Int, day: Int, second: Int) {
        let parts = date.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return (0, 1, 1, 0) }
        return (parts[0], parts[1], parts[2], Int((secondsSinceEpoch % 86_400 + 86_400) % 86_400))
    }
}
