import PinFormats
package import Pinning

/// What is known of authorities.
///
/// The program's own is a text of one line an authority and one a root, with fields between bars:
///
/// ```
/// authority | name
/// root | name | SHA-256 of the key | its kind | state | until | cross-signers | source | date
/// ```
///
/// `make-authorities` writes it from `authorities.json` and the certificates that the lists of devices have. It is read when it is
/// asked for, and no check asks for it.
package struct AuthorityTable: Sendable {
    /// The authorities, those of the table in its order.
    package let authorities: [Authority]
    private let positions: [SHA256Digest: Int]

    package static let builtIn: AuthorityTable = {
        guard let table = AuthorityTable(lines: Authority.lines) else {
            preconditionFailure("the table of authorities is not in its form")
        }
        return table
    }()

    /// A table of authorities, no two of which have a root in common.
    package init(_ authorities: [Authority]) {
        self.authorities = authorities
        var positions: [SHA256Digest: Int] = [:]
        for (position, authority) in authorities.enumerated() {
            for root in authority.roots where positions[root.key] == nil { positions[root.key] = position }
        }
        self.positions = positions
    }

    /// Reads the lines, `nil` where one is not in the form.
    init?(lines: String) {
        var names: [String] = []
        var roots: [[Authority.Root]] = []
        for line in lines.split(separator: "\n") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            switch (fields.first, fields.count) {
            case ("authority", 2):
                names.append(fields[1])
                roots.append([])
            case ("root", 9):
                guard !roots.isEmpty, let root = Self.root(fields) else { return nil }
                roots[roots.count - 1].append(root)
            default: return nil
            }
        }
        self.init(zip(names, roots).map { Authority(name: $0, roots: $1) })
    }

    private static func root(_ fields: [String]) -> Authority.Root? {
        guard let key = digest(fields[2]), let state = Authority.Root.State(rawValue: fields[4]) else { return nil }
        var until: Timestamp?
        if !fields[5].isEmpty {
            guard let day = try? TimeText.read(fields[5]) else { return nil }
            until = day
        }
        return Authority.Root(
            name: fields[1], key: key, algorithm: fields[3], state: state, until: until, crossSigners: list(fields[6]),
            source: fields[7], date: fields[8])
    }

    private static func list(_ text: String) -> [String] {
        text.isEmpty ? [] : text.split(separator: ";").map { String($0.drop { $0 == " " }) }
    }

    private static func digest(_ text: String) -> SHA256Digest? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return SHA256Digest(bytes: bytes)
    }

    /// Whose root has a key, `nil` for a key that is none's.
    package func authority(withKey key: SHA256Digest) -> Authority? { positions[key].map { authorities[$0] } }

    package func root(withKey key: SHA256Digest) -> Authority.Root? {
        authority(withKey: key)?.roots.first { $0.key == key }
    }
}
