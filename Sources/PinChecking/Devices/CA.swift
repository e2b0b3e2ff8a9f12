import Base
package import PinFormats
package import Pinning

package struct CA: Sendable, Hashable {
    package let name: String
    package let roots: [CARoot]

    package init(_ name: String, _ roots: [CARoot]) { (self.name, self.roots) = (name, roots) }

    package var rootsInUse: [CARoot] { roots.filter { $0.state == .inUse } }
    package var comingRoots: [CARoot] { roots.filter { $0.state == .coming } }

    static func all(_ rows: [(ca: String, root: CARoot)]) -> [CA] {
        rows.grouped(by: \.ca).map { CA($0, $1.map(\.root)) }
    }

    /// The public CAs whose roots are known: the rows of `public-cas.tsv`, which `make-public-cas` writes.
    package static let published: [CA] = {
        // Comparing characters costs a check 4 M instructions more than comparing bytes.
        let rows = PackageResources.public_cas_tsv.split(separator: UInt8(ascii: "\n")).dropFirst()
        let fields = rows.map { row in
            row.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        return all(fields.map { ($0[0], CARoot(row: $0)) })
    }()
}

extension CARoot {
    fileprivate init(row: [String]) {
        guard let key = SHA256Digest(hexadecimal: row[2]) else { preconditionFailure("\(row[1]) has no key") }
        self.init(
            row[1], key, row[3], State(rawValue: row[4]) ?? .older, until: try? TimeText.read(row[5]),
            signedBy: row[6].split(separator: "|").map(String.init), row[7], row[8])
    }

    /// `true` if the row is too old to rely on; a root of the devices' lists has no date and is never old.
    func isOld(at time: Timestamp) -> Bool {
        let day = try? TimeText.read(date)
        return day.map { $0.seconds(to: time) > Int64(DeviceData.daysUntilStale) * 86_400 } ?? false
    }
}

extension DeviceData {
    func publicRoot(withKey key: SHA256Digest) -> CARoot? {
        if let root = publicCAs.root(withKey: key) { return root }
        // Most keys are of no published root, and reading all rows costs a check 1.6 M instructions.
        guard PackageResources.public_cas_tsv.holds(Array(key.hexadecimal.utf8)) else { return nil }
        return CA.published.root(withKey: key)
    }
}

extension [CA] {
    package func ca(withKey key: SHA256Digest) -> CA? { first { $0.roots.contains { $0.key == key } } }
    package func root(withKey key: SHA256Digest) -> CARoot? { ca(withKey: key)?.roots.first { $0.key == key } }
    var rootNames: Set<String> { Set(flatMap { $0.roots.map(\.name) }) }
}
