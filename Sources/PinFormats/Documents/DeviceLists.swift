import Base
package import Pinning
import X509

/// The root stores of devices in JSON, which the article *Devices* describes; `make-device-data` reads the same form.
package struct DeviceLists {
    /// The root store of a device, in DER.
    package typealias Store = (device: Device, roots: [[UInt8]])

    package let source: String
    package let licence: String
    package private(set) var stores: [Store] = []
    package private(set) var publicRoots: [CARoot] = []

    /// The directory of the file, and certificates by their SHA-256 in hexadecimal and by their file.
    private let directory: String?
    private var byHash: [String: [UInt8]] = [:]
    private var byFile: [String: [[UInt8]]] = [:]

    /// Reads a file; its roots in the state `coming` may be cross-signed by those of `rootNames`.
    package init(_ file: PinFile, knowing rootNames: Set<String> = []) throws(Problem) {
        try file.refusePrivateKeys()
        let root = try JSONReader.root(of: file)
        try root["version"]?.checkVersion(1, remedy: "use a newer pincheck")
        directory = PathParts(file.path).directory
        let list = try root.require("stores")
        let commit = try root["commit"]?.plainText()
        source = try root.require("source").plainText() + (commit.map { ", commit " + $0 } ?? "")
        licence = try root["licence"]?.plainText(hasLines: true) ?? ""
        for node in root["certificates"].map({ $0.elements ?? [$0] }) ?? [] {
            for der in try certificates(node) { byHash[Hashing.sha256(der).hexadecimal] = der }
        }
        var names: Set<String> = []
        for node in try list.array() {
            let store = try read(node)
            for name in [store.device.name, store.device.alias].compactMap(\.self) where !names.insert(name).inserted {
                throw node.problem(.wrongValue, "'\(node.key)' is a second '\(name)'", "leave one out")
            }
            stores.append(store)
        }
        guard !stores.isEmpty else {
            throw list.problem(.missingValue, "'stores' has no device", "list at least one")
        }
        if let cas = root["public_cas"] { publicRoots = try CARoot.all(cas, knowing: rootNames) }
    }

    private mutating func read(_ node: DocumentNode) throws(Problem) -> Store {
        let (name, alias, release) = try Self.system(node)
        let listed = try node.require("roots")
        var roots: [[UInt8]] = []
        for root in try listed.array() { roots += try self.roots(root) }
        guard !roots.isEmpty else {
            throw listed.problem(.missingValue, "'\(listed.key)' has no root", "list at least one")
        }
        let device = Device(
            name: name, alias: alias, release: release, address: try node["url"]?.plainText() ?? "",
            date: try node.require("fetched").midnight())
        guard let device else { preconditionFailure("a list of roots names no device") }
        return (device, roots)
    }

    /// The name of the device, another name of the same list, and the systems in words.
    private static func system(_ store: DocumentNode) throws(Problem) -> (String, String?, String) {
        let platform = try store.require("platform")
        let name = try platform.text()
        if name == "mozilla" { return (name, nil, "Mozilla's root program") }
        guard ["aosp", "apple"].contains(name) else {
            throw platform.problem(
                .wrongValue, "'\(platform.key)' is '\(shortened(name, to: 40))', which is unknown",
                "choose from apple, aosp, mozilla")
        }
        let node = try store.require("version")
        let text = try node.plainText()
        let isApples = name == "apple"
        let known = isApples ? version(of: "iOS", in: text) ?? version(text[...]) : version(text.prefix { $0 != "_" })
        guard let known else { throw node.wrong("a version as in \(isApples ? "'iOS 17, macOS 14'" : "14.0.0_r66")") }
        guard isApples else { return ("android-\(known)", nil, "Android \(text)") }
        let alias = self.version(of: "macOS", in: text).map { "macos-\($0)" }
        return ("ios-\(known)", alias, text.contains("iOS") ? text : "iOS \(text)")
    }

    private static func version(of system: String, in text: String) -> DeviceVersion? {
        let words = text.split(separator: ",").map { $0.split(separator: " ") }
        return words.first { $0.count == 2 && $0[0] == system }.flatMap { version($0[1]) }
    }

    /// A version without the zeros at its end: 8.0.0 is 8.
    private static func version(_ text: Substring) -> DeviceVersion? {
        var parts = text.parts(at: ".")
        while parts.count > 1, parts.last?.allSatisfy({ $0 == "0" }) == true { parts.removeLast() }
        return DeviceVersion(parts.joined(separator: "."))
    }

    private mutating func roots(_ node: DocumentNode) throws(Problem) -> [[UInt8]] {
        let text = try node.text()
        guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else { return try certificates(node) }
        guard let der = byHash[text.lowercased()] else {
            throw node.problem(.missingValue, "the certificate \(text) is in none of the files of 'certificates'")
        }
        return [der]
    }

    private mutating func certificates(_ node: DocumentNode) throws(Problem) -> [[UInt8]] {
        let path = RegularFile.path(try node.text(), besideFilesIn: directory)
        if let known = byFile[path] { return known }
        let file = try PinFile.load(path)
        do {
            let certificates = try CertificateReader.plainCertificates(pemOrDER: file.bytes).map(\.der)
            byFile[path] = certificates
            return certificates
        } catch { throw Problem(.brokenCertificate, at: .at(path, line: error.line), "\(error)") }
    }
}

extension DocumentNode {
    /// A text without control characters, except for line breaks if `hasLines`.
    func plainText(hasLines: Bool = false) throws(Problem) -> String {
        let text = try text()
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            hasLines && scalar == "\n" || ![.control, .format].contains(scalar.properties.generalCategory)
        }
        guard isPlain else { throw wrong("plain text") }
        return text
    }
}

/// A root of a CA that issues certificates to servers, identified by its key, because several certificates can have it.
package struct CARoot: Hashable {
    package enum State: String {
        /// Servers have certificates below it, or may get them at any renewal.
        case inUse = "in-use"
        /// The CA moves servers to other roots.
        case older
        /// The CA may start to use it on any day; until then another root signs its key.
        case coming
    }

    package let ca: String
    package let name: String
    package let key: SHA256Digest
    package let algorithm: String
    package let state: State
    /// The moment from which browsers no longer trust it; `nil` if the CA names none.
    package let until: Timestamp?
    /// The names of older roots that signed its key.
    package let crossSigners: [String]
    package let source: String
    /// The day on which the page of the source was changed or read.
    package let date: String

    package init(
        _ name: String, _ key: SHA256Digest, _ algorithm: String, _ state: State = .inUse, of ca: String = "",
        until: Timestamp? = nil, signedBy crossSigners: [String] = [], _ source: String = "", _ date: String = ""
    ) {
        (self.ca, self.name, self.key, self.algorithm, self.state) = (ca, name, key, algorithm, state)
        (self.until, self.crossSigners, self.source, self.date) = (until, crossSigners, source, date)
    }

    /// The roots in a file of device data, in the form of `public-cas.json`.
    fileprivate static func all(_ list: DocumentNode, knowing rootNames: Set<String>) throws(Problem) -> [CARoot] {
        var (roots, nodes): ([CARoot], [DocumentNode]) = ([], [])
        for ca in try list.array() {
            let name = try ca.require("name").plainText()
            for node in try ca.require("roots").array() {
                let root = try CARoot(node, of: ca, name)
                if roots.contains(where: { $0.key == root.key && $0.ca != name }) {
                    throw node.problem(.duplicate, "'\(node.key)' has a key that is another CA's")
                }
                roots.append(root)
                nodes.append(node)
            }
        }
        let known = rootNames.union(roots.map(\.name))
        for (root, node) in zip(roots, nodes) where root.state == .coming && known.isDisjoint(with: root.crossSigners) {
            throw node.problem(
                .wrongValue, "'\(node.key)' is to come, and its 'crossSignedBy' names no known root",
                "name the root that signed its key")
        }
        return roots
    }

    private init(_ root: DocumentNode, of ca: DocumentNode, _ caName: String) throws(Problem) {
        self.ca = caName
        name = try root.require("name").plainText()
        let hash = try root.require("spki_sha256")
        guard let key = SHA256Digest(hexadecimal: try hash.text()) else { throw hash.wrong("64 hexadecimal digits") }
        self.key = key
        algorithm = try root["algorithm"]?.plainText() ?? ""
        let word = try root.require("state")
        guard let state = State(rawValue: try word.text()) else { throw word.wrong("in-use, older or coming") }
        self.state = state
        until = try root["until"]?.midnight()
        var signers: [String] = []
        for signer in try root["crossSignedBy"]?.array() ?? [] { signers.append(try signer.plainText()) }
        crossSigners = signers
        source = try (root["source"] ?? ca["source"])?.plainText() ?? ""
        let day = if let own = root["date"] { own } else { try ca.require("date") }
        date = try day.midnight().date
    }
}

package struct Device: Hashable {
    /// The name in `--device`, as in `ios-17`, `android-8.1`, `mozilla`.
    package let name: String
    /// Another name of the same list, as `macos-14` for `ios-17`; `nil` if there is none.
    package let alias: String?
    /// The platform; Mozilla's list is not a system, but comes with curl.
    package let platform: PlatformFamily
    package let version: DeviceVersion?
    /// The systems and versions of the list, in its publisher's words.
    package let release: String
    package let address: String
    package let date: Timestamp
    /// One bit for each certificate of the data, from the highest bit of the first byte on.
    package var membership: [UInt8] = []

    package init?(name: String, alias: String? = nil, release: String, address: String, date: Timestamp) {
        let parts = name.parts(at: "-", atMost: 2)
        guard let platform = PlatformFamily.allCases.first(where: { $0.system == parts[0] }) else { return nil }
        version = parts.count > 1 ? DeviceVersion(parts[1]) : nil
        guard parts.count == (platform == .openssl ? 1 : 2), platform == .openssl || version != nil else { return nil }
        (self.platform, self.name, self.alias, self.release) = (platform, name, alias, release)
        (self.address, self.date) = (address, date)
    }

    package var rootCount: Int { membership.reduce(0) { $0 + $1.nonzeroBitCount } }
    package func holds(_ position: Int) -> Bool { membership[position / 8] & 0x80 >> UInt8(position % 8) != 0 }

    package var platformRelease: PlatformRelease? {
        switch (platform, version) {
        // The version of iOS counts, even if the alias is a macOS.
        case (.apple, let version?): .apple(version)
        case (.android, let version?): .android(version)
        default: nil
        }
    }

    package var stack: TLSStack? { platformRelease.map { TLSStack(of: platform, on: $0) } }
}

extension PlatformFamily {
    /// The first part of a device's name; Apple's list is the same for iOS and the macOS of its year.
    package var system: String {
        switch self {
        case .apple: "ios"
        case .android: rawValue
        case .openssl: "mozilla"
        }
    }
}

extension [String] {
    /// The names in the order of `devices`; more than three neighbours become a range, as in `ios-12 to ios-17`.
    package func inRows(of devices: [String]) -> String {
        func system(_ device: String) -> Substring { device.prefix { $0 != "-" } }
        var rows: [[String]] = []
        for (index, device) in devices.enumerated() where contains(device) {
            let previous = index > 0 ? devices[index - 1] : ""
            let isNext = rows.last?.last == previous && system(device) == system(previous)
            if isNext { rows[rows.count - 1].append(device) } else { rows.append([device]) }
        }
        return rows.map { row in row.count > 3 ? "\(row[0]) to \(row[row.count - 1])" : row.listed }.listed
    }
}
