import Base
import PinFormats
package import Pinning

/// A CA that issues certificates to servers, with its published roots; `make-public-cas` writes the table of these.
package struct CA: Sendable, Hashable {
    package let name: String
    package let roots: [Root]

    /// A root of a CA, identified by its key: several certificates can have it.
    package struct Root: Sendable, Hashable {
        package enum State: String, Sendable, Hashable {
            /// Servers get certificates below it, or may at any renewal.
            case inUse = "in-use"
            /// The CA moves servers to other roots.
            case older
            /// The CA may make it a root on any day; until then another root signs its key.
            case coming
        }

        package let name: String
        package let key: SHA256Digest
        package let algorithm: String
        package let state: State
        /// The moment from which browsers no longer trust it, as the CA says; `nil` if the CA says nothing.
        package let until: Timestamp?
        /// The older roots that signed its key.
        package let crossSigners: [String]
        package let source: String
        /// The day on which the page of the source was changed or read.
        package let date: String

        fileprivate init(_ row: PublicCARow) {
            self.init(
                row.name, row.key, row.algorithm, State(rawValue: row.state) ?? .older, until: row.until,
                signedBy: row.crossSigners, row.source, row.date)
        }

        fileprivate init(row: [String]) {
            guard let key = SHA256Digest(hexadecimal: row[2]) else { preconditionFailure("\(row[1]) has no key") }
            self.init(
                row[1], key, row[3], State(rawValue: row[4]) ?? .older, until: try? TimeText.read(row[5]),
                signedBy: row[6].split(separator: "|").map(String.init), row[7], row[8])
        }

        /// `true` if the row is too old to rely on; a root of the lists has no day and is never old.
        func isOld(at time: Timestamp) -> Bool {
            let day = try? TimeText.read(date)
            return day.map { $0.seconds(to: time) > Int64(DeviceData.daysUntilStale) * 86_400 } ?? false
        }

        /// A root; on lists of devices without a CA that publishes it, in use and without a source.
        package init(
            _ name: String, _ key: SHA256Digest, _ algorithm: String, _ state: State = .inUse,
            until: Timestamp? = nil, signedBy crossSigners: [String] = [], _ source: String = "", _ date: String = ""
        ) {
            (self.name, self.key, self.algorithm, self.state) = (name, key, algorithm, state)
            (self.until, self.crossSigners, self.source, self.date) = (until, crossSigners, source, date)
        }
    }

    package init(_ name: String, _ roots: [Root]) { (self.name, self.roots) = (name, roots) }

    package var rootsInUse: [Root] { roots.filter { $0.state == .inUse } }
    package var comingRoots: [Root] { roots.filter { $0.state == .coming } }

    static func all(_ rows: [PublicCARow]) -> [CA] {
        rows.grouped(by: \.ca).map { name, rows in CA(name, rows.map(Root.init)) }
    }
}

extension CA {
    /// The public CAs whose roots are known: the rows of `public-cas.tsv`.
    package static let published: [CA] = {
        // Characters cost a check 4 M instructions more than bytes.
        let rows = PackageResources.public_cas_tsv.split(separator: UInt8(ascii: "\n")).dropFirst()
        let fields = rows.map { row in
            row.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        return fields.grouped { $0[0] }.map { name, rows in CA(name, rows.map { Root(row: $0) }) }
    }()
}

extension DeviceData {
    private static let publishedRoots = Dictionary(
        CA.published.flatMap(\.roots).map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })

    func publicRoot(withKey key: SHA256Digest) -> CA.Root? { publicCAs.root(withKey: key) ?? Self.publishedRoots[key] }
}

extension [CA] {
    package func ca(withKey key: SHA256Digest) -> CA? { first { $0.roots.contains { $0.key == key } } }
    package func root(withKey key: SHA256Digest) -> CA.Root? { ca(withKey: key)?.roots.first { $0.key == key } }
    var rootNames: Set<String> { Set(flatMap { $0.roots.map(\.name) }) }
}
