/// A request for a document of any size, for a server that is accepted (RFC 9110, 9.3).
package struct TransferQuestion: Sendable, Hashable {
    package let method: HTTPQuestion.Method
    /// Where it is; its authority is what the Host header says, unless another is given.
    package let location: HTTPLocation
    package let authority: String
    /// Further fields, in their order.
    package let fields: [HTTPField]

    package init(
        _ method: HTTPQuestion.Method = .get, _ location: HTTPLocation, authority: String? = nil,
        fields: [HTTPField] = []
    ) {
        self.method = method
        self.location = location
        self.authority = authority ?? location.authority
        self.fields = fields
    }

    var allFields: [HTTPField] {
        var all = [HTTPField(unchecked: "Host", authority)]
        for (name, value) in [("User-Agent", "pincheck"), ("Accept", "*/*")]
        where !fields.contains(where: { $0.isNamed(name) }) { all.append(HTTPField(unchecked: name, value)) }
        // A document is stored as it is.
        all +=
            fields + [HTTPField(unchecked: "Accept-Encoding", "identity"), HTTPField(unchecked: "Connection", "close")]
        return all
    }
}

/// A field of a head (RFC 9110, 5).
package struct HTTPField: Sendable, Hashable {
    package let name: String
    package let value: String

    /// Reads `Name: value`; `nil` for what no request may have.
    package init?(line: some StringProtocol) {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        self.init(line[..<colon], line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
    }

    /// A field with this name and value; `nil` for a name that is no token, and for a value that could end its line.
    package init?(_ name: some StringProtocol, _ value: some StringProtocol) {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else { return nil }
        guard value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.init(unchecked: String(name), String(value))
    }

    init(unchecked name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    package func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// The head of the answer that a document comes with; interim answers are passed over.
package struct TransferHead: Sendable, Hashable {
    /// The status code, 200…999.
    package let status: Int
    /// The reason phrase: the standard's for a status that has one there, else as the server wrote it, not escaped.
    package let reason: String
    /// The fields as the server wrote them, not escaped, in their order.
    package let fields: [HTTPField]

    package init(status: Int, reason: String = "", fields: [HTTPField] = []) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }

    /// The value of the only field with this name; `nil` where there is none, or several that differ.
    package func value(of name: String) -> String? {
        let values = Set(fields.filter { $0.isNamed(name) }.map(\.value))
        return values.count == 1 ? values.first : nil
    }
}

/// Takes a document as it comes, on the event loop, and says whether to go on.
package protocol TransferReceiver: AnyObject, Sendable {
    /// Takes the head; `false` ends the transfer without its body.
    func receive(_ head: TransferHead) -> Bool

    /// Takes the next bytes of the body; `false` ends the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// A document to ask an accepted server for, and whoever takes it.
package struct Transfer: Sendable {
    package let question: TransferQuestion
    package let receiver: any TransferReceiver
    /// When a server is too slow.
    package let patience: Patience

    /// How slowly a body may come once its head is there.
    package struct Patience: Sendable, Hashable {
        /// How many bytes there have to be in each ``time``.
        package var bytes: Int
        package var time: Duration

        package init(bytes: Int, in time: Duration) {
            self.bytes = bytes
            self.time = time
        }
    }

    package init(_ question: TransferQuestion, for receiver: any TransferReceiver, patience: Patience) {
        self.question = question
        self.receiver = receiver
        self.patience = patience
    }
}

/// Why a document did not come to its end.
package enum TransferError: Error, Sendable, Hashable {
    /// The receiver wanted no more.
    case stopped
    /// The deadline passed before the head of the answer was complete.
    case deadlineExceeded
    /// Fewer bytes came in this time than have to.
    case tooSlow(Duration)
    /// The server closed the connection, or it was cut, before the answer was complete.
    case closedEarly
    /// The server reset the connection.
    case reset
    /// What the server sent is no HTTP/1.0 or HTTP/1.1, or contradicts itself.
    case notHTTP
    /// Heads, trailers and what is between the parts of the body are longer than they may be.
    case tooLong
    /// The handshake came to no end, for want of a client certificate: there was no connection to ask on.
    case handshakeNotCompleted
    /// TLS failed, in OpenSSL's words.
    case tlsFailure(String)
    case noConnection(ProbeError)
    /// The task was cancelled, or the prober was shut down.
    case cancelled
}

extension TransferError {
    /// Why a connection ended on which nothing was asked for yet.
    init(_ error: HTTPAnswerError) {
        self =
            switch error {
            case .deadlineExceeded: .deadlineExceeded
            case .closedEarly: .closedEarly
            case .reset: .reset
            case .alert(let alert): .tlsFailure("the alert \(alert)")
            case .notHTTP, .spokeFirst: .notHTTP
            case .tooLong: .tooLong
            case .handshakeNotCompleted: .handshakeNotCompleted
            case .tlsFailure(let text): .tlsFailure(text)
            case .cancelled: .cancelled
            }
    }
}

extension TransferError: CustomStringConvertible {
    /// What happened, for the end of a line that names the document.
    package var description: String {
        switch self {
        case .stopped: "nobody wanted more of it"
        case .deadlineExceeded: "the server did not answer in time"
        case .tooSlow(let time): "the server sent too little for \(time.components.seconds) s"
        case .closedEarly: "the connection ended before the answer was complete"
        case .reset: "the server reset the connection"
        case .notHTTP: "what the server sent is not HTTP/1"
        case .tooLong: "what the server sent around the document is too long"
        case .handshakeNotCompleted: "the server wants a client certificate"
        case .tlsFailure(let text): "TLS failed: \(text)"
        case .noConnection(let error): error.description
        case .cancelled: "it was cancelled"
        }
    }
}
