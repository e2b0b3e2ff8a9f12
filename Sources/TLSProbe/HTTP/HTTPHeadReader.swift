/// Reads the head of an answer in HTTP/1.0 or HTTP/1.1 (RFC 9112, 4), in whatever pieces it comes.
///
/// The status line is kept, of the fields only the end is looked for. By hand, because the library's decoder gives neither a reason
/// phrase of the server's own nor a bound on what it keeps.
package struct HTTPHeadReader: Sendable {
    package enum Step: Sendable, Hashable {
        case incomplete
        /// It has ended: the status code, and the status line without its end.
        case complete(status: Int, statusLine: [UInt8])
        /// It is none, or too long.
        case failed(HTTPError)
    }

    /// The most bytes of heads that are taken, interim ones among them.
    package static let limit = 64 * 1024
    /// The most bytes of a status line that are taken: ten thousand times what any says.
    package static let statusLineLimit = 8_000
    /// How many interim heads are taken; each costs a decoder as much as one with many fields.
    private static let interimLimit = 64

    /// How many bytes were read.
    package private(set) var count = 0
    private var statusLine: [UInt8]?
    /// The line that is being read.
    private var line: [UInt8] = []
    private var interimCount = 0

    package init() {}

    /// Reads on; what follows the end of the head or a failure is not looked at.
    package mutating func read(_ bytes: some Sequence<UInt8>) -> Step {
        for byte in bytes {
            count += 1
            guard count <= Self.limit else { return .failed(.tooLong(limit: Self.limit)) }
            if byte == UInt8(ascii: "\n") {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
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
        // Nothing follows 101, which nobody asked for, in this protocol (RFC 9110, 15.2.2).
        guard status < 200, status != 101 else { return .complete(status: status, statusLine: statusLine) }
        interimCount += 1
        guard interimCount <= Self.interimLimit else { return .failed(.tooLong(limit: Self.limit)) }
        self.statusLine = nil
        return .incomplete
    }

    /// What a status line begins with; `0` stands for any digit.
    private static let shape = Array("HTTP/1.0 000".utf8)

    private static func fits(_ byte: UInt8, at position: Int) -> Bool {
        guard position < shape.count else {
            // The reason phrase may be missing, and so may the blank before it.
            return position > shape.count || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\r")
        }
        guard shape[position] == UInt8(ascii: "0") else { return byte == shape[position] }
        // No status begins with a zero (RFC 9110, 15).
        return (position == 9 ? 0x31...0x39 : 0x30...0x39).contains(byte)
    }
}

/// Which part of a document an answer holds (Content-Range, RFC 9110, 14.4).
package struct ContentRange: Hashable, Sendable {
    /// The first and the last byte, `nil` where the server has nothing of what was asked for.
    package let bytes: ClosedRange<Int>?
    /// How long the whole document is, `nil` where the server does not say.
    package let total: Int?

    /// Reads `bytes 100-199/1000`, `bytes 100-199/*` or `bytes */1000`; `nil` for anything else, and for what contradicts itself.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
        if ends.count == 2, let first = ends[0], let last = ends[1], first <= last {
            bytes = first...last
        } else {
            bytes = nil
        }
        total = Self.number(halves[1])
        // One of them may be unknown.
        guard bytes != nil || halves[0] == "*" && total != nil, total != nil || halves[1] == "*",
            bytes?.last ?? -1 < total ?? .max
        else { return nil }
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
