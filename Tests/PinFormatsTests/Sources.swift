import Foundation
import LoopbackLab
import PinFormats
import Pinning
import Testing

let leaf = pki.leaf
let root = pki.rootA

/// Hashes whose text is known: bytes counting up from a start.
func digest(from start: UInt8) -> SHA256Digest { SHA256Digest(bytes: (0..<32).map { start &+ $0 })! }

/// `AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=`
let first = digest(from: 0)
/// `ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=`
let second = digest(from: 32)
/// `/P3+/wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs=`
let slashed = digest(from: 0xFC)

func outcome(_ text: String) -> Result<PinReading, Problem> {
    Result { () throws(Problem) in try PinSource(text).read() }
}

func hashes(_ text: String) throws -> [SHA256Digest] { try PinSource(text).read().pins.map(\.spkiSHA256) }

func failure(_ text: String, at place: SourceLocation = #_sourceLocation) throws -> Problem {
    try #require(throws: Problem.self, sourceLocation: place) { try PinSource(text).read() }
}

func failure(ofFile name: String, _ bytes: [UInt8], at place: SourceLocation = #_sourceLocation) throws -> Problem {
    let files = try TemporaryDirectory()
    return try failure(files.write(bytes, to: name), at: place)
}

func failure(ofFile name: String, _ text: String, at place: SourceLocation = #_sourceLocation) throws -> Problem {
    try failure(ofFile: name, text.bytes, at: place)
}

func inspection(ofFile name: String, _ text: String) throws -> PinReading {
    let files = try TemporaryDirectory()
    return PinSource(try files.write(text, to: name)).inspect()
}

func reading(ofFile name: String, _ bytes: [UInt8]) throws -> PinReading {
    let files = try TemporaryDirectory()
    return try PinSource(files.write(bytes, to: name)).read()
}

func reading(ofFile name: String, _ text: String) throws -> PinReading { try reading(ofFile: name, text.bytes) }

extension StringProtocol { var bytes: [UInt8] { Array(utf8) } }

enum Samples {
    static let a = first.base64
    static let b = second.base64

    static let android = """
        <?xml version="1.0" encoding="utf-8"?>
        <network-security-config>
            <base-config><trust-anchors><certificates src="system" /></trust-anchors></base-config>
            <domain-config cleartextTrafficPermitted="false">
                <domain includeSubdomains="true"> API.example.com
                </domain>
                <pin-set expiration="2040-06-01">
                    <pin digest="SHA-256">\(a)</pin>
                    <!-- backup -->
                    <pin digest="SHA-256">\(b)</pin>
                </pin-set>
                <trustkit-config enforcePinning="true" disableDefaultReportUri="true">
                    <report-uri>https://r.example.com/pin</report-uri>
                </trustkit-config>
            </domain-config>
            <debug-overrides><trust-anchors><certificates src="user" /></trust-anchors></debug-overrides>
        </network-security-config>
        """

    static let infoPlist = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>CFBundleName</key><string>App</string>
            <key>LSRequiresIPhoneOS</key><true/>
            <key>NSAppTransportSecurity</key>
            <dict><key>NSPinnedDomains</key><dict>
                <key>example.com</key>
                <dict>
                    <key>NSIncludesSubdomains</key><true/>
                    <key>NSPinnedCAIdentities</key>
                    <array><dict><key>SPKI-SHA256-BASE64</key><string>\(a)</string></dict></array>
                </dict>
            </dict></dict>
        </dict>
        </plist>
        """

    static let trustKit = """
        {
          "TSKSwizzleNetworkDelegates": false,
          "TSKPinnedDomains": {
            "example.com": {
              "TSKIncludeSubdomains": true,
              "TSKPublicKeyHashes": [
                "\(a)",
                "\(b)"
              ],
              "TSKPublicKeyAlgorithms": ["TSKAlgorithmRsa2048"],
              "TSKExpirationDate": "2040-06-01"
            },
            "static.example.com": {"kSKExcludeSubdomainFromParentPolicy": true}
          }
        }
        """

    static let reactNative = """
        // pins of the app
        {'example.com': {includeSubdomains: true, publicKeyHashes: ['\(a)', '\(b)'], expirationDate: '2040-06-01'},}
        """

    static let kotlin = """
        object Api {
            private const val HOST = "api.example.com"
            // .add("old.example.com", "sha256/…")
            val pinner = CertificatePinner.Builder()
                .add(HOST, "sha256/\(a)",
                    "sha256/\(b)")
                .add("**.example.net", /* the CDN */ "sha256/\(b)")
                .build()
            val list = mutableListOf<String>().add("sha256")
        }
        """

    static let okHttpList = """
        # host pins
        api.example.com  sha256/\(a),sha256/\(b)
        *.example.net    sha256/\(b)
        """

    static func binaryInfoPlist() throws -> [UInt8] {
        let object = try PropertyListSerialization.propertyList(from: Data(infoPlist.utf8), format: nil)
        return Array(try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0))
    }
}

/// Writes zip archives byte by byte, right ones and wrong ones: entries stored, or with bytes that say they are compressed.
struct ZipWriter {
    private var (body, directory, count): ([UInt8], [UInt8], UInt16) = ([], [], 0)

    mutating func add(_ name: String, _ contents: [UInt8], flags: UInt16 = 0x0800, isLink: Bool = false) {
        add(
            name, contents, method: 0, size: contents.count, crc: Self.crc32(contents), flags: flags,
            mode: isLink ? 0o120777 : name.hasSuffix("/") ? 0o40755 : 0o100644)
    }

    mutating func add(_ name: String, _ text: String) { add(name, text.bytes) }

    private mutating func add(
        _ name: String, _ data: [UInt8], method: UInt16, size: Int, crc: UInt32, flags: UInt16 = 0x0800,
        mode: UInt32 = 0o100644
    ) {
        let offset = UInt32(body.count)
        let common =
            Self.bytes(UInt16(20)) + Self.bytes(flags) + Self.bytes(method) + Self.bytes(UInt32(0x5A21_0000))
            + Self.bytes(crc) + Self.bytes(UInt32(data.count)) + Self.bytes(UInt32(size))
            + Self.bytes(UInt16(name.utf8.count)) + [0, 0]
        body += Self.bytes(UInt32(0x0403_4B50)) + common + name.bytes + data
        directory += Self.bytes(UInt32(0x0201_4B50)) + Self.bytes(UInt16(0x031E)) + common + [0, 0, 0, 0, 0, 0]
        directory += Self.bytes(mode << 16) + Self.bytes(offset) + name.bytes
        count += 1
    }

    /// Adds an entry of zeros that takes a thousandth of what it unpacks to: DEFLATE (method 8) with one code for 258 of them.
    mutating func addZeros(_ name: String, megabytes: Int, crc: UInt32 = 0) {
        // A literal zero and matches of length 258 at distance 1 in the fixed code, of which eight are 13 bytes.
        let eight: [UInt8] = [5, 0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18]
        let matches = Array(repeating: eight, count: megabytes * (1 << 20) / (258 * 8)).joined()
        add(
            name, [0x63, 0x18] + matches.dropLast() + [0, 0], method: 8, size: Self.zeroCount(megabytes: megabytes),
            crc: crc)
    }

    static func zeroCount(megabytes: Int) -> Int { megabytes * (1 << 20) / (258 * 8) * 258 * 8 + 1 }

    var archive: [UInt8] {
        body + directory + Self.bytes(UInt32(0x0605_4B50)) + [0, 0, 0, 0] + Self.bytes(count) + Self.bytes(count)
            + Self.bytes(UInt32(directory.count)) + Self.bytes(UInt32(body.count)) + [0, 0]
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }

    static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var crc: UInt32 = ~0
            for byte in bytes { crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
            return ~crc
        }
    }
}
