/// What a request is for: a path, and the parameters behind it.
package struct RequestPlace: Hashable, Sendable {
    package struct Parameter: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// The longest place that is read, in bytes: a host has 255, and its escapes three each.
    package static let longest = 4_096
    package static let mostParameters = 16

    package let path: String
    /// The parameters in their order.
    package let parameters: [Parameter]

    /// Reads the target of a request (RFC 9112, 3.2): a path, or a URL of this server.
    package init(_ text: String) throws(RequestProblem) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest else { throw .tooLong(limit: Self.longest) }
        var rest = bytes[...]
        if rest.first != UInt8(ascii: "/") {
            guard let slashes = Self.endOfScheme(bytes) else { throw .noPath }
            rest = rest[slashes...].drop { $0 != UInt8(ascii: "/") }
        }
        guard rest.first == UInt8(ascii: "/"), !rest.contains(UInt8(ascii: "#")) else { throw .noPath }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        self.path = String(decoding: path, as: UTF8.self)
        var parameters: [Parameter] = []
        for part in rest[path.endIndex...].dropFirst().split(separator: UInt8(ascii: "&")) {
            guard parameters.count < Self.mostParameters else { throw .tooMany(limit: Self.mostParameters) }
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            let value = part[name.endIndex...].dropFirst()
            parameters.append(Parameter(name: try Self.decoded(name), value: try Self.decoded(value)))
        }
        self.parameters = parameters
    }

    /// Where the host begins in a URL of HTTP, `nil` for another text.
    private static func endOfScheme(_ bytes: [UInt8]) -> Int? {
        for scheme in ["http://", "https://"] {
            let start = bytes.prefix(scheme.utf8.count)
            if String(decoding: start, as: UTF8.self).lowercased() == scheme { return start.endIndex }
        }
        return nil
    }

    /// What a part of a form means: `%41` is a byte, and a plus sign a blank, as Prometheus writes it.
    private static func decoded(_ text: ArraySlice<UInt8>) throws(RequestProblem) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw .badEscape
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .notText }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
