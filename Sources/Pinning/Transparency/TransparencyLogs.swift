/// The logs of a list that a user gives, as of the list's own date.
///
/// No list is shipped: its licence forbids to enforce with it, so it warns and never decides.
public struct TransparencyLogs: Sendable, Hashable {
    /// What may be said of a log.
    public enum State: Sendable, Hashable {
        /// Its timestamps count since this moment (qualified, usable).
        case usable(since: Timestamp)
        /// It takes no more certificates; its timestamps count.
        case readOnly
        /// Its timestamps from before this moment count.
        case retired(since: Timestamp)
        /// Its timestamps do not count (pending, rejected, or not said).
        case unusable
    }

    /// A log.
    public struct Log: Sendable, Hashable {
        /// What it is called.
        public let name: String
        /// Its key, a DER SubjectPublicKeyInfo.
        public let key: [UInt8]
        /// What may be said of it.
        public let state: State

        /// A log.
        public init(name: String, key: [UInt8], state: State) {
            self.name = name
            self.key = key
            self.state = state
        }

        /// Whether a timestamp of the log counts at `time`.
        public func counts(_ timestamp: SignedCertificateTimestamp, at time: Timestamp) -> Bool {
            switch state {
            case .usable(let since): since <= time
            case .readOnly: true
            case .retired(let since): timestamp.time < since || time < since
            case .unusable: false
            }
        }
    }

    /// The logs by what they are known by, the SHA-256 of their keys.
    public let logs: [SHA256Digest: Log]
    /// When the list was made, `nil` where it does not say.
    public let date: Timestamp?

    /// A list.
    public init(_ logs: [SHA256Digest: Log], date: Timestamp?) {
        self.logs = logs
        self.date = date
    }
}
