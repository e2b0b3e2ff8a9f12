internal import Base
package import PinFormats
internal import Pinning
internal import X509

/// Reads the root stores of devices as JSON, which the article *Devices* describes; `make-device-data` reads the same.
package struct DeviceListReader {
    /// The most devices there may be: it holds down what a file can make this process do.
    private static let deviceLimit = 1_024

    /// The directory of the file, and the certificates that lists name by their hashes or their files.
    private let directory: String?
    private var byHash: [String: [UInt8]] = [:]
    private var byFile: [String: [[UInt8]]] = [:]

    package static func data(at path: String) throws(PinFormatError) -> DeviceData {
        try data(RegularFile.contents(of: path, mayBePipe: true), named: path)
    }

    /// The data that `bytes` are, which messages call `name`; the files it names are relative to that.
    package static func data(_ bytes: [UInt8], named name: String) throws(PinFormatError) -> DeviceData {
        let file = PinFile(path: name, bytes: bytes)
        guard JSONReader.beginsObject(bytes) else {
            throw PinFormatError(
                .brokenDocument, at: file.place, "is not JSON, in which lists of devices are given",
                remedy: "write { source: \"…\", stores: [{ platform, version, fetched, roots }] }")
        }
        try PrivateKeyGuard.refusePrivateKeys(in: file)
        let root = try JSONReader.root(of: file)
        if let version = root["version"], version.number != "1" {
            throw PinFormatError(
                .wrongValue, at: version.place,
                "'version' is \(version.number ?? "no number"), and this pincheck reads version 1",
                remedy: "use a newer pincheck")
        }
        let stores = try root.required("stores")
        var reader = DeviceListReader(directory: PathParts(name).directory)
        if let node = root["certificates"] { for file in node.elements ?? [node] { try reader.add(file) } }
        var lists: [(device: Device, roots: [[UInt8]])] = []
        var names: Set<String> = []
        for store in try stores.array() {
            let list = try reader.list(store)
            for name in [list.device.name, list.device.alias].compactMap(\.self) where !names.insert(name).inserted {
                throw PinFormatError(
                    .wrongValue, at: store.place, "'\(store.key)' is a second '\(name)'", remedy: "leave one out")
            }
            lists.append(list)
            guard lists.count <= deviceLimit else { throw stores.wrong("a list of at most \(deviceLimit) devices") }
        }
        guard !lists.isEmpty else {
            throw PinFormatError(.missingValue, at: stores.place, "'stores' has no device", remedy: "list at least one")
        }
        let source = try text("source", of: root, limit: 1_000)
        let commit = root["commit"] == nil ? nil : try text("commit", of: root, limit: 1_000)
        let licence = root["licence"] == nil ? "" : try text("licence", of: root, limit: 20_000, hasLines: true)
        return DeviceData(source: source + (commit.map { ", commit " + $0 } ?? ""), licence: licence, lists: lists)
    }

    // MARK: Devices

    private mutating func list(_ store: DocumentNode) throws(PinFormatError) -> (device: Device, roots: [[UInt8]]) {
        let (name, alias, release) = try Self.system(store)
        let fetched = try store.required("fetched")
        let day = try fetched.midnight()
        guard (0...0xFFFF).contains(day.secondsSinceEpoch / 86_400) else { throw fetched.wrong("a day from 1970 on") }
        let listed = try store.required("roots")
        var roots: [[UInt8]] = []
        for node in try listed.array() { roots += try self.roots(node) }
        guard !roots.isEmpty else {
            throw PinFormatError(
                .missingValue, at: listed.place, "'\(listed.key)' has no root", remedy: "list at least one")
        }
        let address = store["url"] == nil ? "" : try Self.text("url", of: store, limit: 255)
        guard let device = Device(name: name, alias: alias, release: release, address: address, date: day) else {
            throw store.wrong("a device")
        }
        return (device, roots)
    }

    /// What the device is called, another name of the same list, and the systems in words.
    private static func system(_ store: DocumentNode) throws(PinFormatError) -> (String, String?, String) {
        let platform = try store.required("platform")
        switch try platform.text() {
        case "mozilla": return (DevicePlatform.mozilla.rawValue, nil, "Mozilla's root program")
        case "aosp":
            let node = try store.required("version")
            let text = try text("version", of: store, limit: 200)
            guard let version = version(text.prefix { $0 != "_" }) else {
                throw node.wrong("a version as in 14.0.0_r66")
            }
            return ("\(DevicePlatform.android.rawValue)-\(version)", nil, "Android \(text)")
        case "apple":
            let node = try store.required("version")
            let text = try text("version", of: store, limit: 255)
            guard let version = version(of: "iOS", in: text) ?? version(text[...]) else {
                throw node.wrong("a version as in 'iOS 17, macOS 14'")
            }
            let alias = self.version(of: "macOS", in: text).map { "macos-\($0)" }
            return ("\(DevicePlatform.apple.rawValue)-\(version)", alias, text.contains("iOS") ? text : "iOS \(text)")
        case let other:
            throw PinFormatError(
                .wrongValue, at: platform.place, "'\(platform.key)' is '\(shortened(other, to: 40))', which is unknown",
                remedy: "choose from apple, aosp, mozilla")
        }
    }

    private static func version(of system: String, in text: String) -> DeviceVersion? {
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ")
            if words.count == 2, words[0] == system { return version(words[1]) }
        }
        return nil
    }

    /// A version without the zeros at its end: 8.0.0 is 8.
    private static func version(_ text: Substring) -> DeviceVersion? {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        while parts.count > 1, parts.last?.allSatisfy({ $0 == "0" }) == true { parts.removeLast() }
        return DeviceVersion(parts.joined(separator: "."))
    }

    // MARK: Values

    /// A text of at most `limit` bytes without control characters.
    private static func text(
        _ key: String, of node: DocumentNode, limit: Int, hasLines: Bool = false
    ) throws(PinFormatError) -> String {
        let member = try node.required(key)
        let text = try member.text()
        guard text.utf8.count <= limit else { throw member.wrong("a text of at most \(limit) bytes") }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            let category = scalar.properties.generalCategory
            return hasLines && scalar == "\n" || category != .control && category != .format
        }
        guard isPlain else { throw member.wrong("plain text") }
        return text
    }

    // MARK: Certificates

    private mutating func add(_ node: DocumentNode) throws(PinFormatError) {
        for der in try certificates(node) { byHash[Hashing.sha256(der).hexadecimal] = der }
    }

    private mutating func roots(_ node: DocumentNode) throws(PinFormatError) -> [[UInt8]] {
        let text = try node.text()
        let isHash = text.utf8.count == 64 && text.allSatisfy { $0.isHexDigit }
        guard isHash else { return try certificates(node) }
        guard let der = byHash[text.lowercased()] else {
            throw PinFormatError(
                .missingValue, at: node.place, "the certificate \(text) is in none of the files of 'certificates'")
        }
        return [der]
    }

    private mutating func certificates(_ node: DocumentNode) throws(PinFormatError) -> [[UInt8]] {
        let path = RegularFile.path(try node.text(), besideFilesIn: directory)
        if let known = byFile[path] { return known }
        let file = try PinFile.load(path)
        do throws(X509Error) {
            let certificates = try CertificateReader.plainCertificates(pemOrDER: file.bytes).map(\.der)
            byFile[path] = certificates
            return certificates
        } catch { throw PinFormatError(.brokenCertificate, at: .at(path, line: error.line), "\(error)") }
    }
}
