internal import X509

/// A name of the DNS: its labels, in small letters.
struct ZoneName: Hashable, CustomStringConvertible {
    let labels: [String]

    static let root = ZoneName(labels: [])
    /// The most bytes of a name (RFC 1035, 2.3.4).
    private static let sizeLimit = 255

    private init(labels: [String]) { self.labels = labels }

    /// Reads a name as zones have it (RFC 1035, 5.1), `nil` for what is none.
    init?(_ text: Substring, below origin: ZoneName) {
        guard text != "@" else {
            self = origin
            return
        }
        guard text != "." else {
            self = .root
            return
        }
        // An escape takes four bytes.
        guard text.utf8.count <= 4 * Self.sizeLimit else { return nil }
        var labels: [String] = []
        var label: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: ".") {
                guard !label.isEmpty else { return nil }
                labels.append(String(decoding: label, as: UTF8.self))
                label = []
            } else if byte == UInt8(ascii: "\\") {
                guard let escaped = Self.escaped(&rest) else { return nil }
                label.append(escaped)
            } else {
                label.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            }
        }
        if !label.isEmpty { labels.append(String(decoding: label, as: UTF8.self)) }
        if !label.isEmpty { labels += origin.labels }
        guard labels.reduce(1, { $0 + 1 + $1.utf8.count }) <= Self.sizeLimit else { return nil }
        self.labels = labels
    }

    /// What stands behind a backslash: three digits, or the byte itself.
    private static func escaped(_ rest: inout Substring.UTF8View) -> UInt8? {
        guard let first = rest.first else { return nil }
        guard (0x30...0x39).contains(first) else {
            return rest.popFirst().map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        }
        let digits = rest.prefix(3)
        rest = rest.dropFirst(3)
        guard digits.count == 3, let byte = UInt8(String(decoding: digits, as: UTF8.self)) else { return nil }
        return (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    var description: String { labels.joined(separator: ".") + "." }

    /// The name as hosts are written.
    var host: String {
        let text = labels.joined(separator: ".")
        return InternationalName.ascii(text) ?? text
    }

    /// The name and all above it, the longest first.
    var andAbove: some Sequence<ZoneName> { (0...labels.count).lazy.map { ZoneName(labels: Array(labels[$0...])) } }

    /// The port of a service over TCP (RFC 6698, 3): `nil` for all of them, which a wildcard in its place says.
    var service: (port: Int?, transport: String, host: String)? {
        guard labels.count > 2, labels[1].hasPrefix("_"), !labels[2...].contains(where: { $0.contains(".") }) else {
            return nil
        }
        let host = labels[2...].joined(separator: ".")
        if labels[0] == "*" { return (nil, labels[1], host) }
        return Self.port(labels[0]).map { ($0, labels[1], host) }
    }

    /// The port that a label says, `nil` for another label.
    static func port(_ label: String) -> Int? {
        let digits = label.dropFirst()
        // A client asks for the number as it is written without zeros.
        guard label.hasPrefix("_"), let port = UInt16(digits), String(port) == digits else { return nil }
        return Int(port)
    }
}
