/// Answers requests of a test's own making.
public final class Responder: Sendable, Hashable {
    /// What is sent, and what follows.
    public struct Answer: Sendable {
        /// How the server's side of the connection ends.
        public enum Ending: Sendable {
            /// By close_notify.
            case goodbye
            /// The connection is closed without it.
            case cut
            /// It does not: nothing more is sent.
            case silence
        }

        /// What is sent.
        public var bytes: [UInt8]
        /// What follows.
        public var ending: Ending

        /// An answer.
        public init(_ bytes: [UInt8], _ ending: Ending = .goodbye) {
            self.bytes = bytes
            self.ending = ending
        }

        /// An answer of a head, the line breaks of which are made right, and a body.
        public init(_ head: String, _ body: some Sequence<UInt8> = [], _ ending: Ending = .goodbye) {
            let head = head.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
            self.init(Array((head + "\r\n\r\n").utf8) + Array(body), ending)
        }
    }

    private let answer: @Sendable (String) -> Answer

    /// A responder that answers by `answer`, which is handed the head of a request.
    public init(_ answer: @escaping @Sendable (String) -> Answer) { self.answer = answer }

    func answer(to request: String) -> Answer { answer(request) }

    /// Whether both are the same one.
    public static func == (left: Responder, right: Responder) -> Bool { left === right }

    /// Adds what tells it from others.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
