import Base

/// Reads the head of HTTP/1.0 or 1.1 (RFC 9112, 4) in pieces; the library's decoder has no reason phrase and no limits.
struct HTTPHeadReader {
    enum Step: Hashable {
        case incomplete
        /// The end of the head; the status line is without its line end.
        case complete(status: Int, statusLine: [UInt8])
        case failed(HTTPError)
    }

    /// The most bytes of heads, interim ones included.
    static let limit = 64 * 1024
    /// The most bytes of a status line; servers send some dozens.
    static let statusLineLimit = 8_000
    /// The most interim heads; each costs the decoder as much as one with many fields.
    private static let interimLimit = 64

    private(set) var count = 0
    private var statusLine: [UInt8]?
    private var line: [UInt8] = []
    private var interimCount = 0

    /// Takes bytes up to the end of the head or a failure, and ignores those after it.
    mutating func read(_ bytes: some Sequence<UInt8>) -> Step {
        for byte in bytes {
            count += 1
            guard count <= Self.limit else { return .failed(.tooLong(limit: Self.limit)) }
            if byte == "\n" {
                if line.last == "\r" { line.removeLast() }
                let step = endLine()
                guard step == .incomplete else { return step }
                line = []
                continue
            }
            if statusLine == nil {
                guard Self.fits(byte, at: line.count) else { return .failed(.notHTTP) }
                guard line.count < Self.statusLineLimit else { return .failed(.tooLong(limit: Self.statusLineLimit)) }
            }
            line.append(byte)
        }
        return .incomplete
    }

    private mutating func endLine() -> Step {
        guard let statusLine else {
            guard line.count >= Self.shape.count else { return .failed(.notHTTP) }
            statusLine = line
            return .incomplete
        }
        guard line.isEmpty else { return .incomplete }
        let status = statusLine[9..<12].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        // 101 would end HTTP/1 on the connection, and no request here allows that (RFC 9110, 15.2.2).
        guard status < 200, status != 101 else { return .complete(status: status, statusLine: statusLine) }
        interimCount += 1
        guard interimCount <= Self.interimLimit else { return .failed(.tooLong(limit: Self.limit)) }
        self.statusLine = nil
        return .incomplete
    }

    /// The beginning of a status line; `0` matches any digit.
    private static let shape = "HTTP/1.0 000".bytes

    private static func fits(_ byte: UInt8, at position: Int) -> Bool {
        guard position < shape.count else {
            // The reason phrase may be missing, and so may the blank before it.
            return position > shape.count || byte == " " || byte == "\r"
        }
        guard shape[position] == "0" else { return byte == shape[position] }
        // No status begins with a zero (RFC 9110, 15).
        return (position == 9 ? 0x31...0x39 : 0x30...0x39).contains(byte)
    }
}
