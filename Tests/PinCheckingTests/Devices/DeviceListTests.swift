import Foundation
import LoopbackLab
import PinChecking
import PinFormats
import Pinning
import Testing
import X509

@Suite struct DeviceListsOfFilesTests {
    private func data(_ text: String) throws -> DeviceData {
        let files = try TemporaryDirectory()
        try files.write(pki.rootA.pem + pki.rootB.pem, to: "roots.pem")
        try files.write(pki.junk.der, to: "junk.cer")
        try files.write("no certificate", to: "text.cer")
        return try DeviceData(DeviceLists(PinFile.load(files.write(text, to: "devices.json"))))
    }

    private func refusal(_ text: String) -> Problem? {
        do {
            _ = try data(text)
            return nil
        } catch { return error as? Problem }
    }

    private func hash(_ certificate: LabCertificate) throws -> String {
        try #require(SHA256Digest(bytes: certificate.sha256)).hexadecimal
    }

    @Test func devicesAreReadInTheirOrderWithRootsByHashAndByFile() throws {
        let data = try data(
            """
            {
              // As make-device-data takes it, and as people write it.
              "source": "a laboratory", "commit": "c0ffee", "licence": "Take\\nit.", "names": { "x": "y" },
              "certificates": ["roots.pem"],
              "stores": [
                { "platform": "mozilla", "version": null, "fetched": "2026-07-19", "url": "https://m.example",
                  "roots": ["\(try hash(pki.rootA))"] },
                { "platform": "aosp", "version": "14.0.0_r66", "fetched": "2024-08-25", "roots": ["roots.pem", "junk.cer"] },
                { "platform": "aosp", "version": "9", "fetched": "2018-10-04", "roots": ["junk.cer"] },
                { "platform": "apple", "version": "iOS 17, iPadOS 17, macOS 14, tvOS 17", "fetched": "2023-12-11",
                  "roots": ["\(try hash(pki.rootB).uppercased())", "junk.cer"] },
                { "platform": "apple", "version": "12.1.3", "fetched": "2019-11-10", "roots": ["junk.cer", "junk.cer"] },
              ],
            }
            """)
        #expect(data.devices.map(\.name) == ["ios-12.1.3", "ios-17", "android-9", "android-14", "mozilla"])
        #expect(data.devices.map(\.alias) == [nil, "macos-14", nil, nil, nil])
        #expect(
            data.devices.map(\.release) == [
                "iOS 12.1.3", "iOS 17, iPadOS 17, macOS 14, tvOS 17", "Android 9", "Android 14.0.0_r66",
                "Mozilla's root program",
            ])
        #expect(
            data.devices.map(\.date.date) == ["2019-11-10", "2023-12-11", "2018-10-04", "2024-08-25", "2026-07-19"])
        #expect(data.devices.map(\.rootCount) == [1, 2, 1, 3, 1])
        #expect(data.source == "a laboratory, commit c0ffee" && data.licence == "Take\nit.")
        #expect(Set(data.roots(of: data.devices[1])) == [pki.rootB.der, pki.junk.der] && !data.lists(pki.leaf.der))
        #expect(data.devices[1].version == DeviceVersion(17) && data.date == data.devices.last?.date)
        #expect(data.devices(listing: pki.rootB.der).map(\.name) == ["ios-17", "android-14"])
        #expect(data.devices(listing: pki.rootA.der).map(\.name) == ["android-14", "mozilla"])
    }

    private static let store =
        #"{ "platform": "aosp", "version": "9", "fetched": "2018-10-04", "roots": ["junk.cer"] }"#

    private static func document(_ changed: String, _ change: String) -> String {
        "{ \"source\": \"x\", \"stores\": [\n\(store.replacing(changed, with: change))] }"
    }

    private static let coming =
        #"{ "name": "Next", "state": "coming", "crossSignedBy": ["Own"], "spki_sha256": "\#(String(repeating: "ab", count: 32))" }"#
    private static let own =
        #"{ "name": "Own", "state": "in-use", "spki_sha256": "\#(String(repeating: "12", count: 32))", "until": "2030-06-04" }"#

    private static func cas(_ roots: String...) -> String {
        let cas = roots.enumerated().map { #"{ "name": "CA \#($0)", "date": "2026-11-28", "roots": [\#($1)] }"# }
        return "{ \"source\": \"x\", \"stores\": [\(store)], \"public_cas\": [\n\(cas.joined(separator: ",\n"))] }"
    }

    @Test func rootsOfCAsAreReadBesideTheDevices() throws {
        let roots = try data(Self.cas(Self.own + ", " + Self.coming)).publicRoots
        #expect(roots.map(\.ca) == ["CA 0", "CA 0"] && roots.map(\.state) == [.inUse, .coming])
        #expect(roots[0].until?.date == "2030-06-04" && roots[1].crossSigners == ["Own"])
    }

    private static let wrong: [(String, Int, String)] = [
        (#"{ "source": "x" }"#, 1, "the document has no 'stores'"),
        ("{\n\"stores\": [\(store)] }", 1, "the document has no 'source'"),
        (#"{ "source": "x", "stores": [] }"#, 1, "'stores' has no device"),
        (#"{ "source": "x", "version": 2, "stores": [] }"#, 1, "'version' is 2, and this pincheck reads version 1"),
        (document(#""platform": "aosp", "#, ""), 2, "'stores[0]' has no 'platform'"),
        (document("aosp", "tizen"), 2, "is 'tizen', which is unknown; choose from apple, aosp, mozilla"),
        (document(#""9""#, #""nine""#), 2, "'stores[0].version' is not a version as in 14.0.0_r66"),
        (document("fetched", "read"), 2, "'stores[0]' has no 'fetched'"),
        (document("2018", "2O18"), 2, "'2O18-10-04' is not a date"),
        (document("roots", "root"), 2, "'stores[0]' has no 'roots'"),
        (document(#"["junk.cer"]"#, "[]"), 2, "'stores[0].roots' has no root"),
        (document("junk.cer", String(repeating: "ab", count: 32)), 2, "is in none of the files of 'certificates'"),
        (document("] }", "] },\n" + store), 3, "'stores[1]' is a second 'android-9'; leave one out"),
        (document("9", "9\\u001b"), 2, "'stores[0].version' is not plain text"),
        (
            cas(coming.replacing("ab", with: "a")), 2,
            "'public_cas[0].roots[0].spki_sha256' is not 64 hexadecimal digits"
        ),
        (
            cas(coming.replacing("coming", with: "gone")), 2,
            "'public_cas[0].roots[0].state' is not in-use, older or coming"
        ), (cas(coming.replacing("}", with: #", "until": "soon" }"#)), 2, "'soon' is not a date"),
        (cas(coming.replacing("Own", with: "None")), 2, "is to come, and its 'crossSignedBy' names no known root"),
        (cas(coming, coming), 3, "has a key that is another CA's"),
        (#"{ "source": "x", "stores": 7 }"#, 1, "'stores' is not an array"),
        (#"{ "source": "x", "stores": [] "#, 1, "is not JSON"),
    ]

    @Test(arguments: wrong) func whatIsWrongIsSaidWithItsLine(text: String, line: Int, message: String) throws {
        let error = try #require(refusal(text))
        #expect(error.kind == .data)
        #expect(error.description.contains("devices.json:\(line): "), "\(error)")
        #expect(error.description.contains(message), "\(error)")
    }

    @Test func filesThatCannotBeUsedAreNamed() throws {
        let missing = try #require(refusal(Self.document("junk.cer", "none.cer")))
        #expect(missing.kind == .noInput && missing.description.contains("none.cer"), "\(missing)")
        let broken = try #require(refusal(Self.document("junk.cer", "text.cer")))
        #expect(broken.kind == .data && broken.description.contains("text.cer: "), "\(broken)")
    }

    @Test func whatIsNeitherFormIsRefused() throws {
        #expect(throws: Problem.self) { try DeviceLists(PinFile(path: "x", bytes: Array("hello".utf8))) }
        #expect(throws: Problem.self) { try DeviceLists(PinFile(path: "x", bytes: [])) }
        #expect(throws: Problem.self) { try DeviceLists(PinFile.load("/nonexistent/devices.json")) }
    }
}

@Suite("make-device-data writes the table that is compiled in") struct DeviceDataScriptTests {
    static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static let needsPython: ConditionTrait = .enabled(
        if: python != nil, "python3 is not on this machine: the script is not tested")
    static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/CDeviceData/make-device-data")

    static func run(_ script: URL = script, arguments: [String]) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: try #require(python))
        process.arguments = [script.path] + arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    @Test(needsPython) func ofWhatTheProgramHasItMakesTheSameSourceAgain() throws {
        let data = DeviceData.builtIn
        let source = data.source.components(separatedBy: ", commit ")
        var roots = ""
        let lists: [[String: Any]] = data.devices.map { device in
            let hashes = data.roots(of: device).map { der in
                roots += pem(der, label: "CERTIFICATE")
                return Hashing.sha256(der).hexadecimal
            }
            return [
                "platform": ["ios": "apple", "android": "aosp"][device.platform.system] ?? "mozilla",
                "version": device.release.replacing("Android ", with: ""), "fetched": device.date.date,
                "url": device.address, "roots": hashes,
            ]
        }
        let stores: [String: Any] = ["source": source[0], "commit": source[1], "stores": lists]
        let files = try TemporaryDirectory()
        let json = Array(try JSONSerialization.data(withJSONObject: stores))
        let output = files.path + "/data.c"
        let end = try Self.run(arguments: [
            try files.write(json, to: "stores.json"), try files.write(roots, to: "roots.pem"), "--licence",
            try files.write(data.licence, to: "licence"), "--c-source", output,
        ])
        #expect(end.status == 0, "\(end.errors)")
        let compiledIn = Self.script.deletingLastPathComponent().appending(path: "data.c")
        #expect(try Data(contentsOf: URL(filePath: output)) == Data(contentsOf: compiledIn))
    }
}
