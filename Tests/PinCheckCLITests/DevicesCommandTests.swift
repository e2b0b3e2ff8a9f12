import Base
import LoopbackLab
import PinCheckCLI
import PinChecking
import Pinning
import Testing

/// `pincheck devices`; the list itself is in ``GoldenTests``.
@Suite(.endsSomeTime) struct DevicesCommandTests {
    private let date = DeviceData.builtIn.date.secondsSinceEpoch

    @Test func theDocumentHoldsTheSame() async throws {
        let document = try JSONValue(await pincheck("devices", "--format", "json", at: date).expect(.pass).output)
        let devices = document["devices"].array
        #expect(devices.count == 24 && document["data"]["is_stale"].flag == false)
        #expect(devices[1]["name"].text == "ios-12" && devices[1]["alias"].text == "macos-10.14")
        #expect(devices[1]["root_count"].number == 174 && devices[1]["roots"].isNull)
        let one = try JSONValue(await pincheck("devices", "ios-17", "--format", "json", at: date).output)
        #expect(one["devices"][0]["roots"].array.count == 169)
    }

    @Test func theRootsOfADeviceAreListedByName() async throws {
        let outcome = await pincheck("devices", "macos-14", at: date).expect(
            .pass, "169\n      roots",
            "\n  96bcec06264976f37460779acf28c5a7cfe8a3c0aae11a8ffcee05c0bddf08c6\n      ends 2035-06-04  ISRG Root X1\n",
            starting: "ios-17, macos-14: iOS 17, iPadOS 17, ")
        // Also in a pipe.
        #expect(outcome.output.split(separator: "\n").allSatisfy { TerminalText.cells($0) <= 80 })
    }

    @Test func aFileTakesThePlaceOfTheProgramsOwnData() async throws {
        let desk = try Desk(["devices.bin": "PCDD"])
        _ = try DeviceLists.write([("ios-99", [try StandardPKI.shared().rootA])], to: "own.json", in: desk.files)
        await desk("devices ios-99 --device-data @own.json").expect(.pass, "  RootA", errors: "")
        await desk("devices ios-17 --device-data @own.json").expect(.usage, errors: "next to it is ios-99")
        await desk("devices --device-data @devices.bin").expect(.data, errors: "devices.bin:1: is not JSON")
        await desk("devices --device-data @none").expect(.noInput)
    }

    @Test func dataOlderThan180DaysIsWarnedOf() async {
        let outcome = await pincheck("devices", at: date + 181 * 86_400).expect(.pass)
        #expect(outcome.errors.hasPrefix("Warning: the lists of roots are from 2026-07-19, 181 days ago: "))
    }
}

/// Root stores of devices as `--device-data` takes them.
enum DeviceLists {
    /// Devices of a laboratory: `rootA` is not on all of them, `rootB` on all but the first.
    static func lab(_ pki: StandardPKI) -> [(name: String, roots: [LabCertificate])] {
        [
            ("ios-12", [pki.rootB]), ("ios-13", [pki.rootA, pki.rootB]), ("ios-26", [pki.rootA, pki.rootB]),
            ("android-9", [pki.rootA, pki.rootB]), ("android-17", [pki.rootB]),
        ]
    }

    /// Writes lists that were read ten days ago, with their certificates beside them.
    ///
    /// - Returns: the path of the file.
    static func write(
        _ lists: [(name: String, roots: [LabCertificate])], to name: String = "devices.json",
        in files: TemporaryDirectory
    ) throws -> String {
        var stores: [String] = []
        for (device, roots) in lists {
            let version = device.drop { $0 != "-" }.dropFirst()
            let names = try roots.enumerated().map { index, root in
                let file = "\(device)-\(index).cer"
                _ = try files.write(root.der, to: file)
                return "\"\(file)\""
            }
            let day = Timestamp(secondsSinceEpoch: LabClock.now - 10 * LabClock.day).date
            stores.append(
                """
                { platform: "\(device.hasPrefix("ios") ? "apple" : "aosp")", version: "\(version)", fetched: "\(day)",
                  url: "https://lists.example", roots: [\(names.joined(separator: ", "))] }
                """)
        }
        return try files.write("{ source: \"a laboratory\", stores: [\(stores.joined(separator: ", "))] }", to: name)
    }
}
