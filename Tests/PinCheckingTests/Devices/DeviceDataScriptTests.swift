import PinChecking
import Foundation
import LoopbackLab
import Pinning
import Testing
import X509

/// The script that makes device data, with certificates that were issued for the test.
@Suite("make-device-data writes the table that is compiled in") struct DeviceDataScriptTests {
    static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/CDeviceData/make-device-data")

    let pki: StandardPKI

    init() throws { pki = try .shared() }

    /// Runs the script; what it writes to standard error, and how it ends.
    private func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.python))
        process.arguments = [Self.script.path] + arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    private func hash(_ certificate: LabCertificate) -> String {
        certificate.sha256.map { String(format: "%02x", $0) }.joined()
    }

    private func stores(_ stores: String) -> String {
        #"{"source": "a test", "commit": "1234", "stores": [\#(stores)]}"#
    }

    private func store(_ platform: String, _ version: String, _ roots: [LabCertificate]) -> String {
        let roots = roots.map { "\"\(hash($0))\"" }.joined(separator: ",")
        return
            #"{"platform": "\#(platform)", "version": "\#(version)", "fetched": "2026-07-19", "url": "https://l.example", "roots": [\#(roots)]}"#
    }

    @Test(.enabled(if: python != nil, "python3 is not on this machine: the script is not tested"))
    func `lists and certificates become a table`() throws {
        try TemporaryDirectory.scoped { directory in
            let lists = [
                store("mozilla", "None", [pki.rootB]), store("aosp", "8.1.0_r9", [pki.rootA, pki.rootB]),
                store("apple", "iOS 17, iPadOS 17, macOS 14", [pki.rootA]),
            ]
            let roots = "# one\n" + pki.rootA.pem + "# another\n" + pki.rootB.pem + pki.junk.pem
            let source = directory.path + "/data.c"
            let end = try run([
                try directory.write(stores(lists.joined(separator: ",")), to: "stores.json"),
                try directory.write(roots, to: "roots.pem"), "--c-source", source,
            ])
            #expect(end.status == 0, "\(end.errors)")
            let lines = try String(contentsOfFile: source, encoding: .ascii).split(separator: "\n")
            let texts = lines.filter { $0.hasPrefix("    \"") }.map { $0.dropFirst(5).prefix { $0 != "\"" } }
            #expect(texts.prefix(3) == ["ios-17", "macos-14", "iOS 17, iPadOS 17, macOS 14"])
            #expect(texts.contains("android-8.1") && texts.contains("mozilla") && texts.contains("a test, commit 1234"))
            #expect(lines.contains { $0.hasPrefix("    devices, 3, ends, 2,") })
        }
    }

    @Test(.enabled(if: python != nil, "python3 is not on this machine: the script is not tested"))
    func `of what the program has it makes the same source again`() throws {
        let data = DeviceData.builtIn
        let source = data.source.components(separatedBy: ", commit ")
        var roots = ""
        let lists: [[String: Any]] = data.devices.map { device in
            let hashes = data.roots(of: device).map { der in
                roots += pem(der, label: "CERTIFICATE")
                return Hashing.sha256(der).hexadecimal
            }
            return [
                "platform": ["ios": "apple", "android": "aosp"][device.platform.rawValue] ?? "mozilla",
                "version": device.release.replacing("Android ", with: ""), "fetched": device.date.date,
                "url": device.address, "roots": hashes,
            ]
        }
        let stores: [String: Any] = ["source": source[0], "commit": source[1], "stores": lists]
        try TemporaryDirectory.scoped { directory in
            let json = Array(try JSONSerialization.data(withJSONObject: stores))
            let output = directory.path + "/data.c"
            let end = try run([
                try directory.write(json, to: "stores.json"), try directory.write(roots, to: "roots.pem"), "--licence",
                try directory.write(data.licence, to: "licence"), "--c-source", output,
            ])
            #expect(end.status == 0, "\(end.errors)")
            let compiledIn = Self.script.deletingLastPathComponent().appending(path: "data.c")
            #expect(try Data(contentsOf: URL(filePath: output)) == Data(contentsOf: compiledIn))
        }
    }

    @Test(
        .enabled(if: python != nil, "python3 is not on this machine: the script is not tested"),
        arguments: [
            (
                #"{"platform": "apple", "version": "watchOS 9", "fetched": "2026-07-19", "url": "", "roots": ["00"]}"#,
                "is not in"
            ),
            (
                #"{"platform": "aosp", "version": "9", "fetched": "2026-07-19", "url": "", "roots": []}"#,
                "lists no roots"
            ), (#"{"platform": "aosp", "version": "9", "url": "", "roots": ["x"]}"#, "is not in"),
        ]) func `lists that cannot be used are refused in one line`(list: String, message: String) throws
    {
        try TemporaryDirectory.scoped { directory in
            let end = try run([
                try directory.write(stores(list), to: "stores.json"),
                try directory.write(pki.rootA.pem, to: "roots.pem"), "--c-source", directory.path + "/data.c",
            ])
            #expect(end.status == 1)
            #expect(end.errors.hasPrefix("make-device-data: ") && end.errors.contains(message), "\(end.errors)")
        }
    }
}
